"""Byte ranges as RFC 9110 has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library.ranges import Span, UnsatisfiableError, span_of


@pytest.mark.parametrize(
    "header, span",
    [
        (None, None),
        ("", None),
        ("bytes=0-0", (0, 1)),
        ("bytes=0-9", (0, 10)),
        ("bytes=5-", (5, 10)),
        ("bytes=5-99", (5, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-99", (0, 10)),
        ("bytes=-", None),
        ("bytes=7-3", None),
        ("bytes=0-1,3-4", None),
        ("bytes=a-b", None),
        ("items=0-1", None),
        ("bytes=" + "9" * 4000 + "-", None),
    ],
)
def test_one_range_is_understood_and_anything_odd_is_ignored(header, span):
    assert span_of(header, 10) == (Span(*span, 10) if span else None)


@pytest.mark.parametrize("header, size", [("bytes=10-", 10), ("bytes=10-20", 10), ("bytes=-0", 10)])
def test_a_range_behind_the_end_cannot_be_satisfied(header, size):
    with pytest.raises(UnsatisfiableError):
        span_of(header, size)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 40))
def test_a_span_never_leaves_the_file(first, last, size):
    try:
        span = span_of(f"bytes={first}-{last}", size)
    except UnsatisfiableError:
        assert first >= size
        return
    assert span is None or 0 <= span.start < span.end <= size
