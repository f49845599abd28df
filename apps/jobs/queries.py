"""Reading jobs: what runs now, and how the work for a key stands. Constant numbers of queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, Q

from apps.jobs.models import Job
from apps.jobs.values import Progress, State


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as other apps see it. `again` says that one more run waits behind the running one."""

    id: int
    kind: str
    key: str
    vault_id: UUID
    state: State
    progress: Progress
    attempts: int
    stopping: bool
    again: bool
    error_code: str
    error_detail: str
    result: dict[str, Any] | None
    available_at: datetime
    created_at: datetime
    finished_at: datetime | None


def latest(kind: str, key: str) -> JobView | None:
    """How the work for this key stands: its running job, else the newest one. One query."""
    return latest_of(kind, [key]).get(key)


def latest_of(kind: str, keys: Iterable[str]) -> dict[str, JobView]:
    """`latest` for the keys of a page; keys without any job are left out. One query."""
    mine = Job.objects.filter(kind=kind, key__in=list(keys))
    newest = mine.order_by().values("key").annotate(newest=Max("pk")).values("newest")
    rows: dict[str, list[Job]] = {}
    for job in mine.filter(Q(pk__in=newest) | Q(state=State.RUNNING)).order_by("pk"):
        rows.setdefault(job.key, []).append(job)
    return {key: _view(jobs) for key, jobs in rows.items()}


def running_for(vault_ids: Iterable[UUID], limit: int = 100) -> tuple[JobView, ...]:
    """What runs in these vaults now, oldest first. One query.

    A vault's member may not see every notebook of it: filter by key before showing.
    """
    jobs = Job.objects.running().filter(vault_id__in=list(vault_ids)).order_by("claimed_at", "pk")
    return tuple(_view([job]) for job in jobs[:limit])


def _view(jobs: Sequence[Job]) -> JobView:
    """Of one work's running and newest job, in order of age, the one that tells how it stands."""
    job = next((one for one in jobs if one.state == State.RUNNING), jobs[-1])
    return JobView(
        id=job.pk,
        kind=job.kind,
        key=job.key,
        vault_id=job.vault_id,
        state=State(job.state),
        progress=job.progress,
        attempts=job.attempts,
        stopping=job.state == State.RUNNING and job.cancel_requested_at is not None,
        again=any(one.state == State.QUEUED for one in jobs if one is not job),
        error_code=job.error_code,
        error_detail=job.error_detail,
        result=job.result,
        available_at=job.available_at,
        created_at=job.created_at,
        finished_at=job.finished_at,
    )
