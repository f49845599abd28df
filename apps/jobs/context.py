"""What a handler knows about its job, and how it says that it is alive and how far it is."""

import threading
import time
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from apps.jobs import leases
from apps.jobs.models import Job
from apps.jobs.values import Cancelled, Json, LeaseLost, Pace, Progress, PutBack, State

stopping = threading.Event()  # set when this process is asked to end


@dataclass(frozen=True, slots=True)
class JobFacts:
    """The facts of one attempt; they do not change while it runs."""

    id: int
    kind: str
    key: str
    vault_id: UUID
    queue: str
    payload: Json
    attempt: int
    fence: int


class JobContext:
    """One attempt at a job. Call its methods outside any transaction unless they say otherwise."""

    def __init__(self, job: Job, pace: Pace) -> None:
        self.job = JobFacts(
            id=job.pk,
            kind=job.kind,
            key=job.key,
            vault_id=job.vault_id,
            queue=job.queue,
            payload=job.payload,
            attempt=job.attempts,
            fence=job.fence,
        )
        self.lease_lost = threading.Event()  # set by the heartbeat
        self.cancel_requested = threading.Event()  # set by the heartbeat
        self._pace = pace
        self.progress = job.progress
        self.advanced = False  # further than any attempt before
        self._started = self._written = time.monotonic()

    def checkpoint(
        self, done: int | None = None, total: int | None = None, item: str | None = None
    ) -> None:
        """Says that the work goes on, with its progress if given; call it between any two steps.

        Extends the lease. It is cheap to call often: it writes at most four times a second.
        Raises `Cancelled`, `LeaseLost` or `PutBack`, which a handler lets pass.
        """
        self._note(done, total, item)
        self._stop_if_told()
        if time.monotonic() - self._written >= self._pace.write_every.total_seconds():
            self._write()
            self._make_room()

    def assert_lease(self) -> None:
        """Locks the job's row and proves that this attempt still holds it; inside a transaction only.

        Call it in the transaction that makes the work visible, after locking the rows of
        the work itself (always in this order). Raises `LeaseLost` or `Cancelled`.
        """
        leases.lock_held(self.job.id, self.job.fence)

    def succeed(self, result: Json | None = None) -> None:
        """`assert_lease`, and ends the job in the same transaction as its effect.

        Even a process that dies right after the commit then leaves exactly one effect.
        """
        with transaction.atomic():
            self.assert_lease()
            ending = leases.Ending(State.SUCCEEDED, result=result, progress=self.progress)
            leases.end(self.job.id, self.job.fence, ending)

    def _note(self, done: int | None, total: int | None, item: str | None) -> None:
        """Takes the progress in; a later attempt that counts from the start never shows less."""
        before = self.progress
        new_total = before.total if total is None else total
        new_done = before.done if done is None else done
        if new_total == before.total:
            self.advanced |= new_done > before.done
            new_done = max(new_done, before.done)
        self.progress = Progress(new_done, new_total, before.item if item is None else item)

    def _write(self) -> None:
        leases.write_progress(self.job.id, self.job.fence, self.progress, self.advanced, self._pace)
        self._written = time.monotonic()

    def _stop_if_told(self) -> None:
        if self.lease_lost.is_set():
            raise LeaseLost
        if self.cancel_requested.is_set():
            raise Cancelled
        if stopping.is_set():
            raise PutBack

    def _make_room(self) -> None:
        """Gives way to another vault's waiting job, but only after getting further itself."""
        turn_over = time.monotonic() - self._started >= self._pace.turn.total_seconds()
        if not (self.advanced and turn_over):
            return
        others = Job.objects.due([self.job.queue]).exclude(vault_id=self.job.vault_id)
        if others.exists():
            raise PutBack
