"""The HTTP interface of notebooks: parse, door, action or query, answer."""

import uuid
from dataclasses import asdict
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.common.errors import Conflict, Invalid
from apps.common.http import is_storable, page_number
from apps.library.queries import selector_page
from apps.notebooks import actions, evidence, queries
from apps.notebooks.access import notebook_for
from apps.notebooks.serializers import NewNotebook, NotebookChanges, ResourceIds
from apps.notebooks.values import RevisionState
from apps.vaults.middleware import actor_of
from apps.vaults.roles import Capability

MAX_QUERY = 2000
MAX_SELECTOR_PAGE = 200


class NotebooksView(APIView):
    """The notebooks an actor may find, and making one."""

    def get(self, request: Request) -> Response:
        """A page of notebooks."""
        page = queries.notebook_cards(
            actor_of(request), _text(request, "q"), page_number(request.query_params.get("page"))
        )
        return Response({"results": [asdict(row) for row in page.rows], **page.facts()})

    def post(self, request: Request) -> Response:
        """A new notebook; its resources are read soon."""
        data = _valid(NewNotebook, request)
        notebook = actions.create_notebook(actor_of(request), actions.NotebookDraft(**data))
        href = reverse("notebook", kwargs={"notebook_id": notebook.id})
        view = asdict(queries.notebook_detail(actor_of(request), notebook))
        return Response({**view, "href": href}, status=201, headers={"Location": href})


class NotebookView(APIView):
    """One notebook."""

    def get(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """Its settings, counts and progress."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_READ)
        return Response(asdict(queries.notebook_detail(actor_of(request), notebook)))

    def patch(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """Changes settings."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_MANAGE)
        changed = actions.change_settings(
            notebook, _valid(NotebookChanges, request), by=actor_of(request)
        )
        return Response(asdict(queries.notebook_detail(actor_of(request), changed)))

    def delete(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """Removes the notebook and what was derived for it; records stay."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_MANAGE)
        actions.delete_notebook(notebook, by=actor_of(request))
        return Response(status=204)


class SelectorView(APIView):
    """The records a notebook can be made from."""

    def get(self, request: Request) -> Response:
        """A sorted, faceted page of at most 200 records."""
        params = request.query_params
        size = page_number(params.get("page_size") or "50")
        if size > MAX_SELECTOR_PAGE:
            raise Invalid(
                _("A page holds at most %(most)s records.") % {"most": MAX_SELECTOR_PAGE},
                fields={"page_size": [_("At most %(most)s.") % {"most": MAX_SELECTOR_PAGE}]},
            )
        page = selector_page(
            actor_of(request),
            q=_text(request, "q"),
            kind=params.getlist("kind"),
            author=params.getlist("author"),
            tag=params.getlist("tag"),
            page=page_number(params.get("page")),
            page_size=size,
        )
        return Response(asdict(page))


class SourcesView(APIView):
    """The resources of a notebook."""

    def get(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """A page of resources with their states and sources."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_READ)
        page = queries.source_rows(notebook, page_number(request.query_params.get("page")))
        return Response({"results": [asdict(row) for row in page.rows], **page.facts()})

    def post(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """Adds records; they are read soon."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_MANAGE)
        ids = _valid(ResourceIds, request)["resource_ids"]
        added = actions.add_resources(notebook, ids, by=actor_of(request))
        return Response({"added": added}, status=202)


class SourceView(APIView):
    """One resource of a notebook."""

    def delete(self, request: Request, notebook_id: uuid.UUID, resource_id: uuid.UUID) -> Response:
        """Takes it out at once."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_MANAGE)
        actions.remove_resource(notebook, resource_id, by=actor_of(request))
        return Response(status=204)


class SourceRefreshView(APIView):
    """Reading one resource again."""

    def post(self, request: Request, notebook_id: uuid.UUID, resource_id: uuid.UUID) -> Response:
        """Queues it; 409 while a run is on."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_MANAGE)
        actions.retry_resource(notebook, resource_id)
        return Response(status=202)


class RefreshView(APIView):
    """Comparing all sources with the active revision."""

    def post(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """Queues it; triggers merge."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_MANAGE)
        actions.refresh(notebook, by=actor_of(request))
        return Response(status=202)


class CancelRefreshView(APIView):
    """Stopping the run."""

    def post(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """Asks it to stop; 409 when nothing runs."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_MANAGE)
        actions.cancel_refresh(notebook)
        return Response(status=202)


class SearchView(APIView):
    """Evidence for a query."""

    def get(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """The best passages of the active revision, at most 50."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_READ)
        pin = evidence.pin_now(notebook)
        if pin is None:
            raise Conflict(_("Nothing has been read yet."), code="notebook_not_ready")
        limit = min(page_number(request.query_params.get("limit") or "10"), evidence.MAX_HITS)
        result = evidence.search([pin], _text(request, "q"), limit=limit)
        return Response(
            {
                "revision": pin.revision_number,
                "coverage": result.coverage,
                "results": [asdict(hit) for hit in result.hits],
            }
        )


class EvidenceView(APIView):
    """What a citation points at."""

    def get(self, request: Request, notebook_id: uuid.UUID, chunk_id: int) -> Response:
        """The passage as it was in the revision named, the active one by default."""
        raw = request.query_params.get("revision")
        number = page_number(raw) if raw else None
        opened = evidence.open_citation(actor_of(request), notebook_id, chunk_id, number)
        return Response(citation_json(opened))


def citation_json(opened: evidence.OpenedCitation) -> dict[str, Any]:
    """An opened citation as the viewer reads it; `highlight` counts in before + text + after."""
    is_pdf = opened.media_type == "application/pdf"
    url = reverse(
        "source_file",
        kwargs={"notebook_id": opened.notebook_id, "version_id": opened.version_id},
    )
    offset = len(opened.before)
    return {
        **asdict(opened),
        "highlight": [offset, offset + len(opened.text)],
        "file": {"url": url, "media_type": opened.media_type, "page": opened.locator.get("page")}
        if is_pdf
        else None,
    }


class RevisionsView(APIView):
    """The history of a notebook."""

    def get(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """Its complete revisions, newest first."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_READ)
        complete = notebook.revisions.filter(state=RevisionState.COMPLETE).order_by("-number")
        rows = complete.values("number", "source_count", "chunk_count", "finished_at", "report")
        return Response({"results": list(rows[:100])})


def _valid(shape: type[Any], request: Request) -> dict[str, Any]:
    serializer = shape(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _text(request: Request, name: str) -> str:
    """A text out of the address, cut to a bound; NUL is refused."""
    text = request.query_params.get(name, "")
    if not is_storable(text):
        raise Invalid(
            _("The text holds a character that no text may hold (NUL)."),
            fields={name: [_("Type it again.")]},
        )
    return text[:MAX_QUERY]
