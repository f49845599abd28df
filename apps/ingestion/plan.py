"""What to do with each source of a notebook in a run. Pure."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256


class Work(StrEnum):
    """What a source needs."""

    KEEP = "keep"  # an earlier attempt of this run finished it
    REUSE = "reuse"  # its known version is still right
    READ = "read"  # its file must be read
    CHECK = "check"  # its address must be asked
    SKIP = "skip"  # it failed for a lasting reason, and nothing has changed since


@dataclass(frozen=True, slots=True)
class Known:
    """The version that was read when the source was last seen."""

    version_id: int
    content_hash: str
    extractor: str
    checked_at: datetime


@dataclass(frozen=True, slots=True)
class Failed:
    """A lasting fault: the content it was found in, the readers that tried, and when."""

    content_hash: str
    readers: str
    failed_at: datetime


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A source as it stands before the run. `content_hash` is that of its file; empty for links."""

    id: uuid.UUID
    resource_id: uuid.UUID
    is_link: bool
    content_hash: str
    known: Known | None
    failed: Failed | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """The work on one source; `version_id` is the known version, if there is one."""

    source_id: uuid.UUID
    work: Work
    version_id: int | None


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """One step per source, in order, and the sources that the draft must no longer hold."""

    steps: tuple[Step, ...]
    dropped: frozenset[uuid.UUID]


def plan_refresh(
    sources: Sequence[SourceFacts],
    *,
    held: Collection[uuid.UUID],
    forced: Collection[uuid.UUID],
    extractors: frozenset[str],
    now: datetime,
    ttl: timedelta,
) -> RefreshPlan:
    """The plan of a run.

    `held` are the sources the draft already holds, `forced` the resources to read again in
    any case, `extractors` the names of the extractors of today: what an older one read is
    read again. An address is asked again no sooner than `ttl` after the last time. What failed
    for a lasting reason is left alone until its file, the extractors or `ttl` have changed.
    """
    steps = tuple(
        Step(
            source.id,
            _work(source, held, source.resource_id in forced, extractors, now - ttl),
            source.known.version_id if source.known else None,
        )
        for source in sources
    )
    return RefreshPlan(steps, frozenset(held) - {source.id for source in sources})


def _work(
    source: SourceFacts,
    held: Collection[uuid.UUID],
    is_forced: bool,
    extractors: frozenset[str],
    asked_before: datetime,
) -> Work:
    if source.id in held:
        return Work.KEEP
    if not is_forced and _fails_still(source, readers_of(extractors), asked_before):
        return Work.SKIP
    must_read = Work.CHECK if source.is_link else Work.READ
    if source.known is None or is_forced or source.known.extractor not in extractors:
        return must_read
    if source.is_link:
        return Work.CHECK if source.known.checked_at <= asked_before else Work.REUSE
    return Work.REUSE if source.known.content_hash == source.content_hash else Work.READ


def _fails_still(source: SourceFacts, readers: str, asked_before: datetime) -> bool:
    failed = source.failed
    if failed is None or failed.readers != readers or failed.content_hash != source.content_hash:
        return False
    return not source.is_link or failed.failed_at > asked_before


def readers_of(extractors: frozenset[str]) -> str:
    """One short word for a set of extractors: another set, another word."""
    return sha256(" ".join(sorted(extractors)).encode()).hexdigest()


def must_ask_in_full(checks_since_full: int, *, every: int = 10) -> bool:
    """Whether this check goes without validators, so that a frozen one hides no change for ever."""
    return checks_since_full >= every - 1
