"""The quoting provider: verbatim, in reading order, within its words, honest when it cannot."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.llm.clauses import count_words
from apps.llm.extractive import ExtractiveClient, choose
from apps.llm.scoring import Word, best_coverage
from apps.llm.values import (
    Answerable,
    CitationKey,
    Finished,
    ModelEvent,
    Piece,
    Prompt,
    TextDelta,
    Usage,
)
from apps.llm.wording import CLOSEST, NOT_ANSWERED, unescape_markdown
from tests.llm.plain_tools import PlainTools, piece, prompt

TOOLS = PlainTools()
DAM = piece(
    "S1",
    "The valley is green. The dam was built by Marta Soler in 1953. It holds 40 million litres.",
)
MILL = piece("S2", "The mill grinds corn. Nobody knows its age.", group="mill", score=0.4)


async def events_of(asked: Prompt) -> list[ModelEvent]:
    return [event async for event in ExtractiveClient(TOOLS).stream(asked)]


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def quotes_of(asked: Prompt) -> list[str]:
    return [passage.text for passage in choose(asked, TOOLS)]


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("Who built the dam?", "The dam was built by Marta Soler in 1953."),
        ("When was the dam built?", "The dam was built by Marta Soler in 1953."),
        ("How many litres does the dam hold?", "It holds 40 million litres."),
        ("What grinds the mill?", "The mill grinds corn."),
    ],
)
def test_the_sentence_that_answers_is_quoted(question: str, wanted: str) -> None:
    assert wanted in quotes_of(prompt(question, DAM, MILL))


@pytest.mark.parametrize(
    "language, question, text, wanted",
    [
        ("ca", "Quan es va construir la presa?", "La presa és alta. La presa es va construir el 1953.", "1953"),
        ("es", "¿Cuándo se construyó la presa?", "La presa es alta. La presa se construyó en 1953.", "1953"),
        ("pt", "Quem construiu a barragem?", "A barragem é alta. A barragem foi construída por Marta Soler.", "Marta"),
        ("nl", "Wie bouwde de dam?", "De dam is hoog. De dam is gebouwd door Marta Soler.", "Marta"),
    ],
)  # fmt: skip
def test_the_best_sentence_fits_what_is_asked_in_every_language(
    language: str, question: str, text: str, wanted: str
) -> None:
    best = choose(
        prompt(question, piece("S1", text, language=language), max_words=9, language=language),
        TOOLS,
    )
    assert wanted in best[0].text


async def test_every_sentence_is_followed_by_the_key_of_its_piece() -> None:
    events = await events_of(prompt("Who built the dam and what does the mill grind?", DAM, MILL))
    assert isinstance(events[-1], Finished)
    told = events[:-1]
    assert [type(event) for event in told] == [TextDelta, CitationKey] * (len(told) // 2)
    assert {event.key for event in told if isinstance(event, CitationKey)} == {"S1", "S2"}


async def test_the_shown_sentence_is_the_quoted_passage() -> None:
    events = await events_of(prompt("Who built the dam?", DAM))
    said = [event.text.strip() for event in events if isinstance(event, TextDelta)]
    cited = [event.quote for event in events if isinstance(event, CitationKey)]
    assert [DAM.text[slice(*quote)] for quote in cited if quote] == said


async def test_the_same_prompt_gives_the_same_events() -> None:
    asked = prompt("Who built the dam?", DAM, MILL)
    assert await events_of(asked) == await events_of(asked)


def test_passages_stand_in_reading_order_with_the_best_source_first() -> None:
    first = piece("S2", "The dam is old. The dam is made of stone.", order=9)
    earlier = piece("S1", "The dam is made for the river Ter.", order=3)
    chosen = choose(prompt("What is the dam made of?", first, earlier), TOOLS)
    assert [(one.sentence.piece.order, one.start) for one in chosen][-1:] == [(9, 16)]


def test_the_same_sentence_in_two_sources_is_quoted_once() -> None:
    copy = piece("S2", DAM.text, group="copy")
    quotes = quotes_of(prompt("Who built the dam?", DAM, copy))
    assert len(quotes) == len(set(quotes))


async def test_a_question_nothing_answers_is_told_so_and_nothing_is_cited() -> None:
    events = await events_of(prompt("Which comet passed?", DAM))
    assert events == [TextDelta(NOT_ANSWERED["en"]), Finished()]


@pytest.mark.parametrize("language", ["en", "ca", "es", "pt", "nl"])
async def test_no_evidence_is_said_in_the_language_of_the_answer(language: str) -> None:
    events = await events_of(prompt("?", answerable=Answerable.NO, language=language))
    assert text_of(events) == NOT_ANSWERED[language]


async def test_an_unknown_language_is_answered_in_english() -> None:
    events = await events_of(prompt("?", answerable=Answerable.NO, language="sw"))
    assert text_of(events) == NOT_ANSWERED["en"]


async def test_weak_evidence_gives_one_passage_behind_a_plain_word() -> None:
    events = await events_of(prompt("Who built the dam?", DAM, answerable=Answerable.WEAK))
    assert text_of(events).startswith(CLOSEST["en"])
    assert sum(isinstance(event, CitationKey) for event in events) == 1


async def test_a_long_sentence_is_shortened_at_its_clauses_and_says_so() -> None:
    names = ", ".join(f"engineer number {number} of the works" for number in range(20))
    long = piece("S1", f"The list holds {names}, and the dam was paid for by the city of Girona.")
    events = await events_of(prompt("Who paid for the dam?", long, max_words=20))
    shown = text_of(events).strip()
    assert shown.startswith("… ")
    assert "paid for by the city of Girona." in shown
    assert count_words(shown) <= 21


async def test_markup_in_a_source_stays_text() -> None:
    hostile = "The dam is *great* [1] <img src=x> and `free`."
    events = await events_of(prompt("What is the dam?", piece("S1", hostile)))
    shown = text_of(events).strip()
    assert shown == r"The dam is \*great\* \[1\] \<img src=x\> and \`free\`."
    assert unescape_markdown(shown) == hostile


async def test_stopping_between_two_sentences_ends_the_stream() -> None:
    stream = ExtractiveClient(TOOLS).stream(prompt("Who built the dam?", DAM, MILL))
    first = await anext(stream)
    await stream.aclose()
    assert isinstance(first, TextDelta)
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


def test_tokens_add_up() -> None:
    assert Usage(1, 2, 3) + Usage(10, 20, 30) == Usage(11, 22, 33)


TEXTS = st.text(alphabet="abc dam .,!?;\n—()[]*éü1", min_size=1, max_size=300)


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(6, 60))
def test_whatever_the_sources_quotes_are_verbatim_and_fit(texts: list[str], words: int) -> None:
    pieces: list[Piece] = [piece(f"S{n}", text) for n, text in enumerate(texts, 1)]
    asked = prompt("a dam abc", *pieces, max_words=words)
    chosen = choose(asked, TOOLS)
    assert all(one.text == one.sentence.piece.text[one.start : one.end] for one in chosen)
    assert sum(count_words(one.text) for one in chosen) <= words
    shown = asyncio.run(events_of(asked))
    assert sum(isinstance(event, CitationKey) for event in shown) == len(chosen)


@pytest.mark.parametrize(
    "question, text, low, high",
    [
        ("Who built the dam?", "The dam was built by Marta Soler.", 1.0, 1.0),
        ("Who painted the dam?", "The dam was built by Marta Soler.", 0.3, 0.7),
        ("Which comet passed?", "The dam was built by Marta Soler.", 0.0, 0.0),
        ("Who?", "The dam was built by Marta Soler.", 0.0, 0.0),
    ],
)
@pytest.mark.parametrize("others", [0, 50])
def test_coverage_means_the_same_in_a_small_and_in_a_large_notebook(
    question: str, text: str, low: float, high: float, others: int
) -> None:
    filler = [piece(f"S{n}", f"Page {n} tells of corn.") for n in range(2, others + 2)]
    share = best_coverage(question, "en", [piece("S1", text), *filler], TOOLS)
    assert low <= share <= high


def test_small_words_of_the_question_are_looked_for_in_no_language() -> None:
    class TwoTongues(PlainTools):
        def words(self, text: str, language: str) -> Sequence[Word]:
            found = [Word(form, form) for form in text.lower().strip("?.").split()]
            return [word for word in found if language != "en" or word.form not in ("what", "is")]

    catalan = piece("S1", "what is cap edifici", language="ca")
    assert best_coverage("What is comet?", "en", [catalan], TwoTongues()) == 0
