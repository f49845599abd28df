"""From a question and stored postings to ranked chunks. Pure: pages come through a callable.

N, document frequencies and average length are those of the asked source versions alone: what
else a segment, a notebook or a database holds cannot change a bit of a score.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from apps.retrieval import bm25
from apps.retrieval.analysis import QueryTerms, WeightedTerm
from apps.retrieval.fusion import DEFAULT_WEIGHTS, FusionWeights, fuse
from apps.retrieval.postings import (
    GRAMS,
    WORDS,
    TermPostings,
    find_term,
    slot_of,
    term_key,
    unpack,
)
from apps.retrieval.selection import within_share

COVERAGE_SCALE = 1.1
CANDIDATES = 200
"""So deep is looked for hits of other sources when one source fills the top."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Member:
    """Chunks of one source version inside a segment.

    `count` chunks, from ordinal `start` of the version, lie from ordinal `first` of the segment.
    """

    version_id: int
    start: int
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """What a notebook's list of segments says about one of them."""

    segment_id: int
    page_bits: int
    members: tuple[Member, ...]
    word_lengths: NDArray[np.uint16]
    gram_lengths: NDArray[np.uint16]


PageReader = Callable[[Sequence[int]], Iterable[tuple[int, int, bytes]]]
"""Gives the pages (slot, segment id, bytes) of a notebook that lie in any of some slots."""


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A chunk that matched, with its fused score (0–1) and the score of each channel."""

    version_id: int
    ordinal: int
    score: float
    words_score: float
    grams_score: float


@dataclass(frozen=True, slots=True)
class TermFact:
    """A term of the question in the asked versions: how many chunks hold it, and its idf."""

    term: str
    weight: float
    df: int
    idf: float
    optional: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best chunks of a question, best first.

    `coverage` is the best BM25 over 1.1 × the sum of the question's idf, at most 1, in the channel
    where it is higher: a question for `pensioen` is covered by `pensioenregeling`. It does not
    depend on the size of the notebook. `terms` are the words, or the grams of a question without
    words. `matched` chunks had a score, `searched` were asked. `ranks`, given when asked for, are
    each chunk's places (from 1) among words and grams, 0 where that channel did not find it.
    """

    chunks: tuple[ScoredChunk, ...]
    coverage: float
    matched: int
    searched: int
    terms: tuple[TermFact, ...]
    ranks: tuple[tuple[int, int], ...]

    @property
    def idf(self) -> dict[str, float]:
        """The idf of each term, as `spans.score_sentences` takes it."""
        return {fact.term: fact.idf for fact in self.terms}


