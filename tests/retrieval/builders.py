"""An index in memory, laid out as it is stored, for the tests of ranking."""

from collections.abc import Mapping, Sequence

from apps.retrieval.analysis import query_terms
from apps.retrieval.postings import (
    Segment,
    build_segment,
    encode_pages,
    merge_segments,
    page_bits,
    stored_size,
)
from apps.retrieval.ranking import Member, Ranking, SegmentEntry, rank


class Shelf:
    """Segments of source versions; `groups` says which versions share a segment."""

    def __init__(
        self,
        versions: Mapping[int, Sequence[str]],
        groups: Sequence[Sequence[int]] | None = None,
        language: str = "en",
    ) -> None:
        self.language = language
        self.entries: list[SegmentEntry] = []
        self.pages: dict[tuple[int, int], bytes] = {}
        for number, group in enumerate(groups or [[version] for version in versions], start=1):
            self._store(number, {version: versions[version] for version in group})

    def search(
        self,
        question: str,
        versions: Sequence[int] | None = None,
        limit: int = 10,
        *,
        with_ranks: bool = False,
    ) -> Ranking:
        """Rank the chunks of the given versions, of all when none is given."""
        known = [member.version_id for entry in self.entries for member in entry.members]
        asked = known if versions is None else versions
        terms = query_terms(question, [self.language])
        return rank(self.entries, asked, terms, self._read, limit=limit, with_ranks=with_ranks)

    def _store(self, segment_id: int, versions: Mapping[int, Sequence[str]]) -> None:
        segment = merge_segments([build_segment(t, self.language) for t in versions.values()])
        bits = page_bits(stored_size(segment))
        for slot, page in encode_pages(segment, bits):
            self.pages[slot, segment_id] = page
        self.entries.append(_entry(segment_id, bits, segment, versions))

    def _read(self, slots: Sequence[int]) -> list[tuple[int, int, bytes]]:
        asked = set(slots)
        return [(s, seg, data) for (s, seg), data in self.pages.items() if s in asked]


def _entry(
    segment_id: int, bits: int, segment: Segment, versions: Mapping[int, Sequence[str]]
) -> SegmentEntry:
    members = []
    first = 0
    for version, texts in versions.items():
        members.append(Member(version, 0, first, len(texts)))
        first += len(texts)
    return SegmentEntry(
        segment_id, bits, tuple(members), segment.word_lengths, segment.gram_lengths
    )
