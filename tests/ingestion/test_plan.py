"""What a run does with each source, as a table."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from apps.ingestion.plan import (
    Failed,
    Known,
    SourceFacts,
    Work,
    must_ask_in_full,
    plan_refresh,
    readers_of,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TTL = timedelta(hours=6)
SOURCE, RESOURCE = uuid.uuid4(), uuid.uuid4()


def known(content_hash: str = "a", extractor: str = "pdf/1", hours_ago: float = 1) -> Known:
    return Known(7, content_hash, extractor, NOW - timedelta(hours=hours_ago))


@pytest.mark.parametrize(
    ("is_link", "content_hash", "seen", "held", "forced", "work"),
    [
        (False, "a", None, False, False, Work.READ),
        (False, "a", known("a"), False, False, Work.REUSE),
        (False, "b", known("a"), False, False, Work.READ),
        (False, "a", known("a", "pdf/0"), False, False, Work.READ),
        (False, "a", known("a"), False, True, Work.READ),
        (False, "a", known("a"), True, False, Work.KEEP),
        (False, "b", known("a"), True, True, Work.KEEP),
        (True, "", None, False, False, Work.CHECK),
        (True, "", known(hours_ago=1), False, False, Work.REUSE),
        (True, "", known(hours_ago=6), False, False, Work.CHECK),
        (True, "", known(hours_ago=1), False, True, Work.CHECK),
        (True, "", known(extractor="web/0", hours_ago=1), False, False, Work.CHECK),
    ],
)
def test_each_source_gets_the_work_it_needs(
    is_link: bool, content_hash: str, seen: Known | None, held: bool, forced: bool, work: Work
) -> None:
    plan = plan_refresh(
        [SourceFacts(SOURCE, RESOURCE, is_link, content_hash, seen)],
        held={SOURCE} if held else set(),
        forced={RESOURCE} if forced else set(),
        extractors=frozenset({"pdf/1"}),
        now=NOW,
        ttl=TTL,
    )
    assert [step.work for step in plan.steps] == [work]
    assert plan.steps[0].version_id == (7 if seen else None)


def test_a_source_that_is_gone_is_dropped_from_the_draft() -> None:
    gone = uuid.uuid4()
    plan = plan_refresh([], held={gone}, forced=(), extractors=frozenset(), now=NOW, ttl=TTL)
    assert plan.steps == ()
    assert plan.dropped == {gone}


@pytest.mark.parametrize(("checks", "in_full"), [(0, False), (8, False), (9, True), (30, True)])
def test_every_tenth_check_goes_without_validators(checks: int, in_full: bool) -> None:
    assert must_ask_in_full(checks) is in_full


def failed(content_hash: str = "a", extractors: str = "pdf/1", hours_ago: float = 1) -> Failed:
    readers = readers_of(frozenset({extractors}))
    return Failed(content_hash, readers, NOW - timedelta(hours=hours_ago))


@pytest.mark.parametrize(
    ("is_link", "content_hash", "fault", "forced", "work"),
    [
        (False, "a", failed("a"), False, Work.SKIP),
        (False, "a", failed("a", hours_ago=900), False, Work.SKIP),
        (False, "b", failed("a"), False, Work.READ),
        (False, "a", failed("a", "pdf/0"), False, Work.READ),
        (False, "a", failed("a"), True, Work.READ),
        (True, "", failed(""), False, Work.SKIP),
        (True, "", failed("", hours_ago=6), False, Work.CHECK),
        (True, "", failed(""), True, Work.CHECK),
    ],
)
def test_a_lasting_fault_is_left_alone_until_something_changed(
    is_link: bool, content_hash: str, fault: Failed, forced: bool, work: Work
) -> None:
    plan = plan_refresh(
        [SourceFacts(SOURCE, RESOURCE, is_link, content_hash, None, fault)],
        held=(),
        forced={RESOURCE} if forced else set(),
        extractors=frozenset({"pdf/1"}),
        now=NOW,
        ttl=TTL,
    )
    assert [step.work for step in plan.steps] == [work]
