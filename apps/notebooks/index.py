"""The search index of a notebook: what is written into it, and ranked hits out of it.

An index belongs to one notebook (its "space") and holds segments of whole source versions.
Statistics come from the asked versions alone, so no other notebook can change a score, and
leaving a source out is as if it had never been there.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from apps.notebooks import segments
from apps.notebooks.models import Chunk, RevisionSource, SegmentLengths
from apps.retrieval.analysis import QueryTerms, query_terms
from apps.retrieval.phrases import holds_phrases
from apps.retrieval.postings import build_segment, merge_segments
from apps.retrieval.ranking import (
    CANDIDATES,
    Member,
    Ranking,
    ScoredChunk,
    TermFact,
    rank,
)
from apps.retrieval.selection import MAX_PER_SOURCE, Cut, limit_per_source

PHRASE_CANDIDATES = 2_000
"""With a quoted phrase, so many ranked chunks are read to see whether they hold it."""

_CHUNKS_PER_SEGMENT = 2_048
_COPY_UP_TO = 16
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a search found, best first.

    `coverage` (0–1) is how much of the question the best chunk covers, whatever the size of the
    notebook; `terms` are the question's terms with their idf; `searched` chunks were asked.
    """

    hits: tuple[ScoredChunk, ...]
    coverage: float
    terms: tuple[TermFact, ...]
    searched: int

    @property
    def idf(self) -> dict[str, float]:
        """The idf of each term, as `spans.score_sentences` takes it."""
        return {fact.term: fact.idf for fact in self.terms}


@dataclass(frozen=True, slots=True)
class Explained:
    """The best 200 chunks of a question, their places among words and grams (from 1, 0 for not
    found), and by their position what a search leaves out and why: also for a missing phrase.
    """

    candidates: tuple[ScoredChunk, ...]
    ranks: tuple[tuple[int, int], ...]
    cut: tuple[Cut, ...]
    coverage: float
    terms: tuple[TermFact, ...]


def write_segment(
    space_id: int, version_id: int, chunks: Iterable[tuple[int, str]], language: str
) -> None:
    """Index the chunks (ordinal, text) of a version, in order, replacing what was there.

    Memory stays flat: 2,048 chunks at a time. Raises ValueError when ordinals have a gap.
    """
    segments.forget(space_id, [version_id])
    for block in _blocks(chunks):
        start = block[0][0]
        if [ordinal for ordinal, _ in block] != list(range(start, start + len(block))):
            raise ValueError(f"the ordinals of version {version_id} are not contiguous")
        segment = build_segment((text for _, text in block), language)
        segments.store(space_id, [Member(version_id, start, 0, len(block))], segment)
    segments.tidy(space_id)


def copy_segment(version_id: int, *, to_space: int) -> bool:
    """Index a version from another notebook that has it; gives False when that does not pay.

    It does not when the version lies in segments much larger than itself: reading those takes
    longer than analysing the text again.
    """
    for space_id in _spaces_holding(version_id, other_than=to_space):
        rows = [row for row in segments.ready_rows(space_id) if _chunks_in(row, {version_id})]
        held = sum(_chunks_in(row, {version_id}) for row in rows)
        if held and sum(row.chunk_count for row in rows) <= _COPY_UP_TO * held:
            _copy(rows, version_id, to_space)
            return True
    return False


def drop_segments(space_id: int, version_ids: Collection[int]) -> None:
    """Take versions out of the index. Quick; `compact` removes their bytes from shared segments."""
    if version_ids:
        segments.forget(space_id, version_ids)


def compact(space_id: int) -> None:
    """Rewrite the segments that still hold bytes of versions that left. For a job, not a request."""
    segments.tidy(space_id, live_share=1.0)


def indexed_count(space_id: int, version_ids: Collection[int]) -> int:
    """How many chunks of these versions are in the index."""
    asked = frozenset(version_ids)
    return sum(_chunks_in(row, asked) for row in segments.ready_rows(space_id))


def search(
    space_id: int,
    versions: Sequence[tuple[int, str]],
    query: str,
    *,
    limit: int,
    max_per_source: int = MAX_PER_SOURCE,
) -> Ranked:
    """Rank the chunks of some versions (id, language) for a question, at most `limit`.

    A phrase in quotes must stand in a hit word for word. Of one source come at most
    `max_per_source` hits. Ties go to the lower version id, then ordinal, which is the order in
    which chunks got their ids.
    """
    terms = query_terms(query, [language for _, language in versions])
    version_ids = [version for version, _ in versions]
    if not terms.phrases:
        ranking = _rank(space_id, version_ids, terms, limit, max_per_source)
        return Ranked(ranking.chunks, ranking.coverage, ranking.terms, ranking.searched)
    ranking = _rank(space_id, version_ids, terms, PHRASE_CANDIDATES)
    holding = _with_phrases(ranking.chunks, terms.phrases)
    hits, _cut = _limited(holding, limit, max_per_source)
    coverage = ranking.coverage if hits else 0.0
    return Ranked(hits, coverage, ranking.terms, ranking.searched)


