from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.jobs.faults import Again, Over, decide
from apps.jobs.merging import merge_payloads
from apps.jobs.values import MAX_ATTEMPTS, Fail, Queue, Retry, queue_of


@pytest.mark.parametrize(
    "waiting, newer, merged",
    [
        ({}, {"force": ["a"]}, {"force": ["a"]}),
        ({"force": ["a"]}, {}, {"force": ["a"]}),
        ({"force": ["a", "b"]}, {"force": ["b", "c"]}, {"force": ["a", "b", "c"]}),
        ({"all": True}, {"all": False}, {"all": True}),
        ({"all": False}, {"all": True}, {"all": True}),
        ({"by": "clara"}, {"by": "enric"}, {"by": "enric"}),
        ({"deep": {"force": [1]}}, {"deep": {"force": [2]}}, {"deep": {"force": [1, 2]}}),
        ({"mixed": [1]}, {"mixed": "one"}, {"mixed": "one"}),
    ],
)
def test_two_triggers_keep_both_wishes(waiting, newer, merged):
    assert merge_payloads(waiting, newer) == merged


@given(
    st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(0, 5), unique=True)),
    st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(0, 5), unique=True)),
)
def test_no_wish_of_a_list_is_ever_lost_or_doubled(waiting, newer):
    merged = merge_payloads(waiting, newer)
    for name in {*waiting, *newer}:
        assert set(merged[name]) == {*waiting.get(name, []), *newer.get(name, [])}
        assert len(merged[name]) == len(set(merged[name]))


@pytest.mark.parametrize(
    "fault, attempts, spread, verdict",
    [
        (Retry("network"), 1, 0.5, Again(timedelta(seconds=5))),
        (Retry("network"), 2, 0.5, Again(timedelta(seconds=15))),
        (Retry("network"), 1, 0.0, Again(timedelta(seconds=2.5))),
        (Retry("busy", after=timedelta(seconds=90)), 1, 0.5, Again(timedelta(seconds=90))),
        (Retry("busy", after=timedelta(days=9)), 1, 0.5, Again(timedelta(hours=1))),
        (Retry("network"), MAX_ATTEMPTS, 0.5, Over()),
        (Fail("encrypted"), 1, 0.5, Over()),
    ],
)
def test_what_follows_a_fault(fault, attempts, spread, verdict):
    assert decide(fault, attempts, spread) == verdict


@pytest.mark.parametrize(
    "kind, queue",
    [
        ("notebook_ingest", Queue.INGEST),
        ("library_import", Queue.INGEST),
        ("notebook_analysis", Queue.ANALYSIS),
        ("notebook_export", Queue.DEFAULT),
        ("kb_reindex", Queue.DEFAULT),
    ],
)
def test_each_kind_has_its_queue(kind, queue):
    assert queue_of(kind) is queue
