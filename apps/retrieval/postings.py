"""Segments: which terms stand in which chunks, as arrays and as stored pages. Pure.

A term is known by a 48-bit key of its channel and text, so stored rows are small, bounded and
free of anything a source could smuggle in. (Among a million terms, the odds that a question's
term meets a foreign one are one in 280 million.) A segment's postings are cut by the leading
bits of the keys into small pages. A page's slot number says how many bits and which:
`1 << bits | key >> (48 − bits)`, so one list of slots asks every segment of a notebook.

Page, little endian: uint16 number of terms n · uint32 number of exceptions e · n × 6-byte keys,
big endian, ascending · n × uint16 document frequencies · one uint16 a posting, term after term:
ordinal in the low 14 bits, frequency − 1 in the high 2, at most 3 · e × uint32 place of a posting
whose frequency is above 3 · e × uint8 that frequency.
"""

import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from apps.retrieval.analysis import token_counts, token_terms

WORDS = "w"
GRAMS = "g"
MAX_CHUNKS = 16_384
MAX_TF = 255
MAX_LENGTH = 65_535

_KEY_BITS = 48
_MAX_PAGE_BITS = 17
# Rows of 500–1,000 bytes leave little room unused in the pages of either database.
_PAGE_BYTES = 1_000
_KEY_BYTES = 6
_TERM_BYTES = _KEY_BYTES + 2
_POSTING_BYTES = 2
_HEADER = struct.Struct("<HI")
_ORDINAL_BITS = 14
_ORDINALS = (1 << _ORDINAL_BITS) - 1
_EXCEPTION = 4
_EXCEPTION_BYTES = 5


@dataclass(frozen=True, slots=True)
class Segment:
    """The postings of some chunks, sorted by key, then ordinal, and both lengths of each chunk."""

    keys: NDArray[np.uint64]
    ordinals: NDArray[np.uint16]
    tfs: NDArray[np.uint8]
    word_lengths: NDArray[np.uint16]
    gram_lengths: NDArray[np.uint16]

    @property
    def chunk_count(self) -> int:
        """How many chunks the segment holds."""
        return len(self.word_lengths)


@lru_cache(maxsize=262_144)
def term_key(channel: str, term: str) -> int:
    """Give the 48-bit key of a term in a channel ("w" or "g")."""
    digest = blake2b(f"{channel}{term}".encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "little")


def build_segment(texts: Iterable[str], language: str) -> Segment:
    """Give the segment of some chunks in a language; their positions are the ordinals.

    Raises ValueError above 16,384 chunks.
    """
    numbers: dict[str, int] = {}
    tokens: list[int] = []
    times: list[int] = []
    sizes: list[int] = []
    for text in texts:
        counts = token_counts(text)
        tokens.extend([numbers.setdefault(token, len(numbers)) for token in counts])
        times.extend(counts.values())
        sizes.append(len(counts))
    _refuse_too_many(len(sizes))
    vocabulary = [_token_keys(token, language) for token in numbers]
    occurrences = _Occurrences(
        np.array(tokens, dtype=np.int64),
        np.array(times, dtype=np.int64),
        np.repeat(np.arange(len(sizes)), sizes),
        len(sizes),
    )
    return _segment_of(vocabulary, occurrences)


class _TokenKeys(NamedTuple):
    """A token's keys as little-endian bytes, how many, and what it adds to both lengths."""

    keys: bytes
    key_count: int
    word_count: int
    gram_count: int


@lru_cache(maxsize=65_536)
def _token_keys(token: str, language: str) -> _TokenKeys:
    words, grams, word_count = token_terms(token, language)
    keys = [term_key(WORDS, term) for term in words] + [term_key(GRAMS, gram) for gram in grams]
    packed = b"".join([key.to_bytes(8, "little") for key in keys])
    return _TokenKeys(packed, len(keys), word_count, len(grams))


