"""From a notebook's sources to its next revision: read from top to bottom.

Reading and fetching happen outside every transaction; each source is finished by itself, so
that a killed worker repeats at most one; nobody sees anything before the last line.
"""

import logging
import uuid
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.ingestion import reading
from apps.ingestion.plan import Failed, Known, SourceFacts, Step, Work, plan_refresh, readers_of
from apps.ingestion.reading import Read, Unchanged
from apps.ingestion.values import Failure
from apps.jobs.context import JobContext
from apps.jobs.values import MAX_ATTEMPTS, Cancelled, Json, Retry
from apps.notebooks import access, index, indexing, revisions, sources, states, versions
from apps.notebooks.models import Notebook, Revision
from apps.notebooks.sources import MemberSource
from apps.notebooks.values import RevisionState

log = logging.getLogger(__name__)
ABANDONED_AFTER = timedelta(days=1)


@dataclass(slots=True)
class Run:
    """A run in hand: its draft, its sources, and what became of them so far."""

    context: JobContext
    notebook: Notebook
    draft: Revision
    members: dict[uuid.UUID, MemberSource]
    in_use: dict[uuid.UUID, int]
    counts: dict[str, int] = field(
        default_factory=lambda: {"kept": 0, "reused": 0, "read": 0, "failed": 0}
    )
    passing: list[Failure] = field(default_factory=list)


def refresh_notebook(context: JobContext) -> Json | None:
    """The handler of `notebook_ingest`; its key is the notebook's id."""
    notebook = access.notebook_of_job(context.job.key)
    if notebook is None:
        return {"state": "deleted"}
    run = _begin(context, notebook)
    try:
        _read_sources(run)
        return _finish(run)
    except Cancelled:
        revisions.conclude(run.draft, RevisionState.CANCELLED, run.counts)
        states.mark_interrupted(notebook.id)
        raise


def _begin(context: JobContext, notebook: Notebook) -> Run:
    draft = revisions.begin(notebook.id, job_id=context.job.id, fence=context.job.fence)
    members = {source.id: source for source in sources.member_sources(notebook)}
    states.expect_sources(notebook.id, list(members))
    in_use = revisions.held_sources(draft.base) if draft.base else {}
    return Run(context, notebook, draft, members, in_use)


def _read_sources(run: Run) -> None:
    plan = plan_refresh(
        [_facts(source) for source in run.members.values()],
        held=revisions.held_sources(run.draft),
        forced=_forced(run.context.job.payload),
        extractors=reading.current_extractors(),
        now=timezone.now(),
        ttl=timedelta(seconds=settings.URL_REFRESH_TTL_SECONDS),
    )
    revisions.drop(run.draft, set(plan.dropped))
    total = len(plan.steps)
    for done, step in enumerate(plan.steps):
        source = run.members[step.source_id]
        run.context.checkpoint(done=done, total=total, item=source.holding.resource_title)
        _do(run, step, source)
    run.context.checkpoint(done=total, total=total, item="")


def _facts(source: MemberSource) -> SourceFacts:
    seen, fault = source.seen, source.fault
    return SourceFacts(
        id=source.id,
        resource_id=source.holding.resource_id,
        is_link=source.is_link,
        content_hash=source.holding.sha256,
        known=Known(seen.version_id, seen.content_hash, seen.extractor, seen.checked_at)
        if seen
        else None,
        failed=Failed(fault.content_hash, fault.readers, fault.failed_at) if fault else None,
    )


def _forced(payload: Json) -> set[uuid.UUID]:
    wanted = payload.get("force", [])
    return {uuid.UUID(str(one)) for one in wanted} if isinstance(wanted, list) else set()


def _do(run: Run, step: Step, source: MemberSource) -> None:
    match step.work:
        case Work.KEEP:
            run.counts["kept"] += 1
        case Work.REUSE if step.version_id is not None:
            _use(run, source, step.version_id, "reused")
        case Work.SKIP if source.fault is not None:
            fault = source.fault
            _keep_last_good(run, source, fault.reason, fault.detail)
        case _:
            _read(run, source)


def _read(run: Run, source: MemberSource) -> None:
    """Reads one source in the sandbox and takes what came of it into the draft."""
    states.mark_reading(run.notebook.id, source.id)
    outcome = reading.read_source(run.notebook.vault_id, source, run.context)
    match outcome:
        case Read(version_id):
            _use(run, source, version_id, "read")
        case Unchanged(version_id):
            _use(run, source, version_id, "reused")
        case Failure():
            _keep_last_good(run, source, outcome.reason, outcome.detail)
            _note_fault(run, source, outcome)


def _use(run: Run, source: MemberSource, version_id: int, count: str) -> None:
    indexing.ensure_segment(run.notebook, versions.version_of(version_id))
    # One write: what the draft holds is not looked at again after a kill, nor is its state.
    with transaction.atomic():
        revisions.add(run.draft, source.id, version_id)
        states.mark_available(run.notebook.id, source.id, version_id)
    run.counts[count] += 1


def _note_fault(run: Run, source: MemberSource, failure: Failure) -> None:
    """A passing fault asks for another attempt; a lasting one is not looked for again."""
    if failure.retryable:
        run.passing.append(failure)
        return
    readers = readers_of(reading.current_extractors())
    sources.remember_fault(source, readers=readers, reason=failure.reason, detail=failure.detail)


def _keep_last_good(run: Run, source: MemberSource, reason: str, detail: str) -> None:
    """A failed source stays at the version in use, marked stale; a new one is left out."""
    kept = run.in_use.get(source.id)
    with transaction.atomic():
        if kept is not None:
            revisions.add(run.draft, source.id, kept)
        states.mark_failed(
            run.notebook.id,
            source.id,
            reason=reason,
            detail=detail,
            kept_version_id=kept,
        )
    run.counts["failed"] += 1


def _finish(run: Run) -> Json:
    if revisions.is_unchanged(run.draft):
        revisions.conclude(run.draft, RevisionState.UNCHANGED, run.counts)
    else:
        revisions.activate(run.draft, assert_lease=run.context.assert_lease, report=run.counts)
    _tidy(run.notebook)
    _try_again_later(run)
    return dict(run.counts)


def _tidy(notebook: Notebook) -> None:
    """Removes what retention does not keep, its bytes out of the index, and what killed workers left."""
    revisions.remove_abandoned_versions(timezone.now() - ABANDONED_AFTER)
    removed = revisions.prune(
        notebook.id,
        completed=settings.COMPLETED_REVISION_RETENTION,
        audit=settings.AUDIT_REVISION_RETENTION,
    )
    if removed:
        index.compact(notebook.index_space.pk)


def _try_again_later(run: Run) -> None:
    """Asks for another attempt when a fault may pass; what was read stays in use meanwhile."""
    if not run.passing or run.context.job.attempt >= MAX_ATTEMPTS:
        return
    waits = [failure.retry_after for failure in run.passing if failure.retry_after]
    after = timedelta(seconds=max(waits)) if waits else None
    raise Retry(run.passing[0].reason, run.passing[0].detail, after=after)
