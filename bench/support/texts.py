"""Made-up reading matter with the statistics of real text: Zipf's law, topics, rare names.

Words are those of the demo's English sources and compounds of them, so that stemming,
stopwords and 4-grams meet what they meet in life. Everything follows from the seed.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent.parent / "demo" / "sources" / "en"
TYPES = 60_000
CHARACTERS_PER_CHUNK = 1_085
_TOPIC_WORDS = 400
_TOPIC_SHARE = 0.25
_SHIFT, _SLOPE = 2.7, 1.05  # Zipf–Mandelbrot, as fitted to English prose
_WORD = re.compile(r"[a-z]{2,}")


@dataclass(frozen=True, slots=True)
class Document:
    """A file, and questions whose words stand together in one of its sentences."""

    filename: str
    text: str
    questions: tuple[str, ...]


def documents(count: int, chunks_each: int, seed: int = 20261130) -> Iterator[Document]:
    """`count` text files of about `chunks_each` passages."""
    chance = random.Random(seed)
    language = _Language(chance)
    for number in range(count):
        yield language.document(number, chunks_each * CHARACTERS_PER_CHUNK)


class _Language:
    """The words there are, and how often each is drawn."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._words = _vocabulary(chance)
        weights = (1 / (rank + _SHIFT) ** _SLOPE for rank in range(1, len(self._words) + 1))
        self._cumulated = list(accumulate(weights))

    def document(self, number: int, length: int) -> Document:
        """A file about a topic of its own: a quarter of its words come from a few hundred."""
        start = self._chance.randrange(200, len(self._words) - _TOPIC_WORDS)
        topic = self._words[start : start + _TOPIC_WORDS]
        paragraphs: list[str] = []
        size = 0
        asked: list[list[str]] = []
        while size < length:
            sentences = [self._sentence(topic) for _ in range(self._chance.randint(3, 8))]
            asked.append(sentences[0])
            paragraphs.append(" ".join(map(_written, sentences)))
            size += len(paragraphs[-1]) + 2
        questions = tuple(self._question(words) for words in asked[:: max(1, len(asked) // 8)])
        return Document(f"report-{number:04}.txt", "\n\n".join(paragraphs), questions)

    def _sentence(self, topic: list[str]) -> list[str]:
        length = max(4, round(self._chance.gauss(19, 7)))
        words = self._chance.choices(self._words, cum_weights=self._cumulated, k=length)
        for place in range(length):
            if self._chance.random() < _TOPIC_SHARE:
                words[place] = topic[int(len(topic) * self._chance.random() ** 2)]
        return words

    def _question(self, sentence: list[str]) -> str:
        """A question with three to five of the sentence's words that say something."""
        telling = [word for word in dict.fromkeys(sentence) if len(word) > 4]
        chosen = self._chance.sample(telling, min(len(telling), self._chance.randint(3, 5)))
        return f"What is said about {' and '.join(chosen) or sentence[0]}?"


def _vocabulary(chance: random.Random) -> list[str]:
    """All words by falling frequency: those of real text first, then compounds of them."""
    counted = Counter(
        word
        for path in sorted(SOURCES.glob("*.md"))
        for word in _WORD.findall(path.read_text("utf-8").lower())
    )
    real = [word for word, _count in counted.most_common()]
    stems = [word for word in real if 3 < len(word) < 9]
    words = dict.fromkeys(real)
    while len(words) < TYPES:
        words[chance.choice(stems) + chance.choice(stems)] = None
    return list(words)


def _written(words: list[str]) -> str:
    return f"{' '.join(words).capitalize()}."
