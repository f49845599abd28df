"""Spreadsheets of LibreOffice and others, sheet by sheet, read as a stream.

Numbers are as displayed, dates as ISO dates. A million equal rows are one row that says so; empty
ones are none. Hidden sheets are read and named so.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from apps.ingestion.extractors.odf import (
    ANNOTATION,
    DRAW,
    OFFICE,
    STYLE,
    TABLE,
    blocks,
    cell_text,
    comment,
    count,
    open_document,
)
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sections import Piece, part_of
from apps.ingestion.extractors.sheets import Cell, Row, is_figure, one_line, sheet_parts
from apps.ingestion.values import ExtractedPart, Locator, Note
from apps.ingestion.xml import Element, outermost

VERSION = 1

_ROW = f"{TABLE}table-row"
_SHAPES = f"{TABLE}shapes"
_SHEET = f"{TABLE}table"
_LEAVES = frozenset({_ROW, _SHAPES, f"{STYLE}style"})
_MOST_ROWS = 1 << 20
_MOST_COLUMNS = 1 << 14
_MOST_CELLS = 2_048


class _Sheet(NamedTuple):
    """A sheet's place in the file and how it is called."""

    number: int
    name: str
    hidden: bool

    def locator(self) -> Locator:
        locator: Locator = {"kind": "rows", "sheet": self.name}
        if self.hidden:
            locator["place"] = "hidden"
        return locator


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """The tables of each sheet, then its text boxes and the comments on its cells."""
    with open_document(reading) as archive, archive.open("content.xml") as stream:
        book = _Book(reading)
        for sheet, rows in groupby(book.rows(outermost(stream, _LEAVES, frozenset({_SHEET}))), _of):
            yield from sheet_parts((row for _, row in rows), sheet.locator())
            if pieces := book.taken_remarks():
                yield part_of(pieces, sheet.locator())


def _of(found: tuple[_Sheet, Row]) -> _Sheet:
    return found[0]


class _Book:
    """Follows the stream: which sheet it is in, at which row."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._hidden_styles: set[str] = set()
        self._remarks: list[Piece] = []

    def taken_remarks(self) -> list[Piece]:
        """Text boxes and comments met so far, each once."""
        remarks, self._remarks = self._remarks, []
        return [piece for piece in remarks if piece.text.strip()]

    def rows(self, nodes: Iterator[Element]) -> Iterator[tuple[_Sheet, Row]]:
        """Each row with content and its sheet; a row without any for each sheet's beginning."""
        sheet, at = _Sheet(0, "", hidden=False), 0
        for node in nodes:
            if node.tag == _SHEET:
                sheet, at = self._sheet(node, sheet.number + 1), 0
                yield sheet, Row(0, 0, ())
            elif node.tag == _ROW:
                times = count(node, f"{TABLE}number-rows-repeated", most=_MOST_ROWS)
                yield sheet, Row(at + 1, at + times, tuple(self._cells(node)))
                at += times
            elif node.tag == _SHAPES:
                self._remarks += blocks(node)
            else:
                self._note_style(node)

    def _sheet(self, node: Element, number: int) -> _Sheet:
        hidden = node.get(f"{TABLE}style-name", "") in self._hidden_styles
        return _Sheet(number, node.get(f"{TABLE}name", ""), hidden)

    def _note_style(self, style: Element) -> None:
        properties = style.find(f"{STYLE}table-properties")
        if properties is not None and properties.get(f"{TABLE}display") == "false":
            self._hidden_styles.add(style.get(f"{STYLE}name", ""))

    def _cells(self, row: Element) -> Iterator[Cell]:
        column = given = 0
        for node in row.iterchildren(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
            times = count(node, f"{TABLE}number-columns-repeated", most=_MOST_COLUMNS)
            text = self._value(node) if len(node) or node.attrib else ""
            for nth in range(1, min(times, _MOST_CELLS - given) + 1 if text else 1):
                yield Cell(column + nth, text, is_figure(text))
                given += 1
            column += times

    def _value(self, cell: Element) -> str:
        """What a cell shows, dates as ISO dates; its comment and boxes are kept for later."""
        for node in list(cell):
            if node.tag == ANNOTATION:
                self._remarks += comment(node)
            elif str(node.tag).startswith(DRAW):
                self._remarks += blocks([node])
            else:
                continue
            cell.remove(node)
        if date := cell.get(f"{OFFICE}date-value"):
            return date.replace("T", " ").removesuffix(" 00:00:00")
        text = one_line(cell_text(cell)) or cell.get(f"{OFFICE}value", "")
        formula = cell.get(f"{TABLE}formula")
        if formula and not text and cell.get(f"{OFFICE}value-type", "float") == "float":
            self._reading.notes[Note.FORMULAS_NOT_CALCULATED] += 1
            return f"{formula[formula.find('=') :]} (not calculated)"
        return text
