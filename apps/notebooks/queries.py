"""What pages and lists show of notebooks: plain values, in a constant number of queries."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.common.pagination import Page, page_of
from apps.common.text import one_line
from apps.jobs.queries import JobView, latest_of
from apps.jobs.values import State
from apps.notebooks.access import may, notebooks_visible_to
from apps.notebooks.models import Notebook, NotebookResource, SourceState
from apps.notebooks.models.notebook import NotebookQuerySet
from apps.notebooks.reasons import note_sentence, sentence_for
from apps.notebooks.values import INGEST, SourceStatus
from apps.vaults.actor import Actor
from apps.vaults.roles import Capability

CARDS_PER_PAGE = 24
SOURCES_PER_PAGE = 50

STATE_LABELS = {
    SourceStatus.PENDING: gettext_lazy("Waiting"),
    SourceStatus.INDEXING: gettext_lazy("Reading"),
    SourceStatus.AVAILABLE: gettext_lazy("Available"),
    SourceStatus.STALE: gettext_lazy("Stale"),
    SourceStatus.ERROR: gettext_lazy("Not readable"),
}


class NotebookState(StrEnum):
    """How a notebook stands, in one word for its card."""

    EMPTY = "empty"
    READING = "reading"
    READY = "ready"
    ATTENTION = "attention"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody's name and initials."""

    name: str
    initials: str


@dataclass(frozen=True, slots=True)
class ProgressView:
    """The run on a notebook: `done` of `total` sources and the one in hand."""

    done: int
    total: int
    item: str
    state: str
    is_stopping: bool
    can_cancel: bool


