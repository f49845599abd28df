"""Sentences and which of them answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.analysis import query_terms
from apps.retrieval.spans import (
    MAX_SENTENCE_CHARS,
    best_sentences,
    find_phrase,
    score_sentences,
    sentences,
)


def _cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["Dr. Vidal arrived.", "She left at 10.45 a.m. on Monday."],
        ["El Sr. Puig va pagar 1.250,50 euros.", "Després va marxar."],
        ["Vegeu la pàg. 14 i l'art. 3.", "El text continua."],
        ["¿Cuándo caduca?", "¡Mañana!", "Eso dijo la Sra. Gil."],
        ["O Exmo. Sr. Silva falou.", "Ninguém ouviu."],
        ["Zie art. 12 en bijv. Amsterdam.", "Dat is alles."],
        ["“It works.”", "He smiled."],
        ["J. R. Smith wrote it.", "In 1984."],
        ["Prices rose by 3.5 % in 2024.", "Why?", "Nobody knows…", "Really."],
        ["第一句。", "第二句！"],
        ["She said no.", "Then 3 people left."],
    ],
)
def test_sentences_are_cut_where_a_reader_would(parts: list[str]) -> None:
    joiner = "" if parts[0].endswith("。") else " "
    assert _cut(joiner.join(parts)) == parts


def test_a_wrapped_line_does_not_cut_a_sentence_but_a_blank_one_does() -> None:
    assert _cut("One sentence over\ntwo lines\n\nNext block") == [
        "One sentence over\ntwo lines",
        "Next block",
    ]


def test_list_items_are_sentences() -> None:
    assert _cut("Bring:\n- bread\n- salt") == ["Bring:", "- bread", "- salt"]


def test_a_stretch_without_full_stop_is_cut_at_its_lines() -> None:
    rows = "\n".join(f"row {number}\tvalue {number}" for number in range(100))
    found = _cut(rows)
    assert all(len(sentence) <= MAX_SENTENCE_CHARS for sentence in found)
    assert all(sentence.startswith("row") for sentence in found)


@given(st.text(alphabet="aB1.!? \n\t\"'”)-;。Drp", max_size=120))
def test_only_white_space_lies_between_sentences(text: str) -> None:
    at = 0
    for span in sentences(text):
        assert not text[at : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
        at = span.end
    assert not text[at:].strip()


@given(st.integers(1, 3_000))
def test_a_line_without_any_break_is_cut_to_size(length: int) -> None:
    found = _cut("x" * length)
    assert "".join(found) == "x" * length
    assert max(map(len, found)) <= MAX_SENTENCE_CHARS


def test_the_sentence_that_answers_scores_best() -> None:
    text = "The fund was founded in 1950. Retirement starts at the age of 67. It rains."
    scored = score_sentences(text, query_terms("At what age does retirement start?", ["en"]), "en")
    best = best_sentences(scored, 1)[0]
    assert text[best.span.start : best.span.end] == "Retirement starts at the age of 67."
    assert best.coverage == pytest.approx(1.0)
    assert scored[2].score == 0.0


def test_rare_words_weigh_more_when_their_idf_is_known() -> None:
    text = "The plan is new. The annuity is old."
    question = query_terms("annuity plan", ["en"])
    idf = {"annuiti": 5.0, "annuity": 5.0, "plan": 0.1}
    first, second = score_sentences(text, question, "en", idf)
    assert second.score > first.score


def test_a_question_without_words_matches_no_sentence_by_word() -> None:
    scored = score_sentences("知识检索平台。", query_terms("检索", ["und"]), "und")
    assert scored[0].coverage == 0.0
    assert scored[0].score > 0.0


@pytest.mark.parametrize(
    "text, phrase, wording",
    [
        ("shared know-\nledge base", "knowledge", "know-\nledge"),
        ("The O\ufb03ce", "office", "O\ufb03ce"),
        ("la Funció\nnova", "funcio nova", "Funció\nnova"),
        ("nothing", "absent", None),
        ("nothing", "  ", None),
    ],
)
def test_a_phrase_is_found_in_the_pages_own_wording(
    text: str, phrase: str, wording: str | None
) -> None:
    span = find_phrase(text, phrase)
    assert (span and text[span.start : span.end]) == wording