def rank(
    segments: Sequence[SegmentEntry],
    version_ids: Collection[int],
    terms: QueryTerms,
    read: PageReader,
    *,
    limit: int,
    per_version: int | None = None,
    with_ranks: bool = False,
    weights: FusionWeights = DEFAULT_WEIGHTS,
) -> Ranking:
    """Give the `limit` best chunks of the asked versions; ties by version id, then ordinal.

    With `per_version`, at most so many of one version, taken from the best 200.
    """
    rows = _lay_rows(segments, version_ids)
    if rows.total == 0 or not (terms.words or terms.grams):
        return Ranking((), 0.0, 0, rows.total, (), ())
    keys = [term_key(WORDS, term.term) for term in terms.words]
    keys += [term_key(GRAMS, term.term) for term in terms.grams]
    found = _collect(keys, rows.segments, read)
    split = len(terms.words)
    words, word_facts = _score_channel(terms.words, found[:split], rows, rows.word_lengths)
    grams, gram_facts = _score_channel(terms.grams, found[split:], rows, rows.gram_lengths)
    scores = fuse(words, grams, weights=weights)
    if per_version is None:
        best = _best_rows(rows, scores, limit)
    else:
        best = _spread(_best_rows(rows, scores, max(limit, CANDIDATES)), rows, limit, per_version)
    return Ranking(
        chunks=_scored_chunks(rows, best, scores, words, grams),
        coverage=max(_coverage(words, word_facts), _coverage(grams, gram_facts)),
        matched=int(np.count_nonzero(scores)),
        searched=rows.total,
        terms=word_facts or gram_facts,
        ranks=_ranks(words, grams, best) if with_ranks else (),
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The chunks of the segments that hold asked versions, laid end to end.

    `asked` is empty when all of them are asked, else marks those; `total` counts them. `members`
    are the asked ones as (version id, first ordinal, first row, count), by row.
    """

    total: int
    segments: tuple[SegmentEntry, ...]
    offsets: dict[int, int]
    asked: NDArray[np.bool_]
    members: Ints
    word_lengths: NDArray[np.uint16]
    gram_lengths: NDArray[np.uint16]


def _lay_rows(segments: Sequence[SegmentEntry], version_ids: Collection[int]) -> _Rows:
    wanted = frozenset(version_ids)
    used = tuple(s for s in segments if any(m.version_id in wanted for m in s.members))
    ends = np.cumsum([len(segment.word_lengths) for segment in used], dtype=np.int64).tolist()
    bases = [end - len(segment.word_lengths) for segment, end in zip(used, ends, strict=True)]
    members = np.array(
        [
            (member.version_id, member.start, base + member.first, member.count)
            for segment, base in zip(used, bases, strict=True)
            for member in sorted(segment.members, key=lambda member: member.first)
            if member.version_id in wanted
        ],
        dtype=np.int64,
    ).reshape(-1, 4)
    total = int(members[:, 3].sum())
    size = ends[-1] if ends else 0
    return _Rows(
        total=total,
        segments=used,
        offsets={segment.segment_id: base for segment, base in zip(used, bases, strict=True)},
        asked=_marked(members, size) if total < size else np.array([], dtype=bool),
        members=members,
        word_lengths=_joined([segment.word_lengths for segment in used]),
        gram_lengths=_joined([segment.gram_lengths for segment in used]),
    )


def _marked(members: Ints, size: int) -> NDArray[np.bool_]:
    marks = np.zeros(size, dtype=bool)
    for _version_id, _start, first, count in members.tolist():
        marks[first : first + count] = True
    return marks


def _joined(columns: Sequence[NDArray[np.uint16]]) -> NDArray[np.uint16]:
    return np.concatenate(columns) if columns else np.array([], dtype=np.uint16)


_Found = tuple[int, TermPostings]
"""The id of a segment and a term's postings in it."""


def _collect(
    keys: Sequence[int], segments: Sequence[SegmentEntry], read: PageReader
) -> list[list[_Found]]:
    """The postings of each key, in the order of the segments."""
    levels = sorted({segment.page_bits for segment in segments})
    slots = sorted({slot_of(key, bits) for key in keys for bits in levels})
    pages = {(slot, segment_id): page for slot, segment_id, page in read(slots)}
    return [list(_find(key, segments, pages)) for key in keys]


def _find(
    key: int,
    segments: Sequence[SegmentEntry],
    pages: Mapping[tuple[int, int], bytes],
) -> Iterator[_Found]:
    for segment in segments:
        page = pages.get((slot_of(key, segment.page_bits), segment.segment_id))
        if page and (postings := find_term(page, key)):
            yield segment.segment_id, postings


def _score_channel(
    terms: Sequence[WeightedTerm],
    found: Sequence[Sequence[_Found]],
    rows: _Rows,
    lengths: NDArray[np.uint16],
) -> tuple[Floats, tuple[TermFact, ...]]:
    """Each row's BM25, and what the asked versions know of each term.

    Nearly every frequency is 1. So weights are summed per row first and multiplied with what a
    frequency of 1 is worth there once; higher frequencies add the difference. Term after term:
    each row's sum has one order, whatever the layout, and the arrays stay in the cache.
    """
    norm = bm25.norms(lengths, rows.asked)
    once = bm25.saturation(1, norm)
    sums, more = np.zeros(norm.size), np.zeros(norm.size)
    facts: list[TermFact] = []
    for term, parts in zip(terms, found, strict=True):
        holding, high, tfs = _rows_of(parts, rows)
        df = int(np.count_nonzero(rows.asked[holding])) if rows.asked.size else holding.size
        idf = bm25.idf(rows.total, df)
        weight = term.weight * idf
        np.add.at(sums, holding, weight)
        np.add.at(more, high, weight * (bm25.saturation(tfs, norm[high]) - once[high]))
        facts.append(TermFact(term.term, term.weight, df, idf, term.optional))
    scores = sums * once + more
    if rows.asked.size:
        scores[~rows.asked] = 0.0
    return scores, tuple(facts)


def _rows_of(parts: Sequence[_Found], rows: _Rows) -> tuple[Ints, Ints, NDArray[np.uint8]]:
    """The rows that hold a term; those of them where its frequency is above 1, and it."""
    ordinals, places, tfs = unpack([part for _, part in parts])
    bases = np.array([rows.offsets[segment] for segment, _ in parts], dtype=np.int64)
    holding = np.repeat(bases, [part.df for _, part in parts]) + ordinals
    return holding, holding[places], tfs


def _coverage(scores: Floats, facts: Sequence[TermFact]) -> float:
    reachable = sum(f.weight * f.idf for f in facts if f.df or not f.optional)
    if reachable <= 0.0:
        return 0.0
    return min(1.0, float(scores.max()) / (COVERAGE_SCALE * reachable))


def _scored_chunks(
    rows: _Rows, best: Ints, scores: Floats, words: Floats, grams: Floats
) -> tuple[ScoredChunk, ...]:
    return tuple(
        ScoredChunk(*columns)
        for columns in zip(
            *(
                column.tolist()
                for column in (*_names(rows, best), scores[best], words[best], grams[best])
            ),
            strict=True,
        )
    )


def _names(rows: _Rows, places: Ints) -> tuple[Ints, Ints]:
    """The version ids and ordinals of some asked rows."""
    at = np.searchsorted(rows.members[:, 2], places, side="right") - 1
    version_ids, starts, firsts, _counts = rows.members[at].T
    return version_ids, starts + places - firsts


def _best_rows(rows: _Rows, scores: Floats, limit: int) -> Ints:
    """The rows of the best scores above 0, best first; ties by version id, then ordinal."""
    candidates = np.flatnonzero(scores)
    if candidates.size > limit:
        cut = np.partition(scores[candidates], candidates.size - limit)[candidates.size - limit]
        candidates = candidates[scores[candidates] >= cut]
    version_ids, ordinals = _names(rows, candidates)
    order = np.lexsort((ordinals, version_ids, -scores[candidates]))
    return candidates[order][:limit]


def _spread(best: Ints, rows: _Rows, limit: int, per_version: int) -> Ints:
    """The first rows with no more than `per_version` of one version."""
    version_ids, _ordinals = _names(rows, best)
    rooms = within_share(version_ids.tolist(), per_version)
    kept = list(islice((at for at, has_room in enumerate(rooms) if has_room), limit))
    return best[kept]


def _ranks(words: Floats, grams: Floats, rows: Ints) -> tuple[tuple[int, int], ...]:
    return tuple(zip(_places(words, rows), _places(grams, rows), strict=True))


def _places(scores: Floats, rows: Ints) -> list[int]:
    """The place of each row among the channel's scores, 1 for the best, 0 for no match."""
    ordered = np.sort(scores[scores > 0.0])
    above = ordered.size - np.searchsorted(ordered, scores[rows], side="right")
    places: list[int] = np.where(scores[rows] > 0.0, above + 1, 0).tolist()
    return places
