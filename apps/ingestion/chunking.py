"""Parts into passages. Pure.

The chunks of a part partition its text: in order, without gap or overlap, none empty, so that
`"".join(chunks) == part.text`. A cut falls, by preference, after a paragraph, a sentence, a line, a
word; in tables and code only after a line as long as that line fits; never inside a grapheme
cluster (UAX 29), except in one that alone is longer than a chunk may be.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import regex

from apps.ingestion.values import Block, BlockKind, ChunkDraft, ExtractedPart, Line, Locator, Scale

VERSION = 1
TARGET_MIN = 900
TARGET_MAX = 1200

_CLUSTER = regex.compile(r"\X")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"[.!?…][\"'’”»)\]]*\s+|[。！？][」』”’）]*\s*")
_LINE = re.compile(r"\n")
_WORD = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Size:
    """The bounds of a chunk in code points."""

    least: int = TARGET_MIN
    most: int = TARGET_MAX

    def __post_init__(self) -> None:
        if not 0 < self.least <= self.most:
            raise ValueError("a chunk's least size must be above 0 and not above its most")


def chunk(
    part: ExtractedPart, *, number: int, first_ordinal: int, size: Size | None = None
) -> Iterator[ChunkDraft]:
    """The passages of part `number` (from 0) in order, numbered on from `first_ordinal`.

    Locators carry `start` and `end`; `lines` for text kinds, `rows` or `times` where the part has
    a scale, `block` where blocks are given, `columns` where a table goes on. Boxes are clipped to
    the chunk.
    """
    view = _PartView(part)
    for ordinal, (start, end) in enumerate(_ranges(part, size or Size()), first_ordinal):
        yield ChunkDraft(
            ordinal=ordinal,
            part=number,
            start=start,
            end=end,
            text=part.text[start:end],
            locator=view.locator(start, end),
            lines=view.lines(start, end),
        )


def _ranges(part: ExtractedPart, size: Size) -> Iterator[tuple[int, int]]:
    blocks = _BlockMap(part.blocks)
    start, total = 0, len(part.text)
    while start < total:
        end = _cut(part.text, start, blocks, size)
        yield start, end
        start = end


def _cut(text: str, start: int, blocks: _BlockMap, size: Size) -> int:
    """Where the chunk that begins at `start` ends: always beyond `start`."""
    left = len(text) - start
    if left <= size.most:
        return len(text)
    low, high = _window(start, left, size)
    for pattern in (_PARAGRAPH, _SENTENCE, _LINE, _WORD):
        end = _last_match(pattern, text, start, low, high, blocks)
        if end is not None:
            return end
    # A long row or code line: rather an uneven chunk than a cut line.
    line_end = _last_match(_LINE, text, start, start + 1, start + size.most, blocks)
    return line_end or _cluster_end(text, start, high)


def _window(start: int, left: int, size: Size) -> tuple[int, int]:
    """Where a cut may fall; the last two chunks share what is left evenly."""
    if left >= 2 * size.most:
        return start + size.least, start + size.most
    half, slack = left // 2, (size.most - size.least) // 2
    return start + max(1, half - slack), start + min(size.most, half + slack)


def _last_match(
    pattern: re.Pattern[str], text: str, start: int, low: int, high: int, blocks: _BlockMap
) -> int | None:
    """The last end of `pattern` within [low, high] that may be a cut."""
    found = [m.end() for m in pattern.finditer(text, max(start, low - 8), high) if m.end() >= low]
    for end in reversed(found):
        if blocks.allows(text, end) and _is_boundary(text, start, end):
            return end
    return None


class _BlockMap:
    """Which offsets lie inside rows or code, where only line ends may be cuts."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        self._whole = [b for b in blocks if b.kind is not BlockKind.PROSE]
        self._starts = [b.start for b in self._whole]

    def allows(self, text: str, offset: int) -> bool:
        """Whether a cut at `offset` keeps every row and code line whole."""
        at = bisect_right(self._starts, offset) - 1
        inside = at >= 0 and self._whole[at].start < offset < self._whole[at].end
        return not inside or text[offset - 1] == "\n"


def _is_boundary(text: str, start: int, offset: int) -> bool:
    """Whether `offset` lies between grapheme clusters, counted from the boundary `start`."""
    return _is_plain_border(text, offset) or _cluster_end(text, start, offset) == offset


def _is_plain_border(text: str, offset: int) -> bool:
    """Between two ASCII characters there is always a border, but not inside CR LF."""
    around = text[offset - 1 : offset + 1]
    return around.isascii() and around != "\r\n"


def _cluster_end(text: str, start: int, limit: int) -> int:
    """The last cluster border in (start, limit]; `limit` itself when one cluster fills it all."""
    if _is_plain_border(text, limit):
        return limit
    end = start
    # Beyond the limit the pattern must still see what belongs to the last cluster.
    for match in _CLUSTER.finditer(text, start, min(len(text), limit + 64)):
        if match.end() > limit:
            break
        end = match.end()
    return end if end > start else limit


class _PartView:
    """What stands at a range of a part: locator and boxes. Asked in ascending order."""

    def __init__(self, part: ExtractedPart) -> None:
        self._part = part
        self._line_starts = [line.start for line in part.lines]
        self._block_starts = [block.start for block in part.blocks]
        self._mark_starts = [mark.start for mark in part.scale.marks] if part.scale else []
        self._counted, self._line_number = 0, part.first_line

    def locator(self, start: int, end: int) -> Locator:
        """The part's locator narrowed to the range."""
        locator: Locator = {**self._part.locator, "start": start, "end": end}
        if self._line_number is not None:
            locator["lines"] = self._file_lines(start, end)
        if self._part.scale is not None and self._mark_starts:
            locator[self._part.scale.key] = self._range(self._part.scale, start, end)
        if self._block_starts:
            at = max(0, bisect_right(self._block_starts, start) - 1)
            locator["block"] = at + 1
            if (columns := self._columns(at, start)) is not None:
                locator["columns"] = columns
        return locator

    def _file_lines(self, start: int, end: int) -> list[int]:
        text = self._part.text
        assert self._line_number is not None
        first = self._line_number + text.count("\n", self._counted, start)
        last = first + text.count("\n", start, max(start, end - 1))
        self._counted, self._line_number = start, first
        return [first, last]

    def _range(self, scale: Scale, start: int, end: int) -> list[Any]:
        first = max(0, bisect_right(self._mark_starts, start) - 1)
        last = max(first, bisect_left(self._mark_starts, end) - 1)
        return [scale.marks[first].first, max(m.last for m in scale.marks[first : last + 1])]

    def _columns(self, at: int, start: int) -> str | None:
        block = self._part.blocks[at]
        continues = block.start < start < block.end
        return block.columns if continues and block.columns else None

    def lines(self, start: int, end: int) -> tuple[Line, ...]:
        """The visual lines that the range touches, clipped to it."""
        at = max(0, bisect_right(self._line_starts, start) - 1)
        clipped = []
        for line in self._part.lines[at:]:
            if line.start >= end:
                break
            if line.end > start:
                clipped.append(_clip(line, start, end))
        return tuple(clipped)


def _clip(line: Line, start: int, end: int) -> Line:
    """The part of a line inside the range, its box narrowed in proportion to the characters."""
    if start <= line.start and line.end <= end:
        return line
    width = (line.x1 - line.x0) / max(1, line.end - line.start)
    first, last = max(line.start, start), min(line.end, end)
    x0, x1 = line.x0 + width * (first - line.start), line.x0 + width * (last - line.start)
    return replace(line, start=first, end=last, x0=round(x0, 5), x1=round(x1, 5))
