"""Searching and reading evidence inside pinned revisions.

Membership is read now, the revision was pinned then: both on purpose. A removed resource is
out of every search at once; a citation in an old answer still opens what it cited.
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse

from apps.common.errors import NotFound
from apps.notebooks import index
from apps.notebooks.access import notebook_for
from apps.notebooks.locators import locator_label
from apps.notebooks.models import (
    Chunk,
    Notebook,
    NotebookResource,
    Revision,
    RevisionSource,
    SourceVersion,
)
from apps.notebooks.values import CitationStatus, RevisionState
from apps.retrieval.selection import MAX_PER_SOURCE
from apps.vaults.actor import Actor
from apps.vaults.roles import Capability

MAX_HITS = 50
CONTEXT_CHUNKS = 2


@dataclass(frozen=True, slots=True)
class PinnedNotebook:
    """A notebook at one complete revision: what a question may see of it."""

    notebook_id: uuid.UUID
    title: str
    space_id: int
    revision_id: int
    revision_number: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that may be cited. `score` is the fused rank score from 0 to 1."""

    chunk_id: int
    notebook_id: uuid.UUID
    notebook_title: str
    revision_number: int
    source_id: uuid.UUID
    resource_id: uuid.UUID
    resource_title: str
    source_label: str
    kind: str
    language: str
    text: str
    part: int
    start: int
    ordinal: int
    locator: dict[str, Any]
    locator_label: str
    href: str
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best passages, best first, and how much of the question's weight the best covers (0–1)."""

    hits: tuple[Evidence, ...]
    coverage: float


@dataclass(frozen=True, slots=True)
class OpenedCitation:
    """A passage as it was in a revision, with what stands around it and how it stands today."""

    chunk_id: int
    notebook_id: uuid.UUID
    notebook_title: str
    text: str
    before: str
    after: str
    start: int
    end: int
    part_start: int
    locator: dict[str, Any]
    label: str
    lines: list[list[float]]
    source_id: uuid.UUID
    resource_id: uuid.UUID
    title: str
    source_label: str
    kind: str
    media_type: str
    language: str
    page_count: int | None
    version_id: int
    revision: int
    current_revision: int | None
    status: CitationStatus
    fetched_at: datetime | None
    original_url: str
    href: str


def pin_now(notebook: Notebook) -> PinnedNotebook | None:
    """The notebook at its active revision; nothing while it holds no evidence at all."""
    revision = notebook.active_revision
    if revision is None or revision.number is None or revision.source_count == 0:
        return None
    return PinnedNotebook(
        notebook_id=notebook.id,
        title=notebook.title,
        space_id=notebook.index_space.pk,
        revision_id=revision.id,
        revision_number=revision.number,
    )


def citation_href(notebook_id: uuid.UUID, chunk_id: int, revision: int) -> str:
    """The address of a passage in the evidence viewer, stable for ever."""
    path = reverse("evidence", kwargs={"notebook_id": notebook_id, "chunk_id": chunk_id})
    return f"{path}?{urlencode({'revision': revision})}"


def entries_now(
    pin: PinnedNotebook, source_ids: Collection[uuid.UUID] | None = None
) -> QuerySet[RevisionSource]:
    """The sources of the pinned revision whose resources belong to the notebook now."""
    members = NotebookResource.objects.filter(notebook_id=pin.notebook_id)
    entries = RevisionSource.objects.filter(
        revision_id=pin.revision_id, source__resource__in=members.values("resource_id")
    )
    if source_ids is not None:
        entries = entries.filter(source_id__in=source_ids)
    return entries.order_by("version_id")


