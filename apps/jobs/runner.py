"""One worker's loop: claim a due job, let its handler work, write down how it ended."""

import logging
import random
import threading
from collections.abc import Iterable
from dataclasses import replace
from types import TracebackType
from typing import Self

from django.db import InterfaceError, OperationalError, close_old_connections, connections

from apps.common.errors import QuadernError
from apps.jobs import faults, leases, wakeups
from apps.jobs.context import JobContext, stopping
from apps.jobs.leases import Ending
from apps.jobs.models import Job
from apps.jobs.registry import handler_for
from apps.jobs.values import (
    ALL_QUEUES,
    Cancelled,
    Code,
    Fail,
    Json,
    LeaseLost,
    Pace,
    PutBack,
    Retry,
    State,
    Stop,
)

logger = logging.getLogger(__name__)

_DATABASE_FAULTS = (OperationalError, InterfaceError)
_END_WAITS = (0.5, 1.0, 2.0, 4.0, 8.0, 8.0)  # seconds; together less than half a lease


def run_due(
    limit: int | None = None, *, queues: Iterable[str] = ALL_QUEUES, pace: Pace | None = None
) -> int:
    """Runs due jobs one after another until none is due or `limit` is reached; gives their number.

    Raises Django's `OperationalError` when the database cannot be asked for the next job.
    """
    rhythm = pace or Pace()
    served = list(queues)
    ran = 0
    while not stopping.is_set() and (limit is None or ran < limit):
        job = leases.claim(served, rhythm)
        if job is None:
            break
        _run(job, rhythm)
        ran += 1
    return ran


def _run(job: Job, pace: Pace) -> None:
    context = JobContext(job, pace)
    with _Heartbeat(context, pace):
        ending = _attempt(context)
    if ending is not None:
        _write_end(job, replace(ending, progress=context.progress, advanced=context.advanced))


def _attempt(context: JobContext) -> Ending | None:
    """Runs the handler; None when the lease is lost and nothing may be written."""
    try:
        return Ending(State.SUCCEEDED, result=_work(context))
    except LeaseLost:
        logger.warning("Job %s lost its lease and stopped", context.job.id)
        return None
    except Cancelled:
        return Ending(State.CANCELLED)
    except PutBack:
        return Ending(State.QUEUED, counts=False)
    except Stop:
        raise
    except Exception as error:
        return _after_fault(error, context)


def _work(context: JobContext) -> Json | None:
    return handler_for(context.job.kind)(context)


def _after_fault(error: Exception, context: JobContext) -> Ending:
    fault = _as_fault(error, context)
    attempts = 1 if context.advanced else context.job.attempt
    verdict = faults.decide(fault, attempts, random.random())  # noqa: S311 only spreads load
    if isinstance(verdict, faults.Again):
        return Ending(State.QUEUED, fault.reason, fault.detail, wait=verdict.wait)
    return Ending(State.FAILED, fault.reason, fault.detail)


def _as_fault(error: Exception, context: JobContext) -> Retry | Fail:
    """Any exception as a passing or a lasting fault. What nobody foresaw goes to the log in full."""
    if isinstance(error, Retry | Fail):
        return error
    if isinstance(error, QuadernError):
        return Fail(error.code, str(error.sentence))
    if isinstance(error, _DATABASE_FAULTS):
        logger.warning("Job %s could not use the database: %r", context.job.id, error)
        return Retry(Code.DATABASE)
    logger.error("Job %s (%s) failed", context.job.id, context.job.kind, exc_info=error)
    return Retry(Code.INTERNAL)


def _write_end(job: Job, ending: Ending) -> None:
    """Stores the ending, patiently while the database is away; the sweep finds what stays unwritten."""
    for wait in (*_END_WAITS, None):
        try:
            written = leases.end(job.pk, job.fence, ending)
        except _DATABASE_FAULTS as error:
            logger.warning("The end of job %s is not stored yet: %r", job.pk, error)
            close_old_connections()
            if wait is None or stopping.wait(wait):
                return
            continue
        _tell(job, ending, written)
        return


def _tell(job: Job, ending: Ending, written: bool) -> None:
    logger.info("Job %s (%s) %s", job.pk, job.kind, ending.state if written else "was over already")
    if written and ending.state == State.QUEUED and not ending.wait:
        wakeups.announce(job.queue)


class _Heartbeat(threading.Thread):
    """Extends the lease however long a single step of the work takes.

    It has a database connection of its own, opened only by a job that outlives one beat.
    """

    def __init__(self, context: JobContext, pace: Pace) -> None:
        super().__init__(name=f"heartbeat-{context.job.id}", daemon=True)
        self._context = context
        self._pace = pace
        self._over = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        """Beats until the work is over or the lease is lost."""
        try:
            while not self._over.wait(self._pace.beat.total_seconds()):
                if not self._beat():
                    return
        finally:
            connections.close_all()

    def _beat(self) -> bool:
        job = self._context.job
        try:
            close_old_connections()
            leases.extend(job.id, job.fence, self._pace)
        except LeaseLost:
            self._context.lease_lost.set()
            return False
        except Cancelled:
            self._context.cancel_requested.set()
        except _DATABASE_FAULTS as error:
            logger.warning("Heartbeat of job %s missed: %r", job.id, error)
        return True
