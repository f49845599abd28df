"""What lists and pages of the library show, in a constant number of queries."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, QuerySet, Value
from django.db.models.functions import StrIndex
from django.urls import reverse

from apps.common.errors import NotFound
from apps.library.access import facets_visible_to, resources_visible_to
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
# More ids than this are counted by a join instead of being sent along.
MOST_IDS = 20_000
Counts = dict[str, int]


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
    return _catalogue(_Shelf(actor, only_offered=False), filters, page, LIBRARY_PAGE_SIZE)


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
    return _catalogue(_Shelf(actor, only_offered=True), filters, page, page_size)


class _Shelf:
    """The records a list is about, all that are seen or only those with something to read."""

    def __init__(self, actor: Actor, *, only_offered: bool) -> None:
        self.seen = resources_visible_to(actor)
        self.facets = facets_visible_to(actor)
        self.only_offered = only_offered

    @property
    def offered_facets(self) -> QuerySet[Facet]:
        """The facet values of the records the list is about."""
        return self.facets.filter(is_offered=True) if self.only_offered else self.facets

    def narrowed(self, filters: Filters) -> ResourceQuerySet:
        """The records seen that pass every filter, in no order."""
        seen = self.seen
        for word in filters.words:
            # Not LIKE: the text is folded already, and plain search is three times as fast.
            seen = seen.alias(at=StrIndex("search_text", Value(word))).filter(at__gt=0)
        for name in Facet.Name:
            if values := getattr(filters, name):
                chosen = self.facets.filter(name=name, value__in=values)
                seen = seen.filter(id__in=chosen.values("resource_id"))
        return seen


@dataclass(frozen=True, slots=True)
class _Found:
    """The records of one page out of `total`, how many were hidden, and how often each facet
    value occurs in all.
    """

    resources: Sequence[Resource]
    total: int
    hidden: int
    counts: Mapping[str, Counts]


def _catalogue(shelf: _Shelf, filters: Filters, page: int, size: int) -> CataloguePage:
    part = slice((page - 1) * size, page * size)
    found = _everything(shelf, part) if filters.is_empty else _matching(shelf, filters, part)
    return CataloguePage(
        results=resource_rows(found.resources),
        page=page,
        page_size=size,
        total=found.total,
        facets=Facets(*(_facet(filters, name, found.counts[name]) for name in Facet.Name)),
        hidden_without_sources=found.hidden,
    )


def _everything(shelf: _Shelf, part: slice) -> _Found:
    """Without filters: counted from indexes alone."""
    offered = shelf.seen.with_sources() if shelf.only_offered else shelf.seen
    hidden = shelf.seen.filter(has_sources=False).count() if shelf.only_offered else 0
    resources = list(offered.order_by("sort_key", "id")[part])
    counts = {
        str(name): _counted(shelf.offered_facets.filter(name=name))[name] for name in Facet.Name
    }
    return _Found(resources, offered.count(), hidden, counts)


def _matching(shelf: _Shelf, filters: Filters, part: slice) -> _Found:
    """With filters: the matching records are looked for once, then sorted and counted here."""
    ids, hidden = _ids(shelf, filters)
    counts = _counts_of(shelf, filters, ids)
    for name in Facet.Name:
        if getattr(filters, name):
            counts[name] = _counts_without(shelf, filters, name)
    by_id = Resource.objects.in_bulk(ids[part])
    return _Found([by_id[one] for one in ids[part]], len(ids), hidden, counts)


def _ids(shelf: _Shelf, filters: Filters) -> tuple[list[uuid.UUID], int]:
    """The records of the list in order, and how many more would match but hold nothing to read."""
    found = sorted(shelf.narrowed(filters).values_list("sort_key", "id", "has_sources"))
    ids = [one for _key, one, has_sources in found if has_sources or not shelf.only_offered]
    return ids, len(found) - len(ids)


def _counts_without(shelf: _Shelf, filters: Filters, name: Facet.Name) -> Counts:
    """How often the values of a facet would occur if none of them were chosen."""
    others = replace(filters, **{str(name): ()})
    if others.is_empty:
        return _counted(shelf.offered_facets.filter(name=name))[name]
    return _counts_of(shelf, others, _ids(shelf, others)[0])[name]


def _counts_of(shelf: _Shelf, filters: Filters, ids: Sequence[uuid.UUID]) -> dict[str, Counts]:
    if len(ids) <= MOST_IDS:
        return _counted(Facet.objects.filter(resource_id__in=ids))
    return _counted(shelf.offered_facets.filter(resource__in=shelf.narrowed(filters)))


def _counted(facets: QuerySet[Facet]) -> dict[str, Counts]:
    """How often each value occurs, by facet. One query."""
    counts: dict[str, Counts] = defaultdict(dict)
    for name, value, count in facets.values_list("name", "value").annotate(Count("id")):
        counts[name][value] = count
    return counts


def _facet(filters: Filters, name: Facet.Name, counts: Counts) -> tuple[FacetValue, ...]:
    """The most frequent values, the chosen ones always among them."""
    chosen = getattr(filters, name)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ranked[:FACET_VALUES]
    shown += [pair for pair in ranked[FACET_VALUES:] if pair[0] in chosen]
    return tuple(
        FacetValue(value, _label_of(name, value), count, value in chosen) for value, count in shown
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
