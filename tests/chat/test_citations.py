"""Keys become numbers on the server; what nobody gave out is dropped and counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.chat.citations import AnswerText, keyed
from apps.chat.values import Support
from apps.llm.values import CitationKey

PIECES = {"S1": "The dam is old. It holds.", "S2": "The mill is new."}


def answer_text() -> AnswerText:
    answer = AnswerText()
    answer.give_out(PIECES)
    return answer


def written(*events: str | CitationKey) -> AnswerText:
    answer = answer_text()
    for event in events:
        if isinstance(event, str):
            answer.add(event)
        else:
            answer.cite(event)
    return answer


def test_numbers_follow_the_order_of_appearance() -> None:
    answer = answer_text()
    numbers = []
    for key in ("S2", "S1", "S2"):
        answer.add(" Words. ")
        marked = answer.cite(CitationKey(key))
        numbers.append(marked.n if marked else None)
    assert numbers == [1, 2, 1]
    assert answer.text == " Words. [1] Words. [2] Words. [1]"


def test_two_passages_of_one_piece_have_two_numbers() -> None:
    answer = answer_text()
    first = answer.cite(CitationKey("S1", (0, 15)))
    second = answer.cite(CitationKey("S1", (16, 25)))
    assert [first and first.n, second and second.n] == [1, 2]


@pytest.mark.parametrize("key", ["S3", "s1", "S", "S1 ", "1", "7", "S11", ""])
def test_a_key_that_was_not_given_out_is_dropped_and_counted(key: str) -> None:
    answer = written("The dam is old. ", CitationKey(key))
    assert (answer.text, answer.unknown, answer.cited) == ("The dam is old. ", 1, 0)


def test_a_citation_supports_what_was_said_since_the_last_one() -> None:
    answer = answer_text()
    answer.add("The dam is old. ")
    first = answer.cite(CitationKey("S1", (0, 15)))
    answer.add("\n\nThe mill is new. ")
    second = answer.cite(CitationKey("S2", (0, 16)))
    assert first
    assert second
    assert answer.text[slice(*first.sentence)] == "The dam is old."
    assert answer.text[slice(*second.sentence)] == "The mill is new."
    assert answer.text[slice(*second.marker)] == "[2]"


def test_a_lead_in_of_its_own_paragraph_is_not_supported() -> None:
    answer = answer_text()
    answer.add("What comes closest:\n\nThe dam is old. ")
    marked = answer.cite(CitationKey("S1", (0, 15)))
    assert marked
    assert answer.text[slice(*marked.sentence)] == "The dam is old."


def test_two_citations_in_a_row_support_the_same_sentence() -> None:
    answer = answer_text()
    answer.add("Both are old.")
    first, second = answer.cite(CitationKey("S1")), answer.cite(CitationKey("S2"))
    assert first
    assert second
    assert first.sentence == second.sentence == (0, 13)


@pytest.mark.parametrize(
    "said, quote, support",
    [
        ("The dam is old. ", (0, 15), Support.VERBATIM),
        ("… The dam is old. … ", (0, 15), Support.VERBATIM),
        ("The dam is new. ", (0, 15), Support.UNCHECKED),
        ("The dam is old. ", None, Support.UNCHECKED),
        ("The dam is old. ", (0, 900), Support.UNCHECKED),
        ("The dam is old. ", (9, 3), Support.UNCHECKED),
        ("The dam is old. ", (-4, 3), Support.UNCHECKED),
    ],
)
def test_only_the_quoted_words_themselves_count_as_verbatim(
    said: str, quote: tuple[int, int] | None, support: Support
) -> None:
    answer = answer_text()
    answer.add(said)
    marked = answer.cite(CitationKey("S1", quote))
    assert marked
    assert marked.support is support
    assert 0 <= marked.quote[0] < marked.quote[1] <= len(PIECES["S1"])


def test_keys_are_opaque_and_start_at_one() -> None:
    assert keyed(3) == ["S1", "S2", "S3"]


EVENTS = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.builds(
            CitationKey,
            st.sampled_from(["S1", "S2", "S9"]),
            st.none() | st.tuples(st.integers(-5, 40), st.integers(-5, 40)),
        ),
    ),
    max_size=30,
)


@given(EVENTS)
def test_offsets_always_point_into_the_answer(events: list[str | CitationKey]) -> None:
    answer = answer_text()
    for event in events:
        if isinstance(event, str):
            answer.add(event)
            continue
        marked = answer.cite(event)
        if marked:
            assert answer.text[slice(*marked.marker)] == f"[{marked.n}]"
            start, end = marked.sentence
            assert 0 <= start <= end <= marked.marker[0]
            assert answer.text[start:end].strip() == answer.text[start:end]
