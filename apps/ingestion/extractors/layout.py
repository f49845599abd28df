"""Lines of a page put into the order in which they are read. Pure.

Producers usually draw a page in reading order, and that order is kept. Where it jumps (a footer
drawn first, columns drawn row by row), lines are ordered by recursive cuts along white space, between
columns and across the widest gap (the X-Y cut of Nagy and Seth, 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from apps.ingestion.extractors.pdfium import VisualLine
from apps.ingestion.values import Line

# In usual line distances of the page: from here on a step down begins a paragraph.
_PARAGRAPH_STEP = 1.35
# Line boxes are as high as the font asks and may overlap; their middle never does.
_MIDDLE = 0.25
# Each cut is one level of recursion.
_MOST_LINES_TO_ORDER = 300


@dataclass(frozen=True, slots=True)
class Placed:
    """The text of a page and where each of its lines stands."""

    text: str
    lines: tuple[Line, ...]


def place_lines(drawn: Sequence[VisualLine]) -> Placed:
    """The page's text: lines joined by a newline, paragraphs by an empty line."""
    ordered = in_reading_order(drawn)
    steps = [_step(above, line) for above, line in pairwise(ordered)]
    usual = _usual_step(steps)
    pieces: list[str] = []
    lines: list[Line] = []
    at = 0
    for number, line in enumerate(ordered):
        if number:
            hyphen = ordered[number - 1].text.endswith("-")
            gap = "\n" if hyphen or not _begins_paragraph(steps[number - 1], usual) else "\n\n"
            pieces.append(gap)
            at += len(gap)
        lines.append(Line(at, at + len(line.text), line.x0, line.y0, line.x1, line.y1))
        pieces.append(line.text)
        at += len(line.text)
    return Placed("".join(pieces), tuple(lines))


def _step(above: VisualLine, line: VisualLine) -> float:
    return min(line.y1 - above.y1, line.y0 - above.y0)


def _usual_step(steps: Sequence[float]) -> float:
    """The most ordinary distance from one line to the next below it, as a share of the page."""
    down = [step for step in steps if step > 0]
    return median(down) if down else 1.0


def _begins_paragraph(step: float, usual: float) -> bool:
    return step > _PARAGRAPH_STEP * usual or step < -3 * usual


def in_reading_order(drawn: Sequence[VisualLine]) -> list[VisualLine]:
    """The lines as a person reads them; the drawing order where that already goes downwards."""
    if len(drawn) > _MOST_LINES_TO_ORDER or _reads_downwards(drawn):
        return list(drawn)
    return [drawn[at] for at in _cut(drawn, list(range(len(drawn))))]


def _reads_downwards(drawn: Sequence[VisualLine]) -> bool:
    """Whether each line is below the one before, or begins a column to the right of it."""
    return all(line.y0 >= above.y1 or _continues(above, line) for above, line in pairwise(drawn))


def _continues(above: VisualLine, line: VisualLine) -> bool:
    """Whether a line that is not wholly below the one before still follows it."""
    below = line.y1 >= above.y1 - (above.y1 - above.y0) * 0.5
    if not below:
        return line.x0 >= above.x1
    return not (_same_row(above, line) and line.x1 <= above.x0)


def _same_row(a: VisualLine, b: VisualLine) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5 * min(a.y1 - a.y0, b.y1 - b.y0)


def _cut(drawn: Sequence[VisualLine], members: list[int]) -> list[int]:
    """The members in reading order: columns where there are some, else above the widest gap."""
    if len(members) < 2:
        return members
    beside = _bands(members, [(drawn[m].x0, drawn[m].x1) for m in members])
    if len(beside) > 1 and _are_columns(drawn, beside):
        return [m for band in beside for m in _cut(drawn, band)]
    across = _bands(members, [_middle(drawn[m].y0, drawn[m].y1) for m in members])
    if len(across) > 1:
        at = _widest_gap(drawn, across)
        above = [m for band in across[:at] for m in band]
        below = [m for band in across[at:] for m in band]
        return _cut(drawn, above) + _cut(drawn, below)
    return sorted(members, key=lambda m: drawn[m].x0)


def _widest_gap(drawn: Sequence[VisualLine], bands: list[list[int]]) -> int:
    """The index of the band below the widest white space."""
    bottoms = [max(drawn[m].y1 for m in band) for band in bands[:-1]]
    tops = [min(drawn[m].y0 for m in band) for band in bands[1:]]
    gaps = [top - bottom for top, bottom in zip(tops, bottoms, strict=True)]
    return gaps.index(max(gaps)) + 1


def _middle(start: float, end: float) -> tuple[float, float]:
    inset = (end - start) * _MIDDLE
    return start + inset, end - inset


def _bands(members: list[int], spans: list[tuple[float, float]]) -> list[list[int]]:
    """Groups of members between which no span crosses, in ascending order."""
    groups: list[list[int]] = []
    reach = float("-inf")
    for (start, end), member in sorted(zip(spans, members, strict=True)):
        if start >= reach:
            groups.append([])
        groups[-1].append(member)
        reach = max(reach, end)
    return groups


def _are_columns(drawn: Sequence[VisualLine], groups: list[list[int]]) -> bool:
    """Columns of text hold several lines each; cells of a table row hold one."""
    return all(len(group) > 2 for group in groups) and all(
        max(drawn[m].x1 for m in group) - min(drawn[m].x0 for m in group) > 0.15 for group in groups
    )
