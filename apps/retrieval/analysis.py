"""What a text is searched by: the terms of both channels, for sources and for questions. Pure.

Channel "words" holds each word's stem and its exact form, accents folded after stemming. Channel
"grams" holds the 4-grams inside words, with a mark at both word ends; runs of scripts without
spaces give single characters and pairs instead.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from apps.retrieval.folding import fold_accents, normalise
from apps.retrieval.languages import UNKNOWN, detect_language
from apps.retrieval.phrases import quoted_phrases
from apps.retrieval.stemming import stem
from apps.retrieval.stopwords import stopwords
from apps.retrieval.tokens import is_run, split_token, tokens

__all__ = [
    "UNKNOWN",
    "Analysed",
    "QueryTerms",
    "TokenTerms",
    "WeightedTerm",
    "analyse",
    "detect_language",
    "informative_terms",
    "query_terms",
    "token_counts",
    "token_terms",
]

GRAM_CHARS = 4
MAX_WORD_CHARS = 64
"""Longer words are cut here: a 5 MB line without a space is one word of 64 characters."""

EXACT_WEIGHT = 0.4
"""What an exact form counts beside its stem; tuned on half of the collections' questions."""

MAX_QUERY_WORDS = 128
MAX_QUERY_GRAMS = 512

_WORD_EDGE = "_"
_SHORTEST_COMPOUND_PART = 2


