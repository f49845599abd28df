"""The one place where characters that no store accepts leave a text, with offsets kept true.

Removed: NUL and other control characters but tab and newline, lone surrogates, noncharacters and
runs of U+FFFD (a single one marks one lost character, a run is a font without a map). Line ends
become a newline.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from itertools import accumulate

from apps.ingestion.values import Block, ExtractedPart, Line, Scale

_DIRT = re.compile(
    "\r\n?"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]+"
    "|[\ud800-\udfff]+"
    "|[\ufdd0-\ufdef\ufffe\uffff]+"
    "|\ufffd{2,}"
)
# One character class is found much faster than the alternatives above.
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffd-\uffff]"
)
_LOSS_FREE = frozenset(["\r\n", "\r", "\x0c", "\x0b"])


def clean_text(text: str) -> tuple[str, int]:
    """The text without characters that cannot be stored, and how many were lost."""
    lost = 0

    def swap(match: re.Match[str]) -> str:
        nonlocal lost
        found = match.group()
        if found in _LOSS_FREE:
            return "\n"
        lost += len(found)
        return ""

    return _DIRT.sub(swap, text), lost


def clean_part(part: ExtractedPart) -> tuple[ExtractedPart, int]:
    """The part with a storable text, its lines and blocks moved along, and the characters lost."""
    if _SUSPECT.search(part.text) is None:
        return part, 0
    text, lost = clean_text(part.text)
    moved = _Moved(part.text)
    return (
        replace(
            part,
            text=text,
            lines=tuple(_move_line(line, moved) for line in part.lines),
            blocks=tuple(_move_block(block, moved) for block in part.blocks),
            scale=_move_scale(part.scale, moved),
        ),
        lost,
    )


class _Moved:
    """Old offset to new offset, by the characters that each removal before it took away."""

    def __init__(self, text: str) -> None:
        matches = list(_DIRT.finditer(text))
        kept = [1 if m.group() in _LOSS_FREE else 0 for m in matches]
        self._starts = [m.start() for m in matches]
        self._ends = [m.end() for m in matches]
        self._kept = kept
        self._removed = list(
            accumulate(m.end() - m.start() - k for m, k in zip(matches, kept, strict=True))
        )

    def __call__(self, offset: int) -> int:
        n = bisect_left(self._starts, offset)
        if n == 0:
            return offset
        if offset < self._ends[n - 1]:
            before = self._removed[n - 2] if n > 1 else 0
            return self._starts[n - 1] - before + self._kept[n - 1]
        return offset - self._removed[n - 1]


def _move_line(line: Line, moved: _Moved) -> Line:
    return replace(line, start=moved(line.start), end=moved(line.end))


def _move_block(block: Block, moved: _Moved) -> Block:
    return replace(block, start=moved(block.start), end=moved(block.end))


def _move_scale(scale: Scale | None, moved: _Moved) -> Scale | None:
    if scale is None:
        return None
    marks = tuple(replace(mark, start=moved(mark.start)) for mark in scale.marks)
    return replace(scale, marks=marks)
