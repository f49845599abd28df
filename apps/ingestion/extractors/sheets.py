"""Rows of a sheet as text that stands for itself: "Header: value" for each cell. Pure.

The names of the columns come from the first row that looks like a header. A row of names after a
gap, above figures, begins another table with names of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from apps.ingestion.values import Block, BlockKind, ExtractedPart, Locator, Mark, Scale

CELL_SEPARATOR = " | "
_LARGEST_PART = 400_000
_LONGEST_NAME = 120
_LONGEST_COLUMNS = 500
_YEAR = re.compile(r"(19|20)\d\d$")
_FIGURE = re.compile(
    r"[-+(]?[\d.,'\u00a0\u202f ]*\d[\d.,]*\)?\s*(%|[€$£¥]|[A-Z]{3})?$|[€$£¥]\s*[\d.,]+$"
)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d\d:\d\d(:\d\d)?.*)?$")


class Cell(NamedTuple):
    """What a cell shows, on one line; `column` counts from 1."""

    column: int
    text: str
    is_figure: bool = False


class Row(NamedTuple):
    """The cells with content of the rows `first` to `last`, counted from 1, which are all alike."""

    first: int
    last: int
    cells: tuple[Cell, ...]


def one_line(text: str) -> str:
    """The text of a cell without its line breaks."""
    return " ".join(text.split())


def is_figure(text: str) -> bool:
    """Whether a text is a number, an amount or a date."""
    return len(text) < 40 and bool(_FIGURE.match(text) or _DATE.match(text))


def sheet_parts(rows: Iterable[Row], locator: Locator) -> Iterator[ExtractedPart]:
    """A sheet as one part, or several when it holds several tables or is very long.

    `locator` names the sheet; parts get `columns` where the rows have a header.
    """
    table = _Table(locator)
    before: Row | None = None
    filled: Iterator[Row | None] = (row for row in rows if row.cells)
    for row, after in pairwise(chain(filled, (None,))):
        if row is None:
            break
        if _is_header(row, before, after, has_names=table.has_names):
            if table.has_names:
                yield from table.part()
                table = _Table(locator)
            table.name_columns(row)
        else:
            table.add(row)
        if table.is_full:
            yield from table.part()
        before = row
    yield from table.part()


def _is_header(row: Row, before: Row | None, after: Row | None, *, has_names: bool) -> bool:
    if after is None or after.first != row.last + 1 or not _looks_like_names(row):
        return False
    named = {cell.column for cell in row.cells}
    if not any(cell.column in named for cell in after.cells):
        return False
    if not has_names:
        return True
    after_gap = before is not None and row.first > before.last + 1
    return after_gap and any(c.is_figure and c.column in named for c in after.cells)


def _looks_like_names(row: Row) -> bool:
    """Several different short words; a year may be a name among others."""
    texts = [cell.text for cell in row.cells]
    words = [cell for cell in row.cells if not cell.is_figure]
    only_years = all(_YEAR.match(cell.text) for cell in row.cells if cell.is_figure)
    return (
        len(texts) > 1
        and bool(words)
        and only_years
        and len(set(texts)) == len(texts)
        and all(len(text) <= _LONGEST_NAME for text in texts)
        and not texts[0].endswith(":")
    )


class _Table:
    """Collects the lines of a part."""

    def __init__(self, locator: Locator) -> None:
        self._locator = locator
        self._names: dict[int, str] = {}
        self._columns = ""
        self._start_part()

    def _start_part(self) -> None:
        self._lines: list[str] = []
        self._marks: list[Mark] = []
        self._length = 0

    @property
    def has_names(self) -> bool:
        """Whether a header has been met."""
        return bool(self._names)

    @property
    def is_full(self) -> bool:
        """Whether the part should be given away: memory stays flat however long the sheet is."""
        return self._length > _LARGEST_PART

    def name_columns(self, row: Row) -> None:
        """Take the row as the header of what follows."""
        self._names = {cell.column: cell.text for cell in row.cells}
        line = CELL_SEPARATOR.join(self._names.values())
        self._columns = line[:_LONGEST_COLUMNS]
        self._append(row, line)

    def add(self, row: Row) -> None:
        """Add a row under the names known so far; a lone text heads the rows below it."""
        is_title = len(row.cells) == 1 and len(self._names) > 2 and not row.cells[0].is_figure
        names = {} if is_title else self._names
        self._append(row, CELL_SEPARATOR.join(_named(cell, names) for cell in row.cells))

    def _append(self, row: Row, line: str) -> None:
        self._marks.append(Mark(self._length, row.first, row.last))
        self._lines.append(line + "\n")
        self._length += len(line) + 1

    def part(self) -> Iterator[ExtractedPart]:
        """The lines so far as a part, if there are any."""
        text = "".join(self._lines)
        locator: Locator = {**self._locator, "kind": "rows"}
        if self._columns:
            locator["columns"] = self._columns
        if text:
            yield ExtractedPart(
                locator=locator,
                text=text,
                blocks=(Block(0, len(text), BlockKind.ROWS),),
                scale=Scale("rows", tuple(self._marks)),
            )
        self._start_part()


def _named(cell: Cell, names: dict[int, str]) -> str:
    name = names.get(cell.column)
    return f"{name}: {cell.text}" if name else cell.text
