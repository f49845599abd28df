"""Taking, keeping and giving back a job's lease. Every write names the fence it is made under."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Subquery
from django.db.models.functions import Now

from apps.common.text import one_line
from apps.jobs import owners
from apps.jobs.merging import merge_payloads
from apps.jobs.models import Job
from apps.jobs.values import (
    DETAIL_LIMIT,
    ITEM_LIMIT,
    Cancelled,
    Json,
    LeaseLost,
    Pace,
    Progress,
    State,
)

_TRIES = 5  # a race is lost to somebody who got on with the work; five in a row are no race


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ended: a final state, or QUEUED to be tried again after `wait`."""

    state: State
    code: str = ""
    detail: str = ""
    result: Json | None = None
    wait: timedelta = timedelta()
    counts: bool = True  # whether the attempt counts against the bound
    progress: Progress | None = None
    advanced: bool = False  # whether the attempt got further than any before


def claim(queues: Iterable[str], pace: Pace) -> Job | None:
    """The next due job of these queues, now running under a new fence; None when nothing is due.

    One conditional UPDATE; on PostgreSQL its subquery passes over rows that others hold.
    """
    for _ in range(_TRIES):
        owner = f"{owners.this_process()}#{secrets.token_hex(6)}"
        try:
            taken = _take_next(list(queues), owner, pace)
        except IntegrityError:  # the same work began to run in between
            continue
        return Job.objects.running().get(lease_owner=owner) if taken else None
    return None


def _take_next(queues: list[str], owner: str, pace: Pace) -> bool:
    with transaction.atomic():
        next_due = Job.objects.due(queues).in_turn().select_for_update(skip_locked=True)
        taken = (
            Job.objects.waiting()
            .filter(pk=Subquery(next_due.values("pk")[:1]))
            .update(
                state=State.RUNNING,
                attempts=F("attempts") + 1,
                fence=F("fence") + 1,
                lease_owner=owner,
                lease_expires_at=Now() + pace.lease,
                claimed_at=Now(),
            )
        )
    return taken == 1


def extend(job_id: int, fence: int, pace: Pace) -> None:
    """Moves the lease's end. Raises `LeaseLost` or `Cancelled`."""
    kept = Job.objects.held(job_id, fence).update(lease_expires_at=Now() + pace.lease)
    _refuse(kept == 1, _cancel_requested(job_id))


def write_progress(job_id: int, fence: int, progress: Progress, advanced: bool, pace: Pace) -> None:
    """Extends the lease and stores the progress. Raises `LeaseLost` or `Cancelled`.

    An attempt that got further than any before starts counting anew: the bound is on
    attempts that achieve nothing, so a long job survives any number of killed workers.
    """
    attempts = {"attempts": 1} if advanced else {}
    kept = Job.objects.held(job_id, fence).update(
        lease_expires_at=Now() + pace.lease, **_progress_columns(progress), **attempts
    )
    _refuse(kept == 1, _cancel_requested(job_id))


def _progress_columns(progress: Progress) -> dict[str, object]:
    return {
        "progress_done": progress.done,
        "progress_total": progress.total,
        "progress_item": one_line(progress.item, ITEM_LIMIT),
    }


def _cancel_requested(job_id: int) -> bool:
    return Job.objects.filter(pk=job_id, cancel_requested_at__isnull=False).exists()


def _refuse(held: bool, cancelled: bool) -> None:
    if not held:
        raise LeaseLost
    if cancelled:
        raise Cancelled


def lock_held(job_id: int, fence: int) -> Job:
    """The job's row, locked until the caller's transaction ends. Raises `LeaseLost` or `Cancelled`.

    While it is locked nobody can sweep, claim or cancel the job: what the transaction
    commits is committed by the runner that holds the lease.
    """
    job = Job.objects.held(job_id, fence).select_for_update().first()
    if job is None:
        raise LeaseLost
    if job.cancel_requested_at is not None:
        raise Cancelled
    return job


def end(job_id: int, fence: int, ending: Ending) -> bool:
    """Writes how the attempt ended; False when the lease was lost and nothing was written."""
    if ending.state == State.QUEUED:
        return _put_back(job_id, fence, ending)
    return _finish(job_id, fence, ending)


def _finish(job_id: int, fence: int, ending: Ending) -> bool:
    written = Job.objects.held(job_id, fence).update(
        state=ending.state,
        lease_expires_at=None,
        finished_at=Now(),
        result=ending.result,
        error_code=ending.code[:60],
        error_detail=one_line(ending.detail, DETAIL_LIMIT),
        **(_progress_columns(ending.progress) if ending.progress else {}),
    )
    return written == 1


def _put_back(job_id: int, fence: int, ending: Ending) -> bool:
    for _ in range(_TRIES):
        try:
            with transaction.atomic():
                return _requeue(job_id, fence, ending)
        except IntegrityError:  # a trigger was queued after we looked for one
            continue
    return False


def _requeue(job_id: int, fence: int, ending: Ending) -> bool:
    """Back to the queue, taking in a trigger that waits: it would run right after anyway."""
    job = Job.objects.held(job_id, fence).select_for_update().first()
    if job is None:
        return False
    if job.cancel_requested_at is not None:
        return _finish(job_id, fence, Ending(State.CANCELLED))
    Job.objects.filter(pk=job_id).update(
        payload=_absorb_waiting(job),
        state=State.QUEUED,
        attempts=(1 if ending.advanced else job.attempts) - (0 if ending.counts else 1),
        available_at=Now() + ending.wait,
        lease_owner="",
        lease_expires_at=None,
        error_code=ending.code[:60],
        error_detail=one_line(ending.detail, DETAIL_LIMIT),
        **(_progress_columns(ending.progress) if ending.progress else {}),
    )
    return True


def _absorb_waiting(job: Job) -> dict[str, object]:
    """The job's payload with that of the waiting trigger for the same work, which is removed."""
    waiting = Job.objects.of(job.kind, job.key).waiting().select_for_update().first()
    if waiting is None:
        return dict(job.payload)
    waiting.delete()
    return merge_payloads(job.payload, waiting.payload)
