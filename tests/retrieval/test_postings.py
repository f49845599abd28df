"""Segments: building, storing, merging, leaving chunks out."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.retrieval.analysis import analyse
from apps.retrieval.postings import (
    GRAMS,
    MAX_TF,
    WORDS,
    Segment,
    build_segment,
    decode_pages,
    encode_pages,
    keep_chunks,
    merge_segments,
    page_bits,
    slot_of,
    stored_size,
    term_key,
)

_TEXT = st.text(alphabet="abcdé ’-知识\n", max_size=80)
_TEXTS = st.lists(_TEXT, min_size=1, max_size=6)


def _same(left: Segment, right: Segment) -> bool:
    columns = ("keys", "ordinals", "tfs", "word_lengths", "gram_lengths")
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in columns)


def _expected(texts: list[str], language: str) -> dict[tuple[int, int], int]:
    found: Counter[tuple[int, int]] = Counter()
    for ordinal, text in enumerate(texts):
        counted = analyse(text, language)
        for channel, terms in ((WORDS, counted.words), (GRAMS, counted.grams)):
            for term, times in terms.items():
                found[term_key(channel, term), ordinal] += times
    return dict(found)


@given(_TEXTS, st.sampled_from(["en", "ca", "und"]))
def test_a_segment_holds_what_analysis_says_of_each_chunk(texts: list[str], language: str) -> None:
    segment = build_segment(texts, language)
    places = zip(segment.keys.tolist(), segment.ordinals.tolist(), strict=True)
    assert dict(zip(places, segment.tfs.tolist(), strict=True)) == _expected(texts, language)
    counted = [analyse(text, language) for text in texts]
    assert segment.word_lengths.tolist() == [one.word_count for one in counted]
    assert segment.gram_lengths.tolist() == [one.gram_count for one in counted]


@given(_TEXTS, st.integers(0, 12))
def test_pages_give_back_the_segment(texts: list[str], bits: int) -> None:
    segment = build_segment(texts, "en")
    pages = [page for _, page in encode_pages(segment, bits)]
    restored = decode_pages(pages, segment.word_lengths, segment.gram_lengths)
    assert _same(restored, segment)


def test_pages_of_a_large_segment_give_it_back() -> None:
    segment = build_segment([f"common word{number}" for number in range(400)], "en")
    pages = [page for _, page in encode_pages(segment, page_bits(stored_size(segment)))]
    assert len(pages) > 1
    assert _same(decode_pages(pages, segment.word_lengths, segment.gram_lengths), segment)


@given(_TEXTS)
def test_each_key_lies_in_the_slot_that_is_asked_for_it(texts: list[str]) -> None:
    segment = build_segment(texts, "en")
    slots = {slot for slot, _ in encode_pages(segment, 3)}
    assert slots == {slot_of(key, 3) for key in segment.keys.tolist()}


@given(st.lists(_TEXTS, min_size=1, max_size=4))
@settings(max_examples=40)
def test_merging_segments_is_indexing_their_chunks_together(groups: list[list[str]]) -> None:
    merged = merge_segments([build_segment(texts, "en") for texts in groups])
    assert _same(merged, build_segment([text for texts in groups for text in texts], "en"))


@given(_TEXTS, st.data())
@settings(max_examples=40)
def test_leaving_chunks_out_is_never_having_indexed_them(
    texts: list[str], data: st.DataObject
) -> None:
    kept = data.draw(st.sets(st.sampled_from(range(len(texts))), min_size=1))
    ranges = [(ordinal, 1) for ordinal in sorted(kept)]
    left = keep_chunks(build_segment(texts, "en"), ranges)
    assert _same(left, build_segment([texts[ordinal] for ordinal in sorted(kept)], "en"))


def test_a_frequency_above_a_byte_is_held_at_the_largest() -> None:
    segment = build_segment(["echo " * 1_000], "en")
    assert int(segment.tfs.max()) == MAX_TF
    assert segment.word_lengths.tolist() == [1_000]


def test_words_and_grams_never_share_a_key() -> None:
    assert term_key(WORDS, "_abc") != term_key(GRAMS, "_abc")


def test_a_segment_refuses_more_chunks_than_ordinals() -> None:
    with pytest.raises(ValueError, match="at most 16384 chunks"):
        build_segment([""] * 16_385, "en")


def test_a_segment_without_terms_has_no_pages() -> None:
    segment = build_segment(["", "  "], "en")
    assert list(encode_pages(segment, page_bits(stored_size(segment)))) == []
    assert _same(decode_pages([], segment.word_lengths, segment.gram_lengths), segment)
