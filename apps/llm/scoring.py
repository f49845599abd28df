"""Which sentences of the evidence answer a question. Pure and deterministic.

A linear score over a dozen readable features. The weights are those of a listwise softmax
fitted on one half of SQuAD 2.0 (English) and checked on the other half and on XQuAD.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

from apps.llm.cues import Kind, fit, kind_of
from apps.llm.values import Piece

_PART_OF_WORD = 5
_PART_CREDIT = 0.6
_MANY_NEW_WORDS = 20
_PIECES_BESIDE = 100


class Word(NamedTuple):
    """An informative word: its stem and its folded form as written."""

    stem: str
    form: str


class TextTools(Protocol):
    """The reading of text that this module needs, given by whoever wires it."""

    def sentences(self, text: str) -> Sequence[tuple[int, int]]:
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
    """The question as one language reads it, its stems weighted by how rare they are here."""

    text: str
    language: str
    kind: Kind
    words: tuple[Word, ...]
    weights: Mapping[str, float]

    def held(self, stems: Collection[str]) -> tuple[float, ...]:
        """For each stem of the question how far the stems hold it: whole 1, as a part 0.6, or 0."""
        return tuple(_held(stem, stems) for stem in self.weights)

    def coverage(self, held: Sequence[float]) -> float:
        """The weighted share (0 to 1) of the question that is held."""
        total = sum(self.weights.values())
        if not total:
            return 0.0
        return sum(w * share for w, share in zip(self.weights.values(), held, strict=True)) / total


def _held(stem: str, stems: Collection[str]) -> float:
    if stem in stems:
        return 1.0
    if len(stem) < _PART_OF_WORD:
        return 0.0
    return _PART_CREDIT if any(stem in other for other in stems) else 0.0


def best_coverage(question: str, language: str, pieces: Sequence[Piece], tools: TextTools) -> float:
    """The share (0 to 1) of the question's weight that the best single piece holds.

    Rarity is counted as if a hundred more pieces without any of the words stood beside these,
    so that the figure means the same in a notebook of one page and in one of ten thousand.
    """
    read = [_read(piece, tools) for piece in pieces]
    asked = _asked(question, language, read, tools, beside=_PIECES_BESIDE)
    shares = [
        asked[sentences[0].piece.language].coverage(
            asked[sentences[0].piece.language].held(set().union(*map(_terms, sentences)))
        )
        for sentences in read
    ]
    return max(shares, default=0.0)


def score_sentences(
    question: str, language: str, pieces: Sequence[Piece], tools: TextTools
) -> list[Scored]:
    """Every sentence of the pieces with its score, the best first; ties in the given order.

    `language` is the question's own.
    """
    read = [_read(piece, tools) for piece in pieces]
    asked = _asked(question, language, read, tools)
    scored = [
        one
        for sentences in read
        for one in _score_piece(asked[sentences[0].piece.language], sentences)
    ]
    return sorted(scored, key=lambda one: -one.score)


def _read(piece: Piece, tools: TextTools) -> list[Sentence]:
    spans = tools.sentences(piece.text) or [(0, len(piece.text))]
    return [
        Sentence(piece, start, end, tuple(tools.words(piece.text[start:end], piece.language)))
        for start, end in spans
    ]


def _asked(
    question: str,
    language: str,
    read: Sequence[Sequence[Sentence]],
    tools: TextTools,
    beside: int = 0,
) -> dict[str, Asked]:
    """The question per language of the pieces, weighted by rarity among them and those beside.

    What is a small word in the question's own language stays one in every other, and in
    another language a word is looked for as it is written: the Catalan stem of "capital" is
    "cap", which means something else.
    """
    frequency = Counter(term for sentences in read for term in set().union(*map(_terms, sentences)))
    kind = kind_of(question)
    telling = {word.form for word in tools.words(question, language)}
    asked = {}
    for spoken in {sentences[0].piece.language for sentences in read}:
        words = tuple(
            word if spoken == language else Word(word.form, word.form)
            for word in tools.words(question, spoken)
            if word.form in telling
        )
        weights = {word.stem: _rarity(frequency[word.stem], len(read) + beside) for word in words}
        asked[spoken] = Asked(question, spoken, kind, words, weights)
    return asked


def _rarity(frequency: int, total: int) -> float:
    """Lucene's idf."""
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
    coverage=3.2,
    piece_score=4.3,
    previous=2.0,
    opening=1.2,
    elsewhere=0.6,
    pairs=1.9,
    exact=3.1,
    kind=1.05,
    news=-0.5,
    best=1.25,
)


def _score_piece(asked: Asked, sentences: Sequence[Sentence]) -> list[Scored]:
    held = [asked.held(_terms(sentence)) for sentence in sentences]
    covered = [asked.coverage(one) for one in held]
    whole = asked.coverage(_together(held))
    features = [
        features_of(asked, sentences, at, held, covered, whole) for at in range(len(sentences))
    ]
    return [
        Scored(sentence, _weigh(known), known.coverage)
        for sentence, known in zip(sentences, features, strict=True)
    ]


def _weigh(features: Features) -> float:
    return sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))


def features_of(
    asked: Asked,
    sentences: Sequence[Sentence],
    at: int,
    held: Sequence[Sequence[float]],
    covered: Sequence[float],
    whole: float,
) -> Features:
    """The features of sentence `at` of one piece.

    `held` and `covered` tell what each of the sentences holds of the question, `whole` what
    the piece covers.
    """
    sentence, own = sentences[at], covered[at]
    news = len({word.stem for word in sentence.words} - set(asked.weights))
    return Features(
        coverage=own,
        piece_score=sentence.piece.score,
        previous=asked.coverage(_together(held[max(0, at - 1) : at + 1])) - own,
        opening=asked.coverage(_together((held[0], held[at]))) - own,
        elsewhere=whole - own,
        pairs=_pairs(asked.words, sentence.words),
        exact=_exact(asked.words, sentence.words),
        kind=fit(asked.kind, sentence.text, asked.text, asked.language),
        news=min(news, _MANY_NEW_WORDS) / _MANY_NEW_WORDS,
        best=float(own == max(covered)),
    )


def _together(held: Sequence[Sequence[float]]) -> list[float]:
    """What several sentences hold when they are read as one."""
    return [max(column) for column in zip(*held, strict=True)]


def _terms(sentence: Sentence) -> set[str]:
    """Stems and forms of the sentence's words."""
    return {term for word in sentence.words for term in word}


def _pairs(asked: Sequence[Word], said: Sequence[Word]) -> float:
    wanted = set(pairwise(word.stem for word in asked))
    stems = {word.stem for word in asked}
    kept = [word.stem for word in said if word.stem in stems]
    return len(wanted & set(pairwise(kept))) / max(1, len(wanted))


def _exact(asked: Sequence[Word], said: Sequence[Word]) -> float:
    wanted = {word.form for word in asked}
    return len(wanted & {word.form for word in said}) / max(1, len(wanted))