@dataclass(frozen=True, slots=True)
class Analysed:
    """The terms of one text with their frequencies, and its length in words and in grams."""

    words: dict[str, int]
    grams: dict[str, int]
    word_count: int
    gram_count: int


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """A term of a question and what it counts.

    `optional` terms are other spellings of a word that is in the list anyway: they add to a score
    when they are found and take nothing from coverage when they are not.
    """

    term: str
    weight: float
    optional: bool = False


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A question as both channels search it, and the phrases it quotes (searched form)."""

    words: tuple[WeightedTerm, ...]
    grams: tuple[WeightedTerm, ...]
    phrases: tuple[str, ...]


def analyse(text: str, language: str) -> Analysed:
    """Give the terms of a source text in its language ("und" for unknown)."""
    words: Counter[str] = Counter()
    grams: Counter[str] = Counter()
    word_count = 0
    for token, times in token_counts(text).items():
        terms = token_terms(token, language)
        for term in terms.words:
            words[term] += times
        for gram in terms.grams:
            grams[gram] += times
        word_count += terms.word_count * times
    return Analysed(dict(words), dict(grams), word_count, grams.total())


def token_counts(text: str) -> Counter[str]:
    """Give the raw tokens of a shown text and how often each occurs."""
    return Counter(tokens(normalise(text)))


class TokenTerms(NamedTuple):
    """The terms of one raw token, repeated when it holds them twice, and its length in words."""

    words: tuple[str, ...]
    grams: tuple[str, ...]
    word_count: int


@lru_cache(maxsize=65_536)
def token_terms(token: str, language: str) -> TokenTerms:
    """Give the terms of a raw token of a source text in its language."""
    if is_run(token):
        return TokenTerms((), _run_grams(token), 0)
    words, compound = split_token(token, language)
    cut = [word[:MAX_WORD_CHARS] for word in words]
    terms = [term for word in cut for term in _forms(word, language)]
    if compound:
        terms.append(fold_accents(compound))
    content = [folded for word in cut if (folded := fold_accents(word)) not in stopwords(language)]
    grams = tuple(gram for folded in content for gram in _grams(folded))
    return TokenTerms(tuple(terms), grams, len(words))


def query_terms(text: str, languages: Sequence[str]) -> QueryTerms:
    """Give the terms of a question for a notebook whose sources are in `languages`.

    Words get the stem of every language. Stopwords are left out unless there is nothing else.
    The order of terms depends on the question alone, so sums of scores do too.
    """
    spoken = tuple(sorted(set(languages))) or (UNKNOWN,)
    units = _units(tokens(normalise(text)), spoken)
    ignored = _ignored_words(units, spoken)
    kept = [unit for unit in units if unit.folded not in ignored] or units
    kept = _bounded(kept)
    return QueryTerms(_word_terms(kept, spoken), _gram_terms(kept), quoted_phrases(text))


def informative_terms(text: str, language: str) -> tuple[str, ...]:
    """Give the distinct words of a text without stopwords, folded, in order of appearance."""
    units = _units(tokens(normalise(text)), (language,))
    ignored = stopwords(language)
    return tuple(dict.fromkeys(unit.folded for unit in units if unit.folded not in ignored))


@dataclass(frozen=True, slots=True)
class _Unit:
    """One word of a question: as typed and folded, its place, the compounds it begins."""

    word: str
    folded: str
    place: int
    compounds: tuple[str, ...] = ()
    run: bool = False


def _units(raw: Iterable[str], languages: Sequence[str]) -> list[_Unit]:
    units: list[_Unit] = []
    for token in raw:
        if is_run(token):
            units.append(_Unit(token, token, len(units), run=True))
        else:
            units.extend(_word_units(token, languages, len(units)))
    return units


def _word_units(token: str, languages: Sequence[str], place: int) -> Iterable[_Unit]:
    """The words of a token as any of the languages reads it; they rarely disagree."""
    readings = [split_token(token, language) for language in languages]
    words = dict.fromkeys(word[:MAX_WORD_CHARS] for reading in readings for word in reading.words)
    compounds = dict.fromkeys(fold_accents(r.joined) for r in readings if r.joined)
    for number, word in enumerate(words):
        begun = tuple(compounds) if number == 0 else ()
        yield _Unit(word, fold_accents(word), place + number, begun)


def _ignored_words(units: Sequence[_Unit], languages: Sequence[str]) -> Collection[str]:
    """Stopwords of the language, among the notebook's, that the question seems to be in.

    "die" is a word in English and an article in Dutch: the language with most stopwords in the
    question decides.
    """
    hits = {
        language: sum(unit.folded in stopwords(language) for unit in units)
        for language in languages
    }
    most = max(hits.values())
    return {
        word for language in languages if hits[language] == most for word in stopwords(language)
    }


def _bounded(units: Sequence[_Unit]) -> list[_Unit]:
    """The units of at most 128 distinct words, in order of first appearance."""
    distinct = set(islice(dict.fromkeys(unit.folded for unit in units), MAX_QUERY_WORDS))
    return [unit for unit in units if unit.folded in distinct]


def _word_terms(units: Sequence[_Unit], languages: Sequence[str]) -> tuple[WeightedTerm, ...]:
    weights: dict[str, float] = {}
    needed: set[str] = set()
    for before, unit in zip((None, *units), units, strict=False):
        if unit.run:
            continue
        stems = sorted({fold_accents(stem(unit.word, language)) for language in languages})
        needed.update(stems if len(stems) == 1 else ())
        for term in (*stems, *_spellings(before, unit)):
            weights[term] = weights.get(term, 0.0) + 1.0
        if unit.folded not in stems:
            weights[unit.folded] = weights.get(unit.folded, 0.0) + EXACT_WEIGHT
    return tuple(WeightedTerm(term, weight, term not in needed) for term, weight in weights.items())


def _spellings(before: _Unit | None, unit: _Unit) -> tuple[str, ...]:
    """A word's compounds written as one: "e-mail" as "email", "data base" as "database"."""
    if before is None or before.run or before.place != unit.place - 1:
        return unit.compounds
    if min(len(before.folded), len(unit.folded)) <= _SHORTEST_COMPOUND_PART:
        return unit.compounds
    pair = (before.folded + unit.folded)[:MAX_WORD_CHARS]
    return unit.compounds if pair in unit.compounds else (*unit.compounds, pair)


def _gram_terms(units: Sequence[_Unit]) -> tuple[WeightedTerm, ...]:
    counts: Counter[str] = Counter()
    for unit in units:
        counts.update(_run_grams(unit.word, question=True) if unit.run else _grams(unit.folded))
    return tuple(
        WeightedTerm(gram, float(count)) for gram, count in islice(counts.items(), MAX_QUERY_GRAMS)
    )


def _forms(word: str, language: str) -> tuple[str, ...]:
    return tuple({fold_accents(stem(word, language)): None, fold_accents(word): None})


def _grams(folded: str) -> tuple[str, ...]:
    marked = f"{_WORD_EDGE}{folded}{_WORD_EDGE}"
    count = max(1, len(marked) - GRAM_CHARS + 1)
    return tuple(marked[at : at + GRAM_CHARS] for at in range(count))


def _run_grams(run: str, *, question: bool = False) -> tuple[str, ...]:
    """Pairs and single characters of a source's run; a question of two or more asks for pairs."""
    pairs = tuple(run[at : at + 2] for at in range(len(run) - 1))
    return pairs if question and pairs else (*run, *pairs)
