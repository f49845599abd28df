"""Segments: which terms stand in which chunks, as arrays and as stored pages. Pure.

A term is known by a 64-bit key of its channel and text, so stored rows are small, bounded and
free of anything a source could smuggle in. A segment's postings are cut by the leading bits of
the keys into pages of about 2 kB. A page's slot number says how many bits and which:
`1 << bits | key >> (64 − bits)`, so one list of slots asks every segment of a notebook.

Page, little endian: uint32 number of terms n · n × uint64 keys, ascending · n × uint16 document
frequencies · ordinals, term after term, ascending · uint8 term frequencies. Ordinals are uint8 in
segments of up to 256 chunks, uint16 in larger ones.
"""

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
MAX_CHUNKS = 65_535
MAX_TF = 255
MAX_LENGTH = 65_535

_KEY_BITS = 64
_MAX_PAGE_BITS = 16
_PAGE_BYTES = 2_000
_TERM_BYTES = 10
_HEADER = 4


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
    """Give the 64-bit key of a term in a channel ("w" or "g")."""
    digest = blake2b(f"{channel}{term}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def build_segment(texts: Iterable[str], language: str) -> Segment:
    """Give the segment of some chunks in a language; their positions are the ordinals.

    Raises ValueError above 65,535 chunks.
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

    Raises ValueError above 65,535 chunks.
    """
    counts = [segment.chunk_count for segment in segments]
    _refuse_too_many(sum(counts))
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.uint16)
    return _sorted_segment(
        np.concatenate([segment.keys for segment in segments]),
        np.concatenate([s.ordinals + first for s, first in zip(segments, firsts, strict=True)]),
        np.concatenate([segment.tfs for segment in segments]),
        np.concatenate([segment.word_lengths for segment in segments]),
        np.concatenate([segment.gram_lengths for segment in segments]),
    )


def keep_chunks(segment: Segment, ranges: Sequence[tuple[int, int]]) -> Segment:
    """Give the segment with only the chunks in `ranges` (first, count), numbered anew in order."""
    kept = np.concatenate([np.arange(first, first + count) for first, count in ranges])
    renumbered = np.full(segment.chunk_count, -1, dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    ordinals = renumbered[segment.ordinals]
    live = ordinals >= 0
    return _sorted_segment(
        segment.keys[live],
        ordinals[live].astype(np.uint16),
        segment.tfs[live],
        segment.word_lengths[kept],
        segment.gram_lengths[kept],
    )


def stored_size(segment: Segment) -> int:
    """Give about how many bytes the pages of a segment take."""
    postings = segment.keys.size * (1 + ordinal_bytes(segment.chunk_count))
    return postings + _term_starts(segment.keys).size * _TERM_BYTES


def page_bits(size: int) -> int:
    """Give how many leading key bits number the pages of a segment of `size` bytes."""
    wanted = max(1, -(-size // _PAGE_BYTES))
    return min(_MAX_PAGE_BITS, (wanted - 1).bit_length())


def encode_pages(segment: Segment, bits: int) -> Iterator[tuple[int, bytes]]:
    """Give the (slot, page) rows of a segment; a slot without terms has no row."""
    slots = _slots(segment.keys, bits)
    starts = _term_starts(slots)
    ends = np.append(starts, slots.size)[1:]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        yield int(slots[start]), _encode_page(segment, start, end)


def ordinal_bytes(chunk_count: int) -> int:
    """Give how many bytes an ordinal takes in the pages of a segment of so many chunks."""
    return 1 if chunk_count <= 256 else 2


def decode_pages(
    pages: Iterable[bytes | memoryview],
    word_lengths: NDArray[np.uint16],
    gram_lengths: NDArray[np.uint16],
) -> Segment:
    """Give the segment stored in its pages, in any order."""
    parts = [_decode_page(page, len(word_lengths)) for page in pages]
    if not parts:
        empty = np.array([], dtype=np.uint16)
        return Segment(
            empty.astype(np.uint64), empty, empty.astype(np.uint8), word_lengths, gram_lengths
        )
    keys, ordinals, tfs = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _sorted_segment(keys, ordinals, tfs, word_lengths, gram_lengths)


def slot_of(key: int, bits: int) -> int:
    """Give the slot of a key among pages numbered by `bits` leading bits."""
    return (1 << bits) | (key >> (_KEY_BITS - bits))


def _encode_page(segment: Segment, start: int, end: int) -> bytes:
    keys = segment.keys[start:end]
    firsts = _term_starts(keys)
    dfs = np.diff(np.append(firsts, keys.size)).astype("<u2")
    return b"".join(
        (
            len(firsts).to_bytes(_HEADER, "little"),
            keys[firsts].astype("<u8").tobytes(),
            dfs.tobytes(),
            segment.ordinals[start:end].astype(_ordinal_type(segment.chunk_count)).tobytes(),
            segment.tfs[start:end].tobytes(),
        )
    )


def _decode_page(
    page: bytes | memoryview, chunk_count: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.uint8]]:
    terms = int.from_bytes(page[:_HEADER], "little")
    keys = np.frombuffer(page, "<u8", terms, _HEADER)
    dfs = np.frombuffer(page, "<u2", terms, _HEADER + 8 * terms)
    count = int(dfs.sum(dtype=np.int64))
    data = _HEADER + _TERM_BYTES * terms
    ordinals = np.frombuffer(page, _ordinal_type(chunk_count), count, data).astype(np.uint16)
    tfs = np.frombuffer(page, np.uint8, count, data + count * ordinal_bytes(chunk_count))
    return np.repeat(keys, dfs), ordinals, tfs


def _ordinal_type(chunk_count: int) -> str:
    return f"<u{ordinal_bytes(chunk_count)}"


def _sorted_segment(
    keys: NDArray[np.uint64],
    ordinals: NDArray[np.uint16],
    tfs: NDArray[np.uint8],
    word_lengths: NDArray[np.uint16],
    gram_lengths: NDArray[np.uint16],
) -> Segment:
    order = np.lexsort((ordinals, keys))
    return Segment(keys[order], ordinals[order], tfs[order], word_lengths, gram_lengths)


def _refuse_too_many(chunks: int) -> None:
    if chunks > MAX_CHUNKS:
        raise ValueError(f"a segment holds at most {MAX_CHUNKS} chunks, not {chunks}")


def _slots(keys: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    if bits == 0:
        return np.ones(keys.size, dtype=np.uint64)
    return (keys >> np.uint64(_KEY_BITS - bits)) | np.uint64(1 << bits)


def _term_starts(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Where each run of equal values begins in a sorted array."""
    if values.size == 0:
        return np.array([], dtype=np.int64)
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate([[0], changes])
