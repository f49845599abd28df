"""Excel workbooks, sheet by sheet (ECMA-376 part 1, chapter 18).

Only cells with content count: a format in the last row makes no rows. Hidden sheets, rows and
columns are read too, hidden sheets are named so. A merged range has its text once, at its first
cell. A formula shows its stored result, or itself where none was stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

from apps.ingestion.archives import open_archive
from apps.ingestion.extractors.numberformats import (
    NumberFormat,
    built_in_format,
    format_of,
    shown,
)
from apps.ingestion.extractors.package import Package, relation_id
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sheets import Cell, Row, is_figure, one_line, sheet_parts
from apps.ingestion.values import ExtractedPart, Locator, Mark, Note, Scale
from apps.ingestion.xml import Element, finished

VERSION = 1

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ROW, _ITEM = f"{_S}row", f"{_S}si"
_CELL, _VALUE, _FORMULA, _INLINE = f"{_S}c", f"{_S}v", f"{_S}f", f"{_S}is"
_TEXT, _READING = f"{_S}t", f"{_S}rPh"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ROWS_BETWEEN_SIGNS = 5_000
_LAST_COLUMN = 16_384


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet of the workbook and the part that holds it."""

    name: str
    part: str
    hidden: bool

    def locator(self) -> Locator:
        locator: Locator = {"kind": "rows", "sheet": self.name}
        if self.hidden:
            locator["place"] = "hidden"
        return locator


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """The tables of each sheet in the order of the tabs, then the comments on its cells."""
    with open_archive(reading.source.path, reading.limits) as archive:
        package = Package(archive, "xl/workbook.xml")
        reading.title = package.title()
        book = _Book(package, reading)
        for number, sheet in enumerate(book.sheets, 1):
            yield from sheet_parts(book.rows(sheet, number), sheet.locator())
            yield from _comments(package, sheet)


class _Book:
    """The workbook: its sheets, texts and formats."""

    def __init__(self, package: Package, reading: Reading) -> None:
        self._package = package
        self._reading = reading
        workbook = package.root(package.main)
        properties = workbook.find(f"{_S}workbookPr")
        flag = "" if properties is None else properties.get("date1904", "")
        self._from_1904 = flag in {"1", "true"}
        self.sheets = _sheets(workbook, package.targets(package.main))
        self._texts = self._shared_texts()
        self._formats = self._cell_formats()

    def _shared_texts(self) -> list[str]:
        part = next(self._package.related(self._package.main, "sharedStrings"), None)
        if part is None:
            return []
        with self._package.open(part) as stream:
            return [_text(item) for item in finished(stream, _ITEM)]

    def _cell_formats(self) -> list[NumberFormat]:
        part = next(self._package.related(self._package.main, "styles"), None)
        if part is None:
            return []
        root = self._package.root(part)
        own = {
            node.get("numFmtId", ""): format_of(node.get("formatCode", ""))
            for node in root.iter(f"{_S}numFmt")
        }
        numbers = [node.get("numFmtId", "0") for node in root.iterfind(f"{_S}cellXfs/{_S}xf")]
        return [own.get(number) or built_in_format(_number(number)) for number in numbers]

    def rows(self, sheet: _Sheet, number: int) -> Iterator[Row]:
        """The rows of a sheet that have content."""
        at = 0
        with self._package.open(sheet.part) as stream:
            for seen, node in enumerate(finished(stream, _ROW)):
                at = _number(node.get("r", "")) or at + 1
                cells = tuple(self._cells(node)) if len(node) else ()
                if cells:
                    yield Row(at, at, cells)
                if seen % _ROWS_BETWEEN_SIGNS == 0:
                    # Padded rows give no passages: without a sign this would look like a hang.
                    self._reading.on_progress(number - 1, len(self.sheets))

    def _cells(self, row: Element) -> Iterator[Cell]:
        column = 0
        for node in row.iterchildren(_CELL):
            column = _column(node.get("r", "")) or column + 1
            if len(node) and column <= _LAST_COLUMN:
                text, figure = self._value(node)
                if text := one_line(text):
                    yield Cell(column, text, figure)

    def _value(self, cell: Element) -> tuple[str, bool]:
        """What a cell shows, and whether that is a number or a date."""
        kind = cell.get("t", "n")
        # A loop, since looking for children by path takes as long as parsing them.
        inside = {node.tag: node for node in cell}
        stored = inside[_VALUE].text or "" if _VALUE in inside else ""
        formula = inside.get(_FORMULA)
        if kind == "inlineStr":
            text = _text(inside.get(_INLINE))
            return text, is_figure(text)
        if formula is not None and not stored and kind != "str":
            self._reading.notes[Note.FORMULAS_NOT_CALCULATED] += 1
            return f"={formula.text or ''} (not calculated)", False
        return self._stored(kind, stored, cell.get("s", ""))

    def _stored(self, kind: str, stored: str, style: str) -> tuple[str, bool]:
        if kind == "s":
            at = _number(stored)
            text = self._texts[at] if stored and at < len(self._texts) else ""
            return text, is_figure(text)
        if kind == "b":
            return ("TRUE" if stored == "1" else "FALSE"), False
        if kind == "n":
            return self._figure(stored, style), bool(stored)
        return _unescaped(stored), kind == "d"

    def _figure(self, stored: str, style: str) -> str:
        try:
            number = float(stored)
        except ValueError:
            return stored
        at = _number(style)
        form = self._formats[at] if at < len(self._formats) else NumberFormat()
        return shown(number, form, from_1904=self._from_1904) if isfinite(number) else stored


def _sheets(workbook: Element, targets: dict[str, str]) -> list[_Sheet]:
    found = [
        (node, targets.get(relation_id(node)))
        for node in workbook.iterfind(f"{_S}sheets/{_S}sheet")
    ]
    return [
        _Sheet(node.get("name", ""), part, node.get("state", "visible") != "visible")
        for node, part in found
        if part
    ]


def _comments(package: Package, sheet: _Sheet) -> Iterator[ExtractedPart]:
    """The comments on the cells of a sheet, each with its cell."""
    lines: list[str] = []
    marks: list[Mark] = []
    for part in package.related(sheet.part, "comments"):
        for node in package.root(part).iter(f"{_S}comment"):
            row = _number(re.sub(r"\D", "", node.get("ref", "")))
            marks.append(Mark(sum(map(len, lines)), row, row))
            lines.append(f"{node.get('ref', '')}: {one_line(_text(node.find(f'{_S}text')))}\n\n")
    if lines:
        scale = Scale("rows", tuple(marks))
        yield ExtractedPart({**sheet.locator(), "kind": "rows"}, "".join(lines), scale=scale)


def _text(node: Element | None) -> str:
    """The text of a string item, its runs joined, without readings for pronunciation."""
    if node is None:
        return ""
    pieces = [
        t.text or ""
        for t in node.iter(_TEXT)
        if (parent := t.getparent()) is not None and parent.tag != _READING
    ]
    return _unescaped("".join(pieces))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda m: chr(int(m.group(1), 16)), text) if "_x" in text else text


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _column(reference: str) -> int:
    """The number of the column in a reference such as "AB12", from 1; 0 when there is none."""
    column = 0
    for letter in reference[:4]:
        if not "A" <= letter <= "Z":
            break
        column = column * 26 + ord(letter) - ord("A") + 1
    return column