def search(
    pins: Sequence[PinnedNotebook],
    query: str,
    *,
    limit: int = MAX_HITS,
    source_ids: Collection[uuid.UUID] | None = None,
) -> SearchResult:
    """The passages of the pinned notebooks that fit the query best, at most 50.

    `source_ids` narrows the first notebook, the one of the conversation; others always
    bring all their available sources. Ranks are relative to the best of their own notebook;
    weighed by how much of the question that best one covers, they compare between notebooks.
    One source gives at most two passages, more only where there are too few sources to fill
    the answer.
    """
    found: list[Evidence] = []
    coverage = 0.0
    for position, pin in enumerate(pins):
        entries = entries_now(pin, source_ids if position == 0 else None)
        # A notebook has up to thousands of sources, an answer a few: only those are loaded whole.
        versions = list(entries.values_list("version_id", "version__language"))
        share = max(MAX_PER_SOURCE, -(-limit // max(1, len(versions))))
        ranked = index.search(
            pin.space_id, versions, query, limit=min(limit, MAX_HITS), max_per_source=share
        )
        coverage = max(coverage, ranked.coverage)
        by_version = _by_version(entries, {hit.version_id for hit in ranked.hits})
        chunks = _chunks_of({(hit.version_id, hit.ordinal) for hit in ranked.hits})
        found.extend(
            _evidence(
                pin,
                by_version[hit.version_id],
                chunks[hit.version_id, hit.ordinal],
                hit.score * ranked.coverage,
            )
            for hit in ranked.hits
        )
    found.sort(key=lambda evidence: (-evidence.score, evidence.chunk_id))
    return SearchResult(tuple(found[:limit]), coverage)


def _by_version(
    entries: QuerySet[RevisionSource], version_ids: Collection[int]
) -> dict[int, RevisionSource]:
    loaded = (
        entries.filter(version_id__in=version_ids)
        .select_related("version", "source__resource", "source__attachment", "source__link")
        .only(
            "version__language",
            "source__resource__title",
            "source__attachment__filename",
            "source__link__url",
        )
    )
    return {entry.version_id: entry for entry in loaded}


def _chunks_of(places: Collection[tuple[int, int]]) -> dict[tuple[int, int], Chunk]:
    """The chunks at these versions and ordinals: ids from the index first, then only those rows."""
    versions, ordinals = {place[0] for place in places}, {place[1] for place in places}
    ids = Chunk.objects.filter(version_id__in=versions, ordinal__in=ordinals).order_by()
    wanted = {
        (version_id, ordinal): chunk_id
        for chunk_id, version_id, ordinal in ids.values_list("id", "version_id", "ordinal")
        if (version_id, ordinal) in places
    }
    chunks = Chunk.objects.defer("lines").in_bulk(wanted.values())
    return {place: chunks[chunk_id] for place, chunk_id in wanted.items()}


def _evidence(pin: PinnedNotebook, entry: RevisionSource, chunk: Chunk, score: float) -> Evidence:
    return Evidence(
        chunk_id=chunk.id,
        notebook_id=pin.notebook_id,
        notebook_title=pin.title,
        revision_number=pin.revision_number,
        source_id=entry.source_id,
        resource_id=entry.source.resource_id,
        resource_title=entry.source.resource.title,
        source_label=entry.source.label,
        kind=entry.source.kind,
        language=entry.version.language,
        text=chunk.text,
        part=chunk.part,
        start=chunk.start,
        ordinal=chunk.ordinal,
        locator=chunk.locator,
        locator_label=locator_label(chunk.locator, entry.source.resource.title),
        href=citation_href(pin.notebook_id, chunk.id, pin.revision_number),
        score=score,
    )


def open_citation(
    actor: Actor, notebook_id: uuid.UUID, chunk_id: int, revision_number: int | None
) -> OpenedCitation:
    """What a citation points at, as it was in that revision (the active one by default).

    Raises NotFound when the notebook is invisible or the passage is not in the revision.
    """
    notebook = notebook_for(actor, notebook_id, Capability.NOTEBOOK_READ)
    revision = _revision(notebook, revision_number)
    chunk = Chunk.objects.select_related("version").filter(id=chunk_id).first()
    if chunk is None:
        raise NotFound
    entry = (
        revision.entries.filter(version_id=chunk.version_id)
        .select_related("version", "source__resource", "source__attachment", "source__link")
        .first()
    )
    if entry is None:
        raise NotFound
    return _opened(notebook, revision, entry, chunk)


def _revision(notebook: Notebook, number: int | None) -> Revision:
    if number is None:
        revision = notebook.active_revision
    else:
        revision = notebook.revisions.filter(state=RevisionState.COMPLETE, number=number).first()
    if revision is None:
        raise NotFound
    return revision


def _opened(
    notebook: Notebook, revision: Revision, entry: RevisionSource, chunk: Chunk
) -> OpenedCitation:
    before, after = _around(chunk)
    version, source = entry.version, entry.source
    active = notebook.active_revision
    return OpenedCitation(
        chunk_id=chunk.id,
        notebook_id=notebook.id,
        notebook_title=notebook.title,
        text=chunk.text,
        before="".join(neighbour.text for neighbour in before),
        after="".join(neighbour.text for neighbour in after),
        start=chunk.start,
        end=chunk.end,
        part_start=before[0].start if before else chunk.start,
        locator=chunk.locator,
        label=locator_label(chunk.locator, source.resource.title),
        lines=[line for part in (*before, chunk, *after) for line in part.lines],
        source_id=source.id,
        resource_id=source.resource_id,
        title=source.resource.title,
        source_label=source.label,
        kind=source.kind,
        media_type=version.media_type,
        language=version.language,
        page_count=version.page_count,
        version_id=version.id,
        revision=revision.number or 0,
        current_revision=active.number if active else None,
        status=_status(notebook, entry),
        fetched_at=version.fetched_at,
        original_url=version.final_url,
        href=citation_href(notebook.id, chunk.id, revision.number or 0),
    )


def _around(chunk: Chunk) -> tuple[list[Chunk], list[Chunk]]:
    """The neighbours of a chunk within its page or section, in reading order."""
    neighbours = Chunk.objects.filter(
        version_id=chunk.version_id,
        part=chunk.part,
        ordinal__range=(max(0, chunk.ordinal - CONTEXT_CHUNKS), chunk.ordinal + CONTEXT_CHUNKS),
    ).order_by("ordinal")
    ordered = list(neighbours)
    before = [other for other in ordered if other.ordinal < chunk.ordinal]
    return before, [other for other in ordered if other.ordinal > chunk.ordinal]


def _status(notebook: Notebook, entry: RevisionSource) -> CitationStatus:
    if not notebook.members.filter(resource_id=entry.source.resource_id).exists():
        return CitationStatus.REMOVED
    is_current = RevisionSource.objects.filter(
        revision=notebook.active_revision, version_id=entry.version_id
    ).exists()
    return CitationStatus.CURRENT if is_current else CitationStatus.SUPERSEDED


def version_for(actor: Actor, notebook_id: uuid.UUID, version_id: int) -> RevisionSource:
    """The door to the stored file of a version: held by any revision of a visible notebook."""
    notebook = notebook_for(actor, notebook_id, Capability.NOTEBOOK_READ)
    entry = (
        RevisionSource.objects.filter(
            revision__notebook=notebook,
            revision__state=RevisionState.COMPLETE,
            # Asked of the version itself: only there an impossible number simply matches nothing.
            version__in=SourceVersion.objects.filter(id=version_id),
        )
        .select_related("version__stored_file", "source__attachment", "source__link")
        .first()
    )
    if entry is None:
        raise NotFound
    return entry