@dataclass(frozen=True, slots=True)
class _Occurrences:
    """Which token (by number) occurs how often in which chunk."""

    tokens: NDArray[np.int64]
    times: NDArray[np.int64]
    chunks: NDArray[np.int64]
    chunk_count: int

    def lengths(self, per_token: Sequence[int]) -> NDArray[np.uint16]:
        """The sum over each chunk's tokens of what one of them adds."""
        added = np.array(per_token, dtype=np.int64)[self.tokens] * self.times
        sums = np.bincount(self.chunks, weights=added, minlength=self.chunk_count)
        return np.minimum(sums, MAX_LENGTH).astype(np.uint16)


def _segment_of(vocabulary: Sequence[_TokenKeys], seen: _Occurrences) -> Segment:
    keys = np.frombuffer(b"".join([token.keys for token in vocabulary]), "<u8")
    key_counts = np.array([token.key_count for token in vocabulary], dtype=np.int64)
    ends = np.cumsum(key_counts)
    repeats = key_counts[seen.tokens]
    shifts = np.cumsum(repeats) - repeats
    places = np.arange(int(repeats.sum())) + np.repeat(
        (ends - key_counts)[seen.tokens] - shifts, repeats
    )
    key, ordinal, tf = _summed(
        keys[places], np.repeat(seen.chunks, repeats), np.repeat(seen.times, repeats)
    )
    return Segment(
        key,
        ordinal.astype(np.uint16),
        np.minimum(tf, MAX_TF).astype(np.uint8),
        seen.lengths([token.word_count for token in vocabulary]),
        seen.lengths([token.gram_count for token in vocabulary]),
    )


def _summed(
    keys: NDArray[np.uint64], ordinals: NDArray[np.int64], tfs: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Sorted by key, then ordinal; the frequencies of equal pairs added up."""
    # Ordinals come in ascending, so a stable sort by key alone sorts both.
    order = np.argsort(keys, kind="stable")
    keys, ordinals, tfs = keys[order], ordinals[order], tfs[order]
    if keys.size == 0:
        return keys, ordinals, tfs
    first = np.ones(keys.size, dtype=bool)
    first[1:] = (keys[1:] != keys[:-1]) | (ordinals[1:] != ordinals[:-1])
    starts = np.flatnonzero(first)
    return keys[starts], ordinals[starts], np.add.reduceat(tfs, starts)


def merge_segments(segments: Sequence[Segment]) -> Segment:
    """Give one segment holding the chunks of several, one after the other.

    Raises ValueError above 16,384 chunks.
    """
    counts = [segment.chunk_count for segment in segments]
    _refuse_too_many(sum(counts))
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.uint16)
    keys = np.concatenate([segment.keys for segment in segments])
    ordinals = [s.ordinals + first for s, first in zip(segments, firsts, strict=True)]
    # Ordinals rise from one segment to the next, so a stable sort by key alone sorts both.
    order = np.argsort(keys, kind="stable")
    return Segment(
        keys[order],
        np.concatenate(ordinals)[order],
        np.concatenate([segment.tfs for segment in segments])[order],
        np.concatenate([segment.word_lengths for segment in segments]),
        np.concatenate([segment.gram_lengths for segment in segments]),
    )


def keep_chunks(segment: Segment, ranges: Sequence[tuple[int, int]]) -> Segment:
    """Give the segment with only the chunks in `ranges` (first, count), numbered anew.

    The ranges have to ascend.
    """
    if sum(count for _, count in ranges) == segment.chunk_count:
        return segment
    kept = np.concatenate([np.arange(first, first + count) for first, count in ranges])
    renumbered = np.full(segment.chunk_count, -1, dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    ordinals = renumbered[segment.ordinals]
    live = ordinals >= 0
    return Segment(
        segment.keys[live],
        ordinals[live].astype(np.uint16),
        segment.tfs[live],
        segment.word_lengths[kept],
        segment.gram_lengths[kept],
    )


def stored_size(segment: Segment) -> int:
    """Give about how many bytes the pages of a segment take."""
    terms = _run_starts(segment.keys).size
    exceptions = int(np.count_nonzero(segment.tfs >= _EXCEPTION))
    return segment.keys.size * _POSTING_BYTES + terms * _TERM_BYTES + exceptions * _EXCEPTION_BYTES


def page_bits(size: int) -> int:
    """Give how many leading key bits number the pages of a segment of `size` bytes."""
    wanted = max(1, -(-size // _PAGE_BYTES))
    return min(_MAX_PAGE_BITS, (wanted - 1).bit_length())


def encode_pages(segment: Segment, bits: int) -> Iterator[tuple[int, bytes]]:
    """Give the (slot, page) rows of a segment; a slot without terms has no row."""
    terms = _run_starts(segment.keys)
    keys = segment.keys[terms]
    bounds = np.append(terms, segment.keys.size)
    columns = _columns(segment, keys, bounds)
    slots = _slots(keys, bits)
    starts = _run_starts(slots)
    ends = np.append(starts, slots.size)[1:]
    rows = (slots[starts], starts, ends, bounds[starts], bounds[ends])
    for slot, first, last, start, end in zip(*(row.tolist() for row in rows), strict=True):
        yield slot, columns.page(first, last, start, end)


@dataclass(frozen=True, slots=True)
class _Columns:
    """All of a segment's columns as stored, to be sliced into pages."""

    keys: bytes
    dfs: bytes
    postings: bytes
    exceptions: NDArray[np.int64]
    tfs: NDArray[np.uint8]

    def page(self, first: int, last: int, start: int, end: int) -> bytes:
        """The page of terms first..last, whose postings are start..end."""
        before, after = np.searchsorted(self.exceptions, (start, end)).tolist()
        places = (self.exceptions[before:after] - start).astype("<u4")
        return b"".join(
            (
                _HEADER.pack(last - first, after - before),
                self.keys[_KEY_BYTES * first : _KEY_BYTES * last],
                self.dfs[2 * first : 2 * last],
                self.postings[_POSTING_BYTES * start : _POSTING_BYTES * end],
                places.tobytes(),
                self.tfs[before:after].tobytes(),
            )
        )


def _columns(segment: Segment, keys: NDArray[np.uint64], bounds: NDArray[np.int64]) -> _Columns:
    code = np.minimum(segment.tfs, _EXCEPTION).astype(np.uint16) - 1
    exceptions = np.flatnonzero(segment.tfs >= _EXCEPTION)
    return _Columns(
        # The low six of eight bytes, most significant first.
        keys=keys.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 2:].tobytes(),
        dfs=np.diff(bounds).astype("<u2").tobytes(),
        postings=(segment.ordinals | code << _ORDINAL_BITS).astype("<u2").tobytes(),
        exceptions=exceptions,
        tfs=segment.tfs[exceptions],
    )


