"""The library over HTTP: records, files and addresses."""

import uuid
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.common.errors import Conflict
from apps.common.http import page_number, refuse_unstorable
from apps.library import actions, queries
from apps.library.access import (
    attachment_for,
    link_for,
    references_table_for,
    resource_for,
)
from apps.library.downloads import file_response
from apps.library.serializers import FileIn, LinkIn, ResourceIn, UploadIn, UrlsIn
from apps.library.uploads import BoundedUploadHandler
from apps.library.values import AttachmentView, LinkView, ResourceDetail
from apps.vaults.middleware import actor_of
from apps.vaults.roles import Capability

WRITE = Capability.LIBRARY_WRITE
READ = Capability.LIBRARY_READ


class FileView(APIView):
    """An address that receives one file. The limit holds from the first byte read."""

    parser_classes = (MultiPartParser,)

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Sets the counting handler before anything, the CSRF check included, reads the body."""
        request.upload_handlers = [BoundedUploadHandler(request)]
        return super().initialize_request(request, *args, **kwargs)


class UploadsView(FileView):
    """Bringing in files."""

    def post(self, request: Request) -> Response:
        """A new record titled after the file, or one more file on a record."""
        references_table_for(actor_of(request), WRITE)
        data = _valid(UploadIn, request)
        resource = (
            resource_for(actor_of(request), data["resource"], WRITE) if data["resource"] else None
        )
        attachment = actions.add_resource_from_upload(actor_of(request), data["file"], resource)
        return Response(
            {
                "resource": asdict(
                    queries.resource_detail(actor_of(request), attachment.resource_id)
                ),
                "attachment": asdict(queries.attachment_view(attachment)),
            },
            status=status.HTTP_201_CREATED,
        )


class ResourcesView(APIView):
    """The records an actor sees, and making them out of web addresses."""

    def get(self, request: Request) -> Response:
        """A page of records in alphabetical order, with the facets to narrow it down by."""
        params = request.query_params
        page = queries.library_page(
            actor_of(request),
            params.get("q", ""),
            params.getlist("kind"),
            params.getlist("author"),
            params.getlist("tag"),
            page_number(params.get("page")),
        )
        return Response(asdict(page))

    def post(self, request: Request) -> Response:
        """One record per usable address; the others come back with their reasons."""
        references_table_for(actor_of(request), WRITE)
        added = actions.add_resources_from_urls(actor_of(request), _valid(UrlsIn, request)["urls"])
        return Response(
            {
                "created": [asdict(row) for row in queries.resource_rows(added.created)],
                "refused": [asdict(refusal) for refusal in added.refused],
            },
            status=status.HTTP_201_CREATED,
        )


class ResourceView(APIView):
    """One record."""

    def get(self, request: Request, resource_id: uuid.UUID) -> Response:
        """The record with its files and addresses."""
        return _detail(queries.resource_detail(actor_of(request), resource_id))

    def patch(self, request: Request, resource_id: uuid.UUID) -> Response:
        """Changes columns; with `If-Match` only when nobody else has meanwhile."""
        resource = resource_for(actor_of(request), resource_id, WRITE)
        data = _valid(ResourceIn, request)
        _refuse_lost_update(request, queries.resource_detail(actor_of(request), resource_id))
        actions.update_resource(actor_of(request), resource, data)
        return _detail(queries.resource_detail(actor_of(request), resource_id))

    def delete(self, request: Request, resource_id: uuid.UUID) -> Response:
        """Takes the record out of the library."""
        actions.remove_resource(
            actor_of(request), resource_for(actor_of(request), resource_id, WRITE)
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


class LinksView(APIView):
    """The web addresses of a record."""

    def post(self, request: Request, resource_id: uuid.UUID) -> Response:
        """One more address."""
        resource = resource_for(actor_of(request), resource_id, WRITE)
        link = actions.add_link(actor_of(request), resource, _valid(LinkIn, request)["url"])
        view = LinkView(link.id, link.url, link.created_at)
        return Response(asdict(view), status=status.HTTP_201_CREATED)


class LinkDetailView(APIView):
    """One web address of a record."""

    def delete(self, request: Request, link_id: uuid.UUID) -> Response:
        """Takes the address off its record."""
        actions.remove_link(actor_of(request), link_for(actor_of(request), link_id, WRITE))
        return Response(status=status.HTTP_204_NO_CONTENT)


class AttachmentDetailView(FileView):
    """One file of a record."""

    def get(self, request: Request, attachment_id: uuid.UUID) -> HttpResponseBase:
        """The bytes, or the range asked for; a download unless `?inline=1` and a harmless type."""
        attachment = attachment_for(actor_of(request), attachment_id, READ)
        return file_response(
            request._request,
            attachment.stored_file,
            attachment.filename,
            inline=request.query_params.get("inline") == "1",
        )

    def put(self, request: Request, attachment_id: uuid.UUID) -> Response:
        """Another file behind the same attachment."""
        attachment = attachment_for(actor_of(request), attachment_id, WRITE)
        data = _valid(FileIn, request)
        kept = actions.replace_attachment_file(actor_of(request), attachment, data["file"])
        return Response(_attachment(kept))

    def delete(self, request: Request, attachment_id: uuid.UUID) -> Response:
        """Takes the file off its record."""
        actions.remove_attachment(
            actor_of(request), attachment_for(actor_of(request), attachment_id, WRITE)
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


def _attachment(row: Any) -> dict[str, Any]:
    view: AttachmentView = queries.attachment_view(row)
    return asdict(view)


def _detail(detail: ResourceDetail) -> Response:
    return Response(asdict(detail), headers={"ETag": _etag(detail)})


def _etag(detail: ResourceDetail) -> str:
    return f'"{detail.updated_at.timestamp():.6f}"'


def _refuse_lost_update(request: Request, now: ResourceDetail) -> None:
    wanted = request.headers.get("If-Match")
    if wanted not in {None, "*", _etag(now)}:
        raise Conflict(
            _("Somebody changed this record meanwhile. Load it again, then make your change."),
            code="changed_meanwhile",
        )


def _valid(kind: type[serializers.Serializer[Any]], request: Request) -> Any:
    """The body as the serializer reads it; what breaks its rules is a 400 that names each field."""
    serializer = kind(data=request.data, context={"request": request})
    serializer.is_valid(raise_exception=True)
    refuse_unstorable(
        {name: value for name, value in serializer.validated_data.items() if name != "file"}
    )
    return serializer.validated_data