def explain(
    space_id: int,
    versions: Sequence[tuple[int, str]],
    query: str,
    *,
    limit: int,
    max_per_source: int = MAX_PER_SOURCE,
) -> Explained:
    """Tell what `search` saw: every candidate with its scores and ranks, and why some were cut."""
    terms = query_terms(query, [language for _, language in versions])
    ranking = _rank(
        space_id, [version for version, _ in versions], terms, CANDIDATES, with_ranks=True
    )
    holding = frozenset(_with_phrases(ranking.chunks, terms.phrases))
    without = [at for at, chunk in enumerate(ranking.chunks) if chunk not in holding]
    places = [at for at, chunk in enumerate(ranking.chunks) if chunk in holding]
    _hits, cut = _limited([ranking.chunks[at] for at in places], limit, max_per_source)
    cuts = [Cut(at, "phrase_missing") for at in without]
    cuts += [Cut(places[one.position], one.reason) for one in cut]
    cuts.sort(key=lambda one: one.position)
    return Explained(ranking.chunks, ranking.ranks, tuple(cuts), ranking.coverage, ranking.terms)


def _limited(
    chunks: Sequence[ScoredChunk], limit: int, max_per_source: int
) -> tuple[tuple[ScoredChunk, ...], tuple[Cut, ...]]:
    # A revision holds one version of a source.
    return limit_per_source(
        chunks, lambda chunk: chunk.version_id, limit, max_per_source=max_per_source
    )


def _rank(
    space_id: int,
    version_ids: Sequence[int],
    terms: QueryTerms,
    limit: int,
    per_version: int | None = None,
    *,
    with_ranks: bool = False,
) -> Ranking:
    """Rank over one consistent state: segments are immutable, so unchanged ids prove it."""
    for _attempt in range(_ATTEMPTS):
        entries = segments.entries(space_id)
        seen: set[int] = set()

        def read(slots: Sequence[int], seen: set[int] = seen) -> list[tuple[int, int, bytes]]:
            answer = segments.read_pages(space_id, slots)
            seen.update(answer.segment_ids)
            return answer.pages

        ranking = rank(
            entries,
            version_ids,
            terms,
            read,
            limit=limit,
            per_version=per_version,
            with_ranks=with_ranks,
        )
        if not seen or seen == {entry.segment_id for entry in entries}:
            break
    return ranking


def _with_phrases(chunks: Sequence[ScoredChunk], phrases: Sequence[str]) -> tuple[ScoredChunk, ...]:
    """The chunks whose text holds every phrase, at most as many as are ranked without phrases."""
    if not phrases:
        return tuple(chunks)
    holding = (
        chunk
        for batch in _batches(chunks, CANDIDATES)
        for chunk, text in zip(batch, _texts_of(batch), strict=True)
        if holds_phrases(text, phrases)
    )
    return tuple(islice(holding, CANDIDATES))


def _texts_of(chunks: Sequence[ScoredChunk]) -> list[str]:
    ordinals: dict[int, list[int]] = {}
    for chunk in chunks:
        ordinals.setdefault(chunk.version_id, []).append(chunk.ordinal)
    texts = {
        (version_id, ordinal): text
        for version_id, asked in ordinals.items()
        for ordinal, text in Chunk.objects.filter(
            version_id=version_id, ordinal__in=asked
        ).values_list("ordinal", "text")
    }
    return [texts.get((chunk.version_id, chunk.ordinal), "") for chunk in chunks]


def _batches(chunks: Sequence[ScoredChunk], size: int) -> Iterator[Sequence[ScoredChunk]]:
    return (chunks[start : start + size] for start in range(0, len(chunks), size))


def _blocks(chunks: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    remaining = iter(chunks)
    while block := list(islice(remaining, _CHUNKS_PER_SEGMENT)):
        yield block


def _spaces_holding(version_id: int, *, other_than: int) -> list[int]:
    held = RevisionSource.objects.filter(version_id=version_id)
    spaces = held.exclude(revision__notebook__index_space__id=other_than)
    return sorted(set(spaces.values_list("revision__notebook__index_space__id", flat=True)))


def _chunks_in(row: SegmentLengths, version_ids: Collection[int]) -> int:
    return sum(m.count for m in segments.members_of(row) if m.version_id in version_ids)


def _copy(rows: Sequence[SegmentLengths], version_id: int, to_space: int) -> None:
    parts = [
        (member, row)
        for row in rows
        for member in segments.members_of(row)
        if member.version_id == version_id
    ]
    parts.sort(key=lambda part: part[0].start)
    loaded = [segments.load(row, [(member.first, member.count)]) for member, row in parts]
    count = sum(member.count for member, _ in parts)
    segments.forget(to_space, [version_id])
    segments.store(to_space, [Member(version_id, 0, 0, count)], merge_segments(loaded))
    segments.tidy(to_space)
