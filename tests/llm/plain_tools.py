"""Reading text in the plainest way: what the tests of the provider stand on."""

import re
from collections.abc import Sequence

from apps.common.text import fold
from apps.llm.scoring import Word
from apps.llm.values import Answerable, Piece, Prompt

SMALL_WORDS = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "in",
        "on",
        "is",
        "was",
        "were",
        "did",
        "does",
        "do",
        "who",
        "when",
        "what",
        "where",
        "how",
        "many",
        "much",
        "and",
        "to",
        "it",
        "he",
        "she",
        "el",
        "la",
        "els",
        "les",
        "de",
        "que",
        "qui",
        "quan",
        "en",
        "es",
        "va",
        "per",
        "un",
        "una",
        "los",
        "las",
        "cuando",
        "quien",
        "het",
        "een",
        "van",
        "wie",
        "wanneer",
        "wat",
        "o",
        "os",
        "as",
        "quem",
        "quando",
    ]
)


class PlainTools:
    """Sentences end with a mark and a space; a word's stem is its first six letters."""

    def sentences(self, text: str) -> Sequence[tuple[int, int]]:
        return [found.span() for found in re.finditer(r"\S.*?(?:[.!?](?=\s|$)|$)", text, re.DOTALL)]

    def words(self, text: str, language: str) -> Sequence[Word]:
        forms = (fold(word) for word in re.findall(r"\w+", text))
        return [Word(form[:6], form) for form in forms if form not in SMALL_WORDS]


def piece(key: str, text: str, **changes: object) -> Piece:
    facts: dict[str, object] = {
        "label": "p. 1",
        "language": "en",
        "score": 1.0,
        "group": "book",
        "order": int(key[1:]),
    }
    return Piece(key=key, text=text, **{**facts, **changes})  # type: ignore[arg-type]


def prompt(
    question: str,
    *pieces: Piece,
    answerable: Answerable = Answerable.YES,
    language: str = "en",
    max_words: int = 60,
) -> Prompt:
    return Prompt(
        system=(),
        history=(),
        question=question,
        evidence=pieces,
        language=language,
        answerable=answerable,
        max_words=max_words,
    )
