"""What lists and pages of the library show, in a constant number of queries."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Count
from django.urls import reverse

from apps.common.errors import NotFound
from apps.library.access import resources_visible_to
from apps.library.models import Attachment, Facet, Link, Resource, ResourceQuerySet
from apps.library.values import (
    AttachmentView,
    CataloguePage,
    Facets,
    FacetValue,
    Filters,
    LinkView,
    ResourceDetail,
    ResourceRow,
    SourceLabel,
    filters_of,
)
from apps.vaults.actor import Actor
from apps.vaults.roles import Capability

LIBRARY_PAGE_SIZE = 50
FACET_VALUES = 50


def library_page(
    actor: Actor,
    q: str = "",
    kind: str | Sequence[str] = (),
    author: str | Sequence[str] = (),
    tag: str | Sequence[str] = (),
    page: int = 1,
) -> CataloguePage:
    """A page of all Resources the actor sees, those with nothing to read included.

    Raises Invalid for filters that cannot be used, see `filters_of`.
    """
    filters = filters_of(q, kind, author, tag)
    return _catalogue(resources_visible_to(actor), filters, page, LIBRARY_PAGE_SIZE, hidden=0)


def selector_page(
    actor: Actor,
    *,
    q: str = "",
    kind: str | Sequence[str] = (),
    author: str | Sequence[str] = (),
    tag: str | Sequence[str] = (),
    page: int = 1,
    page_size: int = 50,
) -> CataloguePage:
    """A page of the Resources that a notebook can be made from.

    Those with nothing to read are left out and counted, under the same filters.
    Raises Invalid for filters that cannot be used, see `filters_of`.
    """
    filters = filters_of(q, kind, author, tag)
    seen = resources_visible_to(actor)
    hidden = _narrowed(seen.filter(has_sources=False), filters).count()
    return _catalogue(seen.with_sources(), filters, page, page_size, hidden=hidden)


def _catalogue(
    seen: ResourceQuerySet, filters: Filters, page: int, size: int, *, hidden: int
) -> CataloguePage:
    matching = _narrowed(seen, filters)
    start = (page - 1) * size
    resources = list(matching.order_by("sort_key", "id")[start : start + size])
    return CataloguePage(
        results=resource_rows(resources),
        page=page,
        page_size=size,
        total=matching.count(),
        facets=Facets(*(_facet(seen, filters, name) for name in Facet.Name)),
        hidden_without_sources=hidden,
    )


def _narrowed(
    seen: ResourceQuerySet, filters: Filters, without: Facet.Name | None = None
) -> ResourceQuerySet:
    """The records that pass every filter, but the one on facet `without`."""
    for word in filters.words:
        seen = seen.filter(search_text__contains=word)
    for name in Facet.Name:
        values = getattr(filters, name)
        if values and name is not without:
            chosen = Facet.objects.filter(name=name, value__in=values)
            seen = seen.filter(id__in=chosen.values("resource_id"))
    return seen


def _facet(seen: ResourceQuerySet, filters: Filters, name: Facet.Name) -> tuple[FacetValue, ...]:
    chosen = getattr(filters, name)
    counted = (
        Facet.objects.filter(name=name, resource__in=_narrowed(seen, filters, without=name))
        .values_list("value")
        .annotate(count=Count("id"))
        .order_by("-count", "value")[:FACET_VALUES]
    )
    counts = dict.fromkeys(chosen, 0) | dict(counted)
    return tuple(
        FacetValue(value, _label_of(name, value), count, value in chosen)
        for value, count in counts.items()
        if count
    )


def _label_of(name: Facet.Name, value: str) -> str:
    if name is Facet.Name.KIND and value in Resource.Kind.values:
        return str(Resource.Kind(value).label)
    return value


def resource_rows(resources: Sequence[Resource]) -> tuple[ResourceRow, ...]:
    """The records as rows of a list, with what each holds to read. Two queries."""
    sources = _source_labels([resource.id for resource in resources])
    return tuple(_row(resource, tuple(sources[resource.id])) for resource in resources)


def _row(resource: Resource, sources: tuple[SourceLabel, ...]) -> ResourceRow:
    return ResourceRow(
        id=resource.id,
        title=resource.title,
        kind=resource.kind,
        kind_label=resource.get_kind_display(),
        authors=tuple(resource.authors),
        tags=tuple(resource.tags),
        year=resource.year,
        sources=sources,
        updated_at=resource.updated_at,
    )


def _source_labels(resource_ids: Iterable[uuid.UUID]) -> Mapping[uuid.UUID, list[SourceLabel]]:
    """The things to read of each record, files first. Two queries."""
    labels: dict[uuid.UUID, list[SourceLabel]] = defaultdict(list)
    wanted = list(resource_ids)
    files = Attachment.objects.live().filter(resource_id__in=wanted)
    for resource_id, filename in files.values_list("resource_id", "filename"):
        labels[resource_id].append(SourceLabel("attachment", filename))
    links = Link.objects.live().filter(resource_id__in=wanted)
    for resource_id, url in links.values_list("resource_id", "url"):
        labels[resource_id].append(SourceLabel("url", url))
    return labels


def resource_detail(actor: Actor, resource_id: uuid.UUID) -> ResourceDetail:
    """A record with its files and addresses; NotFound when the actor does not see it."""
    resource = (
        resources_visible_to(actor).select_related("created_by").filter(id=resource_id).first()
    )
    if resource is None:
        raise NotFound
    return ResourceDetail(
        id=resource.id,
        title=resource.title,
        kind=resource.kind,
        kind_label=resource.get_kind_display(),
        authors=tuple(resource.authors),
        tags=tuple(resource.tags),
        year=resource.year,
        body=resource.body,
        attachments=tuple(attachment_views(resource)),
        links=tuple(LinkView(row.id, row.url, row.created_at) for row in resource.links.live()),
        added_by=resource.created_by.name if resource.created_by else "",
        created_at=resource.created_at,
        updated_at=resource.updated_at,
        can_edit=actor.may(Capability.LIBRARY_WRITE),
    )


def attachment_views(resource: Resource) -> list[AttachmentView]:
    """The files of a record in the order they were added. One query."""
    rows = resource.attachments.live().select_related("stored_file")
    return [attachment_view(row) for row in rows]


def attachment_view(row: Attachment) -> AttachmentView:
    """What a page shows of one file; call with its stored file loaded."""
    return AttachmentView(
        id=row.id,
        filename=row.filename,
        media_type=row.stored_file.media_type,
        size=row.stored_file.size,
        href=reverse("api_attachment", args=[row.id]),
        added_at=row.created_at,
    )
