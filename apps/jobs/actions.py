"""What other apps may do with jobs: queue, cancel; and the sweep that repairs what broke."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from apps.jobs import leases, wakeups
from apps.jobs.leases import Ending
from apps.jobs.merging import merge_payloads
from apps.jobs.models import Job
from apps.jobs.values import (
    ALL_QUEUES,
    MAX_ATTEMPTS,
    CancelOutcome,
    Code,
    Json,
    State,
    queue_of,
)

logger = logging.getLogger(__name__)

_TRIES = 5
_SWEEP_LIMIT = 200
_KEPT = timedelta(days=14)


def enqueue(kind: str, key: str, payload: Json | None = None, *, vault_id: UUID) -> Job:
    """Queues the work, in the caller's transaction if there is one; the wake-up leaves on commit.

    A trigger for work that waits already is merged into it (`merge_payloads`). One for work
    that runs makes exactly one more run afterwards. Either way: whatever the caller's
    transaction commits is seen by a run that starts later.
    """
    with transaction.atomic():
        job = _merge_or_create(kind, key, dict(payload or {}), vault_id)
        transaction.on_commit(partial(wakeups.announce, job.queue))
    return job


def _merge_or_create(kind: str, key: str, payload: dict[str, object], vault_id: UUID) -> Job:
    for _ in range(_TRIES):
        job = _merge(kind, key, payload) or _create(kind, key, payload, vault_id)
        if job is not None:
            return job
    raise IntegrityError(f"{kind} {key} could not be queued in {_TRIES} tries.")


def _merge(kind: str, key: str, payload: dict[str, object]) -> Job | None:
    """The waiting job with this trigger taken in. Its lock keeps runners away until the commit."""
    job = Job.objects.of(kind, key).waiting().select_for_update().first()
    if job is None:
        return None
    job.payload = merge_payloads(job.payload, payload)
    Job.objects.filter(pk=job.pk).update(payload=job.payload, available_at=Now())
    return job


def _create(kind: str, key: str, payload: dict[str, object], vault_id: UUID) -> Job | None:
    """A new waiting job; None when another trigger was first. Fences go on rising over all jobs of a work."""
    last_fence = Job.objects.of(kind, key).order_by("-pk").values_list("fence", flat=True).first()
    try:
        with transaction.atomic():
            return Job.objects.create(
                kind=kind,
                key=key,
                payload=payload,
                vault_id=vault_id,
                queue=queue_of(kind),
                fence=last_fence or 0,
            )
    except IntegrityError:
        return None


def request_cancel(kind: str, key: str) -> CancelOutcome:
    """Ends the work: what waits at once, what runs at its next checkpoint. Never an error.

    Safe to repeat, also after the end; a trigger that comes later runs as usual.
    """
    with transaction.atomic():
        jobs = list(
            Job.objects.of(kind, key)
            .filter(state__in=[State.QUEUED, State.RUNNING])
            .select_for_update()
            .order_by("pk")
        )
        waiting = [job for job in jobs if job.state == State.QUEUED]
        running = [job for job in jobs if job.state == State.RUNNING]
        _cancel_waiting(waiting)
        _ask_to_stop(running)
    return _outcome(waiting, running)


def _cancel_waiting(waiting: list[Job]) -> None:
    Job.objects.filter(pk__in=[job.pk for job in waiting]).update(
        state=State.CANCELLED, cancel_requested_at=Now(), finished_at=Now()
    )


def _ask_to_stop(running: list[Job]) -> None:
    Job.objects.filter(pk__in=[job.pk for job in running], cancel_requested_at__isnull=True).update(
        cancel_requested_at=Now()
    )


def _outcome(waiting: list[Job], running: list[Job]) -> CancelOutcome:
    if any(job.cancel_requested_at is None for job in running):
        return CancelOutcome.STOPPING
    if running:
        return CancelOutcome.ALREADY_STOPPING
    return CancelOutcome.CANCELLED if waiting else CancelOutcome.OVER


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep found: jobs put back, jobs given up, queues woken, old rows removed."""

    put_back: int
    given_up: int
    woken: tuple[str, ...]
    removed: int


def sweep() -> SweepReport:
    """Frees jobs whose runner died, wakes the queues that have due work, forgets old jobs.

    Any number of processes may sweep at any time.
    """
    endings = [ending for job in _abandoned() if (ending := _release(job)) is not None]
    woken = _wake_due()
    removed, _ = Job.objects.filter(
        pk__in=list(Job.objects.old(_KEPT).values_list("pk", flat=True)[:_SWEEP_LIMIT])
    ).delete()
    given_up = sum(ending.state == State.FAILED for ending in endings)
    return SweepReport(len(endings) - given_up, given_up, woken, removed)


def _abandoned() -> list[Job]:
    expired = list(Job.objects.abandoned()[:_SWEEP_LIMIT])
    known = {job.pk for job in expired}
    live = Job.objects.running().exclude(pk__in=known)[:_SWEEP_LIMIT]
    return expired + [job for job in live if job.owner_is_gone]


def _release(job: Job) -> Ending | None:
    """Ends the dead runner's attempt; None when somebody else did or the runner came back."""
    ending = _after_loss(job)
    with transaction.atomic():
        if not _still_abandoned(job):
            return None
        leases.end(job.pk, job.fence, ending)
    logger.warning(
        "Job %s (%s) was left by %s: %s", job.pk, job.kind, job.lease_owner, ending.state
    )
    return ending


def _still_abandoned(job: Job) -> bool:
    held = Job.objects.held(job.pk, job.fence)
    left = held if job.owner_is_gone else held & Job.objects.abandoned()
    return left.select_for_update(skip_locked=True).first() is not None


def _after_loss(job: Job) -> Ending:
    if job.cancel_requested_at is not None:
        return Ending(State.CANCELLED)
    if job.attempts >= MAX_ATTEMPTS:
        return Ending(State.FAILED, Code.WORKER_LOST)
    return Ending(State.QUEUED, Code.WORKER_LOST)


def _wake_due() -> tuple[str, ...]:
    queues = (
        Job.objects.due(ALL_QUEUES).order_by("queue").values_list("queue", flat=True).distinct()
    )
    woken = tuple(queues)
    for queue in woken:
        wakeups.announce(queue)
    return woken