class TermPostings(NamedTuple):
    """One term's postings in one segment, as stored.

    `first` is the place of the first among the page's postings, which `exceptions` (uint32 each)
    count from; `tfs` are the frequencies of those.
    """

    df: int
    first: int
    packed: bytes
    exceptions: bytes
    tfs: bytes


def find_term(page: bytes, key: int) -> TermPostings | None:
    """Give a term's postings from the page of its slot, nothing when it is not there."""
    terms, exceptions = _HEADER.unpack_from(page)
    place = _place(page, key.to_bytes(_KEY_BYTES, "big"), terms)
    if place < 0:
        return None
    dfs_start = _HEADER.size + _KEY_BYTES * terms
    *earlier, df = struct.unpack_from(f"<{place + 1}H", page, dfs_start)
    first = sum(earlier)
    start = dfs_start + 2 * terms + _POSTING_BYTES * first
    packed = page[start : start + _POSTING_BYTES * df]
    if exceptions == 0:
        return TermPostings(df, first, packed, b"", b"")
    return TermPostings(df, first, packed, *_exceptions(page, exceptions, first, df))


class Unpacked(NamedTuple):
    """Postings of one term: every ordinal, and at which places the frequency is above 1.

    `tfs` are the frequencies at those `places`; nearly all others are 1.
    """

    ordinals: NDArray[np.uint16]
    places: NDArray[np.int64]
    tfs: NDArray[np.uint8]


