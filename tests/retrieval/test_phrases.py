"""Quoted phrases."""

import pytest

from apps.retrieval.phrases import holds_phrases, quoted_phrases


@pytest.mark.parametrize(
    "question, count",
    [
        ('"exact words" here', 1),
        ("“corbes” i «llatines»", 2),
        ('a lone " quote', 0),
        ('""', 0),
        ('" - "', 0),
        ('"twice" and "twice"', 1),
        ("don't and can't", 0),
    ],
)
def test_phrases_are_taken_from_quotes(question: str, count: int) -> None:
    assert len(quoted_phrases(question)) == count


@pytest.mark.parametrize(
    "question, text, holds",
    [
        ('"to be or not to be"', "To be, or not to be: that is the question.", True),
        ('"pension fund"', "the pension\nfund pays", True),
        ('"pension fund"', "the fund of a pension", False),
        ('"pension"', "de pensioenregeling", False),
        ('"funcio"', "la Funció", True),
        ('"knowledge base"', "a know-\nledge base", True),
        ('"one" "two"', "one and two", True),
        ('"one" "three"', "one and two", False),
        ("no quotes", "anything", True),
    ],
)
def test_a_phrase_must_stand_word_for_word(question: str, text: str, holds: bool) -> None:
    assert holds_phrases(text, quoted_phrases(question)) is holds
