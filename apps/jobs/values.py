"""The words and values of durable work. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

MAX_ATTEMPTS = 3
DETAIL_LIMIT = 500
ITEM_LIMIT = 200

Json = Mapping[str, object]


class State(StrEnum):
    """Where a job stands; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Queue(StrEnum):
    """The queues a worker may serve; an embedded worker serves all of them."""

    INGEST = "ingest"
    ANALYSIS = "analysis"
    DEFAULT = "default"


ALL_QUEUES = tuple(Queue)

_QUEUE_OF_KIND = {
    "notebook_ingest": Queue.INGEST,
    "library_import": Queue.INGEST,
    "notebook_analysis": Queue.ANALYSIS,
}


def queue_of(kind: str) -> Queue:
    """The queue whose workers do this kind of job."""
    return _QUEUE_OF_KIND.get(kind, Queue.DEFAULT)


class CancelOutcome(StrEnum):
    """What a request to cancel found and did."""

    CANCELLED = "cancelled"  # it was waiting and is over now
    STOPPING = "stopping"  # it runs and stops at its next checkpoint
    ALREADY_STOPPING = "already_stopping"
    OVER = "over"  # nothing was waiting or running


class Code(StrEnum):
    """The reasons that this app itself gives for an attempt that did not succeed."""

    WORKER_LOST = "worker_lost"
    DATABASE = "database"
    INTERNAL = "internal"
    UNKNOWN_KIND = "unknown_kind"


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a runner does what while it works."""

    lease: timedelta = timedelta(seconds=60)
    beat: timedelta = timedelta(seconds=15)
    write_every: timedelta = timedelta(seconds=0.25)
    turn: timedelta = timedelta(seconds=10)  # after it, another vault's waiting job goes first


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: `done` of `total` items, and the name of the one in hand."""

    done: int = 0
    total: int = 0
    item: str = ""


class Stop(BaseException):
    """Tells a handler to stop now. Let it pass; it ends the attempt, not the process.

    A BaseException, so that a handler's `except Exception` around one item of its work
    never takes it for that item's fault.
    """


class Cancelled(Stop):
    """Somebody asked for the job to end."""


class LeaseLost(Stop):
    """The job belongs to another runner now: nothing more may be written for it."""


class PutBack(Stop):
    """The job makes room, for another vault's or for a worker that shuts down, and goes on later."""


class Retry(Exception):
    """A passing fault: try again later, `after` at the earliest, while attempts are left."""

    def __init__(self, reason: str, detail: str = "", *, after: timedelta | None = None) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.after = after


class Fail(Exception):
    """A lasting fault: the job ends here. `reason` is a code, `detail` for people, ≤500 characters."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
