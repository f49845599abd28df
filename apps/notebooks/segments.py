"""The rows of a notebook's index: storing segments, reading them, merging small ones.

A segment never changes but for the members that leave it. Merged ones are written unready, in
short transactions, and shown in the one transaction that takes the old ones away; a reader who
meets that moment notices and reads again. One job at a time writes the index of a notebook.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection, transaction

from apps.notebooks.models import Posting, SegmentLengths
from apps.retrieval.postings import (
    Segment,
    decode_pages,
    encode_pages,
    keep_chunks,
    merge_segments,
    page_bits,
    stored_size,
)
from apps.retrieval.ranking import Member, SegmentEntry

MAX_MERGED_CHUNKS = 16_384
MERGE_AT = 8
"""So many segments of one size class become one, eight times as large."""

# Plain SQL: for these hundreds of small rows the ORM takes longer than the database.
_NO_SLOT = -1
_ENTRIES = (
    "SELECT id, page_bits, members, word_lengths, gram_lengths FROM notebooks_segmentlengths"
    " WHERE space_id = %s AND ready = %s ORDER BY id"
)
_PAGES = "SELECT slot, segment_id, page FROM notebooks_posting WHERE space_id = %s AND slot IN"
_AND_IDS = (
    "UNION ALL SELECT -1, id, NULL FROM notebooks_segmentlengths WHERE space_id = %s AND ready = %s"
)
_INSERT = "INSERT INTO notebooks_posting (space_id, slot, segment_id, page) VALUES (%s, %s, %s, %s)"
_LIVE_SHARE = 0.75
_PART_BITS = 4


def ready_rows(space_id: int) -> list[SegmentLengths]:
    """Give the readable segments of an index in order of their ids."""
    return list(SegmentLengths.objects.filter(space_id=space_id, ready=True).order_by("id"))


@dataclass(frozen=True, slots=True)
class Answer:
    """Pages (slot, segment id, bytes) and the readable segments, as one statement saw them."""

    pages: list[tuple[int, int, bytes]]
    segment_ids: frozenset[int]


def entries(space_id: int) -> list[SegmentEntry]:
    """Give the readable segments of an index, as ranking takes them, in order of their ids."""
    with connection.cursor() as cursor:
        cursor.execute(_ENTRIES, [space_id, True])
        rows = cursor.fetchall()
    return [
        SegmentEntry(
            segment_id=segment_id,
            page_bits=page_bits,
            members=tuple(Member(*columns) for columns in json.loads(members)),
            word_lengths=np.frombuffer(word_lengths, "<u2"),
            gram_lengths=np.frombuffer(gram_lengths, "<u2"),
        )
        for segment_id, page_bits, members, word_lengths, gram_lengths in rows
    ]


def read_pages(space_id: int, slots: Sequence[int]) -> Answer:
    """Give the pages of an index in any of some slots."""
    marks = ",".join(["%s"] * len(slots))
    with connection.cursor() as cursor:
        cursor.execute(f"{_PAGES} ({marks}) {_AND_IDS}", [space_id, *slots, space_id, True])
        rows = cursor.fetchall()
    return Answer(
        pages=[row for row in rows if row[0] != _NO_SLOT],
        segment_ids=frozenset(row[1] for row in rows if row[0] == _NO_SLOT),
    )


def entry_of(row: SegmentLengths) -> SegmentEntry:
    """Give a row as ranking takes it."""
    return SegmentEntry(
        segment_id=row.pk,
        page_bits=row.page_bits,
        members=tuple(members_of(row)),
        word_lengths=np.frombuffer(row.word_lengths, "<u2"),
        gram_lengths=np.frombuffer(row.gram_lengths, "<u2"),
    )


def members_of(row: SegmentLengths) -> Iterator[Member]:
    """Give the members of a segment in order of their place in it."""
    return (Member(*columns) for columns in row.members)


def store(space_id: int, members: Sequence[Member], segment: Segment) -> None:
    """Write a segment and show it, in one transaction."""
    bits = page_bits(stored_size(segment))
    with transaction.atomic():
        row = _new_row(space_id, members, segment, bits)
        row.byte_count = _insert(row, encode_pages(segment, bits))
        row.ready = True
        row.save(update_fields=["byte_count", "ready"])


def load(row: SegmentLengths, ranges: Sequence[tuple[int, int]]) -> Segment:
    """Give what a stored segment holds of some ranges (first, count) of its chunks."""
    return _load_part(row, ranges, part=0, part_bits=0)


def forget(space_id: int, version_ids: Iterable[int]) -> None:
    """Take versions out of their segments; segments left empty go with their pages."""
    leaving = frozenset(version_ids)
    with transaction.atomic():
        rows = SegmentLengths.objects.select_for_update().filter(space_id=space_id, ready=True)
        for row in rows.order_by("id"):
            staying = [member for member in row.members if member[0] not in leaving]
            if not staying:
                _delete(row)
            elif len(staying) < len(row.members):
                row.members = staying
                row.save(update_fields=["members"])


def tidy(space_id: int, *, live_share: float = _LIVE_SHARE) -> None:
    """Merge small segments, eight of a size into one, and rewrite those with many dead chunks.

    Removes what a killed writer left. `live_share=1.0` rewrites every segment that still holds
    chunks of versions that left.
    """
    for row in SegmentLengths.objects.filter(space_id=space_id, ready=False):
        _delete(row)
    while group := _next_group(ready_rows(space_id), live_share):
        if not _merge(group):
            return


def _next_group(rows: Sequence[SegmentLengths], live_share: float) -> list[SegmentLengths]:
    """The segments to write as one next, nothing when all is tidy."""
    for row in rows:
        if _live(row) < live_share * row.chunk_count:
            return [row]
    classes: dict[int, list[SegmentLengths]] = defaultdict(list)
    for row in rows:
        classes[(max(1, row.chunk_count).bit_length() - 1) // 3].append(row)
    for _size, group in sorted(classes.items()):
        chosen = group[:MERGE_AT]
        if len(chosen) == MERGE_AT and sum(map(_live, chosen)) <= MAX_MERGED_CHUNKS:
            return chosen
    return []


def _live(row: SegmentLengths) -> int:
    return sum(member.count for member in members_of(row))


def _merge(rows: Sequence[SegmentLengths]) -> bool:
    """Write segments as one; gives False when one of them changed meanwhile, leaving all as is."""
    plan = _plan(rows)
    merged = _new_row(rows[0].space_id, plan.members, plan.lengths, plan.page_bits)
    for part in range(1 << plan.part_bits):
        parts = [
            _load_part(row, ranges, part=part, part_bits=plan.part_bits)
            for row, ranges in zip(rows, plan.ranges, strict=True)
        ]
        pages = encode_pages(merge_segments(parts), plan.page_bits)
        with transaction.atomic():
            merged.byte_count += _insert(merged, pages)
    return _swap(rows, merged)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How segments become one: what stays of each, where it goes, how the pages are numbered."""

    ranges: list[list[tuple[int, int]]]
    members: list[Member]
    lengths: Segment
    page_bits: int
    part_bits: int


