"""Which sentences of the evidence answer a question. Pure and deterministic.

A linear score over a dozen readable features. The weights are those of a listwise softmax
fitted on one half of SQuAD 2.0 (English) and checked on the other half and on XQuAD.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

from apps.llm.cues import fit, kind_of
from apps.llm.values import Piece

_PART_OF_WORD = 5
_PART_CREDIT = 0.6
_MANY_NEW_WORDS = 20


class Word(NamedTuple):
    """An informative word: its stem and its folded form as written."""

    stem: str
    form: str


class TextTools(Protocol):
    """The reading of text that this module needs, given by whoever wires it."""

    def sentences(self, text: str, language: str) -> Sequence[tuple[int, int]]:
        """The sentences of a text as [start, end) code points, in order."""

    def words(self, text: str, language: str) -> Sequence[Word]:
        """The words of a text in order, without stopwords."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a piece; `start` and `end` are code points in the piece's text."""

    piece: Piece
    start: int
    end: int
    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        """The sentence, verbatim."""
        return self.piece.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence with its score and the share (0 to 1) of the question's weight it covers."""

    sentence: Sentence
    score: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Asked:
    """The question as one language reads it, its words weighted by how rare they are here."""

    text: str
    language: str
    words: tuple[Word, ...]
    weights: Mapping[str, float]

    def coverage(self, stems: Iterable[str]) -> float:
        """The weighted share of the question's words that the stems hold; parts count less."""
        held = set(stems)
        found = sum(weight * _held(stem, held) for stem, weight in self.weights.items())
        return found / sum(self.weights.values()) if self.weights else 0.0


def _held(stem: str, held: set[str]) -> float:
    if stem in held:
        return 1.0
    if len(stem) < _PART_OF_WORD:
        return 0.0
    return _PART_CREDIT if any(stem in other for other in held) else 0.0


def score_sentences(question: str, pieces: Sequence[Piece], tools: TextTools) -> list[Scored]:
    """Every sentence of the pieces with its score, the best first; ties in the given order."""
    read = [_read(piece, tools) for piece in pieces]
    asked = _asked(question, read, tools)
    scored = [
        one
        for sentences in read
        for one in _score_piece(asked[sentences[0].piece.language], sentences)
    ]
    return sorted(scored, key=lambda one: -one.score)


def _read(piece: Piece, tools: TextTools) -> list[Sentence]:
    spans = tools.sentences(piece.text, piece.language) or [(0, len(piece.text))]
    return [
        Sentence(piece, start, end, tuple(tools.words(piece.text[start:end], piece.language)))
        for start, end in spans
    ]


def _asked(question: str, read: Sequence[Sequence[Sentence]], tools: TextTools) -> dict[str, Asked]:
    """The question per language of the pieces, weighted by rarity among the pieces."""
    frequency = Counter(
        stem
        for sentences in read
        for stem in {word.stem for sentence in sentences for word in sentence.words}
    )
    asked = {}
    for language in {sentences[0].piece.language for sentences in read}:
        words = tuple(tools.words(question, language))
        weights = {word.stem: _rarity(frequency[word.stem], len(read)) for word in words}
        asked[language] = Asked(question, language, words, weights)
    return asked


def _rarity(frequency: int, total: int) -> float:
    """Lucene's idf over the pieces of this turn."""
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))


class Features(NamedTuple):
    """What is known of one sentence; each between about -1 and 1."""

    coverage: float
    piece_score: float
    """How high the search put its piece, 1 for the best."""
    previous: float
    """What the sentence before covers and this one does not: "He died in 1900"."""
    opening: float
    """What the first sentence of the piece covers and this one does not: its subject."""
    elsewhere: float
    """What the rest of the piece covers and this one does not."""
    pairs: float
    """Share of the question's neighbouring words that are neighbours here too."""
    exact: float
    """Share of the question's words present in the very same form."""
    kind: float
    news: float
    """Words that the question does not hold, twenty or more being 1."""
    best: float
    """1 for the sentence of its piece that covers most."""


WEIGHTS = Features(
    coverage=2.9,
    piece_score=3.5,
    previous=2.0,
    opening=1.1,
    elsewhere=0.5,
    pairs=1.7,
    exact=2.9,
    kind=1.0,
    news=-0.7,
    best=1.0,
)


def _score_piece(asked: Asked, sentences: Sequence[Sentence]) -> list[Scored]:
    covered = [asked.coverage(_stems(sentence)) for sentence in sentences]
    return [
        Scored(sentence, _weigh(features_of(asked, sentences, at, covered)), covered[at])
        for at, sentence in enumerate(sentences)
    ]


def _weigh(features: Features) -> float:
    return sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))


def features_of(
    asked: Asked, sentences: Sequence[Sentence], at: int, covered: Sequence[float]
) -> Features:
    """The features of sentence `at` of one piece; `covered` holds the coverage of each."""
    sentence = sentences[at]
    stems = _stems(sentence)
    return Features(
        coverage=covered[at],
        piece_score=sentence.piece.score,
        previous=_added(asked, stems, sentences[at - 1 : at]),
        opening=_added(asked, stems, sentences[:1] if at else ()),
        elsewhere=_added(asked, stems, sentences),
        pairs=_pairs(asked.words, sentence.words),
        exact=_exact(asked.words, sentence.words),
        kind=fit(kind_of(asked.text), sentence.text, asked.text, asked.language),
        news=min(len(stems - set(asked.weights)), _MANY_NEW_WORDS) / _MANY_NEW_WORDS,
        best=float(covered[at] == max(covered)),
    )


def _stems(sentence: Sentence) -> set[str]:
    return {word.stem for word in sentence.words}


def _added(asked: Asked, stems: set[str], others: Sequence[Sentence]) -> float:
    """How much more the question is covered when the others are read too."""
    if not others:
        return 0.0
    union = stems.union(*(_stems(other) for other in others))
    return asked.coverage(union) - asked.coverage(stems)


def _pairs(asked: Sequence[Word], said: Sequence[Word]) -> float:
    wanted = set(pairwise(word.stem for word in asked))
    stems = {word.stem for word in asked}
    kept = [word.stem for word in said if word.stem in stems]
    return len(wanted & set(pairwise(kept))) / max(1, len(wanted))


def _exact(asked: Sequence[Word], said: Sequence[Word]) -> float:
    wanted = {word.form for word in asked}
    return len(wanted & {word.form for word in said}) / max(1, len(wanted))