@dataclass(frozen=True, slots=True)
class RevisionView:
    """A complete revision in short."""

    number: int
    source_count: int
    chunk_count: int
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class NotebookView:
    """A notebook with its counts and what the actor may do with it."""

    id: uuid.UUID
    title: str
    visibility: str
    conversation_mode: str
    grounding_policy: str
    state: NotebookState
    source_count: int
    available_count: int
    attention_count: int
    revision: RevisionView | None
    chat_ready: bool
    can_manage: bool
    can_chat: bool
    progress: ProgressView | None
    failure: str
    last_checked_at: datetime | None
    created_by: Person
    updated_at: datetime

    @property
    def stitches(self) -> int:
        """Stitches on the spine of its card: one for ten sources, from 1 to 12."""
        return min(12, max(1, -(-self.source_count // 10)))


@dataclass(frozen=True, slots=True)
class SourceView:
    """One attachment or link of a resource as it stands in a notebook."""

    id: uuid.UUID
    label: str
    kind: str
    state: SourceStatus
    state_label: str
    reason: str
    reason_sentence: str
    detail: str
    notes: tuple[str, ...]
    page_count: int | None


@dataclass(frozen=True, slots=True)
class ResourceView:
    """A resource of a notebook with its sources."""

    resource_id: uuid.UUID
    title: str
    state: SourceStatus
    state_label: str
    reason_sentence: str
    detail: str
    notes: tuple[str, ...]
    last_checked_at: datetime | None
    page_count: int | None
    sources: tuple[SourceView, ...]


def notebook_cards(actor: Actor, q: str = "", page: int = 1) -> Page[NotebookView]:
    """A page of the notebooks an actor may find, the ones changed last first.

    `q` must occur in the title, without regard to case.
    """
    notebooks = notebooks_visible_to(actor)
    for word in one_line(q, 200).split():
        notebooks = notebooks.filter(title__icontains=word)
    found = page_of(_with_counts(notebooks).order_by("-updated_at", "id"), page, CARDS_PER_PAGE)
    return Page(_views(actor, found.rows), found.number, found.size, found.total)


def notebook_detail(actor: Actor, notebook: Notebook) -> NotebookView:
    """One notebook that the actor was let in to."""
    return _views(actor, _with_counts(Notebook.objects.filter(id=notebook.id)))[0]


def running_notebooks(actor: Actor) -> list[NotebookView]:
    """The visible notebooks that something is being read for now."""
    recent = list(
        _with_counts(notebooks_visible_to(actor)).order_by("-updated_at")[:CARDS_PER_PAGE]
    )
    return [view for view in _views(actor, recent) if view.progress is not None]


def _with_counts(notebooks: NotebookQuerySet) -> NotebookQuerySet:
    return notebooks.select_related("active_revision", "created_by").annotate(
        member_count=Count("members"),
        available=Count(
            "members",
            filter=Q(members__state__in=[SourceStatus.AVAILABLE, SourceStatus.STALE]),
        ),
        attention=Count(
            "members", filter=Q(members__state__in=[SourceStatus.ERROR, SourceStatus.STALE])
        ),
    )


def _views(actor: Actor, notebooks: Iterable[Any]) -> list[NotebookView]:
    rows = list(notebooks)
    jobs = latest_of(INGEST, [str(row.id) for row in rows])
    return [_view(actor, row, jobs.get(str(row.id))) for row in rows]


def _view(actor: Actor, notebook: Any, job: JobView | None) -> NotebookView:
    progress = _progress(actor, notebook, job)
    return NotebookView(
        id=notebook.id,
        title=notebook.title,
        visibility=notebook.visibility,
        conversation_mode=notebook.conversation_mode,
        grounding_policy=notebook.grounding_policy,
        state=_state(notebook, progress),
        source_count=notebook.member_count,
        available_count=notebook.available,
        attention_count=notebook.attention,
        revision=_revision(notebook),
        chat_ready=notebook.is_ready,
        can_manage=may(actor, notebook, Capability.NOTEBOOK_MANAGE),
        can_chat=may(actor, notebook, Capability.NOTEBOOK_CHAT),
        progress=progress,
        failure=_failure(job),
        last_checked_at=notebook.last_checked_at,
        created_by=Person(notebook.created_by.name, notebook.created_by.initials),
        updated_at=notebook.updated_at,
    )


def _state(notebook: Any, progress: ProgressView | None) -> NotebookState:
    if progress is not None:
        return NotebookState.READING
    if notebook.attention:
        return NotebookState.ATTENTION
    return NotebookState.READY if notebook.is_ready else NotebookState.EMPTY


def _revision(notebook: Any) -> RevisionView | None:
    revision = notebook.active_revision
    if revision is None:
        return None
    return RevisionView(
        revision.number, revision.source_count, revision.chunk_count, revision.finished_at
    )


def _progress(actor: Actor, notebook: Any, job: JobView | None) -> ProgressView | None:
    if job is None or job.state not in (State.QUEUED, State.RUNNING):
        return None
    return ProgressView(
        done=job.progress.done,
        total=job.progress.total or notebook.member_count,
        item=job.progress.item,
        state=job.state,
        is_stopping=job.stopping,
        can_cancel=may(actor, notebook, Capability.NOTEBOOK_MANAGE),
    )


def _failure(job: JobView | None) -> str:
    if job is None or job.state is not State.FAILED:
        return ""
    return _("The last reading stopped before its end. What was read is kept.")


def source_rows(notebook: Notebook, page: int = 1) -> Page[ResourceView]:
    """A page of the resources of a notebook by title, each with its sources and their states."""
    members = notebook.members.select_related("resource").order_by("resource__sort_key", "id")
    found = page_of(members, page, SOURCES_PER_PAGE)
    states = _states_of(notebook, [member.resource_id for member in found.rows])
    rows = [_resource(member, states.get(member.resource_id, [])) for member in found.rows]
    return Page(rows, found.number, found.size, found.total)


def _states_of(
    notebook: Notebook, resource_ids: list[uuid.UUID]
) -> dict[uuid.UUID, list[SourceState]]:
    states: QuerySet[SourceState] = (
        SourceState.objects.filter(notebook=notebook, source__resource_id__in=resource_ids)
        .select_related("source__attachment", "source__link", "version")
        .order_by("source__created_at", "source_id")
    )
    by_resource: dict[uuid.UUID, list[SourceState]] = {}
    for state in states:
        by_resource.setdefault(state.source.resource_id, []).append(state)
    return by_resource


def _resource(member: NotebookResource, states: list[SourceState]) -> ResourceView:
    sources = tuple(_source(state) for state in states)
    troubled = next((source for source in sources if source.reason_sentence), None)
    pages = [source.page_count for source in sources if source.page_count]
    status = SourceStatus(member.state)
    return ResourceView(
        resource_id=member.resource_id,
        title=member.resource.title,
        state=status,
        state_label=str(STATE_LABELS[status]),
        reason_sentence=troubled.reason_sentence if troubled else "",
        detail=troubled.detail if troubled else "",
        notes=tuple(dict.fromkeys(note for source in sources for note in source.notes)),
        last_checked_at=member.last_checked_at,
        page_count=sum(pages) if pages else None,
        sources=sources,
    )


def _source(state: SourceState) -> SourceView:
    status = SourceStatus(state.state)
    return SourceView(
        id=state.source_id,
        label=state.source.label,
        kind=state.source.kind,
        state=status,
        state_label=str(STATE_LABELS[status]),
        reason=state.reason,
        reason_sentence=sentence_for(state.reason) if state.reason else "",
        detail=state.detail,
        notes=_notes(state),
        page_count=state.version.page_count if state.version else None,
    )


def _notes(state: SourceState) -> tuple[str, ...]:
    """What to know of the version in use: parts that were left out, repairs."""
    notes = state.version.notes if state.version else []
    said = (note_sentence(note["note"], note["count"]) for note in notes)
    return tuple(sentence for sentence in said if sentence)