def _plan(rows: Sequence[SegmentLengths]) -> _Plan:
    ranges: list[list[tuple[int, int]]] = []
    members: list[Member] = []
    first = 0
    for row in rows:
        staying = sorted(members_of(row), key=lambda member: member.first)
        ranges.append([(member.first, member.count) for member in staying])
        for member in staying:
            members.append(Member(member.version_id, member.start, first, member.count))
            first += member.count
    lengths = merge_segments(
        [keep_chunks(_lengths(row), kept) for row, kept in zip(rows, ranges, strict=True)]
    )
    live = sum(row.byte_count * _live(row) // max(1, row.chunk_count) for row in rows)
    return _Plan(
        ranges,
        members,
        lengths,
        page_bits=page_bits(live),
        # Sixteenths of the keys at a time: memory stays flat however large the segments are.
        part_bits=min(_PART_BITS, *(row.page_bits for row in rows)),
    )


def _lengths(row: SegmentLengths) -> Segment:
    """A segment without its postings."""
    entry = entry_of(row)
    return decode_pages([], entry.word_lengths, entry.gram_lengths)


def _load_part(
    row: SegmentLengths, ranges: Sequence[tuple[int, int]], *, part: int, part_bits: int
) -> Segment:
    """The chunks in `ranges` with only the keys that begin with the bits of `part`."""
    step = row.page_bits - part_bits
    first_slot = ((1 << part_bits) | part) << step
    pages = Posting.objects.filter(
        space_id=row.space_id,
        slot__gte=first_slot,
        slot__lt=first_slot + (1 << step),
        segment_id=row.pk,
    ).order_by("slot")
    stored = pages.values_list("page", flat=True)
    entry = entry_of(row)
    return keep_chunks(
        decode_pages(map(bytes, stored), entry.word_lengths, entry.gram_lengths), ranges
    )


def _swap(rows: Sequence[SegmentLengths], merged: SegmentLengths) -> bool:
    with transaction.atomic():
        current = SegmentLengths.objects.select_for_update().in_bulk([row.pk for row in rows])
        unchanged = all(
            row.pk in current and current[row.pk].members == row.members for row in rows
        )
        if not unchanged:
            _delete(merged)
            return False
        for row in rows:
            _delete(row)
        merged.ready = True
        merged.save(update_fields=["byte_count", "ready"])
    return True


def _new_row(
    space_id: int, members: Sequence[Member], segment: Segment, bits: int
) -> SegmentLengths:
    return SegmentLengths.objects.create(
        space_id=space_id,
        page_bits=bits,
        chunk_count=segment.chunk_count,
        byte_count=0,
        members=[[m.version_id, m.start, m.first, m.count] for m in members],
        word_lengths=segment.word_lengths.astype("<u2").tobytes(),
        gram_lengths=segment.gram_lengths.astype("<u2").tobytes(),
    )


def _insert(row: SegmentLengths, pages: Iterable[tuple[int, bytes]]) -> int:
    """Write pages of a segment; gives their size in bytes."""
    rows = [(row.space_id, slot, row.pk, page) for slot, page in pages]
    with connection.cursor() as cursor:
        cursor.executemany(_INSERT, rows)
    return sum(len(page) for _, _, _, page in rows)


def _delete(row: SegmentLengths) -> None:
    Posting.objects.filter(
        space_id=row.space_id,
        slot__gte=1 << row.page_bits,
        slot__lt=2 << row.page_bits,
        segment_id=row.pk,
    ).delete()
    row.delete()