def unpack(found: Sequence[TermPostings]) -> Unpacked:
    """Give the postings of one term from several segments, one after the other."""
    values = np.frombuffer(b"".join([part.packed for part in found]), "<u2")
    places = np.flatnonzero(values > _ORDINALS)
    tfs = ((values[places] >> _ORDINAL_BITS) + 1).astype(np.uint8)
    exceptions = np.frombuffer(b"".join([part.exceptions for part in found]), "<u4")
    if exceptions.size:
        dfs = np.array([part.df for part in found], dtype=np.int64)
        firsts = np.array([part.first for part in found], dtype=np.int64)
        moved = np.repeat(np.cumsum(dfs) - dfs - firsts, [len(part.tfs) for part in found])
        known = np.frombuffer(b"".join([part.tfs for part in found]), np.uint8)
        tfs[np.searchsorted(places, exceptions + moved)] = known
    return Unpacked(values & np.uint16(_ORDINALS), places, tfs)


def _unpack(packed: bytes) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Ordinals and frequencies, exceptions not yet put in."""
    values = np.frombuffer(packed, "<u2")
    return values & np.uint16(_ORDINALS), ((values >> _ORDINAL_BITS) + 1).astype(np.uint8)


def _place(page: bytes, key: bytes, terms: int) -> int:
    """Where a key stands among a page's terms, -1 when it does not."""
    start, end = _HEADER.size, _HEADER.size + _KEY_BYTES * terms
    at = page.find(key, start, end)
    while at >= 0 and (at - start) % _KEY_BYTES:  # across the border of two keys
        at = page.find(key, at + 1, end)
    return (at - start) // _KEY_BYTES if at >= 0 else -1


def _exceptions(page: bytes, count: int, first: int, df: int) -> tuple[bytes, bytes]:
    """Places and frequencies of the exceptions among postings first..first+df."""
    start = len(page) - _EXCEPTION_BYTES * count
    tfs_start = start + 4 * count
    places = memoryview(page)[start:tfs_start].cast("I")
    low = bisect_left(places, first)
    high = bisect_left(places, first + df, low)
    return page[start + 4 * low : start + 4 * high], page[tfs_start + low : tfs_start + high]


def decode_pages(
    pages: Iterable[bytes],
    word_lengths: NDArray[np.uint16],
    gram_lengths: NDArray[np.uint16],
) -> Segment:
    """Give the segment stored in its pages, which come by ascending slot."""
    parts = [_decode_page(page) for page in pages]
    if not parts:
        empty = np.array([], dtype=np.uint16)
        return Segment(
            empty.astype(np.uint64), empty, empty.astype(np.uint8), word_lengths, gram_lengths
        )
    keys, ordinals, tfs = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Segment(keys, ordinals, tfs, word_lengths, gram_lengths)


def slot_of(key: int, bits: int) -> int:
    """Give the slot of a key among pages numbered by `bits` leading bits."""
    return (1 << bits) | (key >> (_KEY_BITS - bits))


def _decode_page(
    page: bytes,
) -> tuple[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.uint8]]:
    terms, count = _HEADER.unpack_from(page)
    dfs_start = _HEADER.size + _KEY_BYTES * terms
    start = dfs_start + 2 * terms
    end = len(page) - _EXCEPTION_BYTES * count
    dfs = np.frombuffer(page, "<u2", terms, dfs_start)
    ordinals, tfs = _unpack(page[start:end])
    tfs[np.frombuffer(page, "<u4", count, end)] = np.frombuffer(
        page, np.uint8, count, end + 4 * count
    )
    return np.repeat(_decode_keys(page[_HEADER.size : dfs_start]), dfs), ordinals, tfs


def _decode_keys(stored: bytes) -> NDArray[np.uint64]:
    wide = np.zeros((len(stored) // _KEY_BYTES, 8), dtype=np.uint8)
    wide[:, 2:] = np.frombuffer(stored, np.uint8).reshape(-1, _KEY_BYTES)
    return wide.view(">u8").reshape(-1).astype(np.uint64)


def _refuse_too_many(chunks: int) -> None:
    if chunks > MAX_CHUNKS:
        raise ValueError(f"a segment holds at most {MAX_CHUNKS} chunks, not {chunks}")


def _slots(keys: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    if bits == 0:
        return np.ones(keys.size, dtype=np.uint64)
    return (keys >> np.uint64(_KEY_BITS - bits)) | np.uint64(1 << bits)


def _run_starts(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Where each run of equal values begins in a sorted array."""
    if values.size == 0:
        return np.array([], dtype=np.int64)
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate([[0], changes])
