"""The words channel against an independent BM25."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.retrieval import bm25
from apps.retrieval.analysis import analyse
from apps.retrieval.oracle import MAX_CANDIDATES, rescore
from tests.retrieval.builders import Shelf

_WORD = st.sampled_from(["wing", "flow", "shock", "layer", "drag", "heat", "plate", "tube"])
_TEXT = st.lists(_WORD, min_size=1, max_size=30).map(" ".join)


@given(st.lists(_TEXT, min_size=2, max_size=8), _TEXT)
@settings(max_examples=60, deadline=None)
def test_channel_a_scores_like_rank_bm25_with_the_same_statistics(
    texts: list[str], question: str
) -> None:
    ranking = Shelf({7: texts}).search(question, limit=len(texts))
    counted = [analyse(text, "en") for text in texts]
    lengths = [one.word_count for one in counted]
    scores = rescore(
        [one.words for one in counted],
        lengths,
        {fact.term: fact.weight * fact.idf for fact in ranking.terms},
        sum(lengths) / len(lengths),
        k1=bm25.K1,
        b=bm25.B,
    )
    for chunk in ranking.chunks:
        assert chunk.words_score == pytest.approx(scores[chunk.ordinal], rel=1e-4)


def test_idf_is_lucenes() -> None:
    assert bm25.idf(10, 3) == pytest.approx(1.1451323)
    assert bm25.idf(1, 1) > 0


def test_rescoring_no_candidates_gives_no_scores() -> None:
    assert rescore([], [], {}, 1.0, k1=bm25.K1, b=bm25.B) == []


def test_rescoring_refuses_a_whole_notebook() -> None:
    many = [{"a": 1}] * (MAX_CANDIDATES + 1)
    with pytest.raises(ValueError, match="at most 200"):
        rescore(many, [1] * len(many), {"a": 1.0}, 1.0, k1=bm25.K1, b=bm25.B)
