"""The default provider: answers with the sentences of the evidence that answer the question.

No key, no network, no model. Deterministic: the same prompt gives the same events.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass

from apps.llm.clauses import best_run, count_words
from apps.llm.scoring import Scored, Sentence, TextTools, score_sentences
from apps.llm.values import Answerable, CitationKey, Finished, ModelEvent, Prompt, TextDelta
from apps.llm.wording import CLOSEST, NOT_ANSWERED, escape_markdown, said

_WORDS_OF_A_LATER_SENTENCE = 40
_FEWEST_WORDS = 6
_MARGIN = 6.0
"""How far below the best score a sentence may lie and still belong to the answer."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a sentence that the answer quotes, [start, end) in its piece's text."""

    sentence: Sentence
    start: int
    end: int

    @property
    def text(self) -> str:
        """The quoted words, verbatim."""
        return self.sentence.piece.text[self.start : self.end]

    @property
    def shown(self) -> str:
        """The passage as Markdown, with an ellipsis where the sentence goes on."""
        before = "" if self.start == self.sentence.start else "… "
        after = "" if self.end == self.sentence.end else " …"
        return f"{before}{escape_markdown(self.text)}{after}"


class ExtractiveClient:
    """Quotes instead of writing; fits `ModelClient`."""

    name = "extractive"
    calls_a_model = False

    def __init__(self, tools: TextTools) -> None:
        self._tools = tools

    async def stream(self, prompt: Prompt) -> AsyncGenerator[ModelEvent, None]:
        """The answer sentence by sentence, each followed by its citation."""
        passages = await asyncio.to_thread(choose, prompt, self._tools)
        for event in _told(prompt, passages):
            yield event
            # Reading is over, so without this the whole answer would leave in one step
            # and nobody could stop it half-way.
            await asyncio.sleep(0)
        yield Finished()


def choose(prompt: Prompt, tools: TextTools) -> list[Passage]:
    """The passages that answer the prompt's question, in reading order; none if none does."""
    if prompt.answerable is Answerable.NO:
        return []
    scored = score_sentences(prompt.question, prompt.language, prompt.evidence, tools)
    # A sentence that holds nothing of the question may rank high for its neighbours' sake.
    speaking = [one for one in scored if one.coverage > 0]
    if prompt.answerable is Answerable.WEAK:
        speaking = speaking[:1]
    return in_reading_order(_within(speaking, prompt.max_words, tools, prompt.question))


def _within(
    scored: Sequence[Scored], max_words: int, tools: TextTools, question: str
) -> list[Passage]:
    """The best passages that fit together into `max_words`, best first."""
    chosen: list[Passage] = []
    left = max_words
    for one in _near_the_best(scored):
        most = left if not chosen else min(left, _WORDS_OF_A_LATER_SENTENCE)
        passage = _fitted(one.sentence, most, tools, question)
        if passage is None or passage.text in {other.text for other in chosen}:
            continue
        chosen.append(passage)
        left -= count_words(passage.text)
        if left < _FEWEST_WORDS:
            break
    return chosen


def _near_the_best(scored: Sequence[Scored]) -> Iterator[Scored]:
    """The sentences whose score is close enough to the best."""
    return (one for one in scored if one.score >= scored[0].score - _MARGIN)


def _fitted(sentence: Sentence, max_words: int, tools: TextTools, question: str) -> Passage | None:
    """The sentence whole, or its best run of clauses, or nothing worth quoting."""
    if count_words(sentence.text) <= max_words:
        return Passage(sentence, sentence.start, sentence.end)
    language = sentence.piece.language
    wanted = {word.stem for word in tools.words(question, language)}

    def worth(text: str) -> float:
        return len(wanted & {word.stem for word in tools.words(text, language)})

    run = best_run(sentence.text, max_words, worth)
    if run is None or count_words(sentence.text[slice(*run)]) < _FEWEST_WORDS:
        return None
    return Passage(sentence, sentence.start + run[0], sentence.start + run[1])


def in_reading_order(passages: Sequence[Passage]) -> list[Passage]:
    """The passages source by source, the best source first, each source from its top down."""
    rank: dict[str, int] = {}
    for passage in passages:
        rank.setdefault(passage.sentence.piece.group, len(rank))
    return sorted(
        passages,
        key=lambda passage: (
            rank[passage.sentence.piece.group],
            passage.sentence.piece.order,
            passage.start,
        ),
    )


def _told(prompt: Prompt, passages: Sequence[Passage]) -> Iterator[ModelEvent]:
    if not passages:
        yield TextDelta(said(NOT_ANSWERED, prompt.language))
        return
    if prompt.answerable is Answerable.WEAK:
        yield TextDelta(said(CLOSEST, prompt.language) + "\n\n")
    before = None
    for passage in passages:
        yield TextDelta(_gap(before, passage) + passage.shown + " ")
        yield CitationKey(passage.sentence.piece.key, (passage.start, passage.end))
        before = passage


def _gap(before: Passage | None, passage: Passage) -> str:
    """A new paragraph for a new source, a space inside one."""
    if before is None:
        return ""
    same = before.sentence.piece.group == passage.sentence.piece.group
    return " " if same else "\n\n"
