"""The PDF form of a demo document (the only door to fpdf2).

Core fonts in the cp1252 encoding, streams left uncompressed, one fixed date: no font file is
needed, and the bytes depend on the source and on the pinned fpdf2 alone.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from fpdf import FPDF
from fpdf.enums import MethodReturnValue, XPos, YPos
from fpdf.fonts import FontFace
from fpdf.recorder import FPDFRecorder

from demo.values import (
    Block,
    Directive,
    Grid,
    Heading,
    Listing,
    Paragraph,
    Source,
    Span,
    Spans,
)

_PAGE = (176.0, 250.0)  # mm, B5
_MARGIN = 22.0  # mm
_BOTTOM = 26.0  # mm, room for the page number
_LINE = 5.6  # mm
_NOTE_LINE = 4.2  # mm
_INDENT = 6.0  # mm, from the mark of a list item to its text
_CELL_PADDING = 1.6  # mm, left and right
_NOTE_MARKS = {1: "¹", 2: "²", 3: "³"}
_SOFT_HYPHEN = "\u00ad"
_NUMBER = re.compile(r"[-+]?\d[\d.,–]*( %)?")


class _Sheet(FPDF):
    """Pages with a running head, footnotes and the printed page number."""

    def __init__(self, source: Source) -> None:
        super().__init__(format=_PAGE)
        self.source = source
        self.notes: list[str] = []
        self.core_fonts_encoding = "cp1252"
        self.set_compression(False)
        self.set_margins(_MARGIN, 24, _MARGIN)
        self.set_auto_page_break(True, _BOTTOM)
        self.set_title(source.title)
        self.set_author(", ".join(source.authors))
        self.set_lang(source.language)
        self.set_producer("Quadern demo")
        self.set_creation_date(source.dated_at)

    def header(self) -> None:
        """Draw the running head: title on the left, first author on the right."""
        self.set_font("Helvetica", "", 8)
        self.set_y(12)
        self.cell(self.epw / 2, 4, self.source.title, align="L")
        self.cell(self.epw / 2, 4, self.source.authors[0], align="R")
        self.set_y(24)

    def footer(self) -> None:
        """Draw the notes of this page and its printed number."""
        if self.notes:
            self.set_font("Times", "", 9)
            self.set_y(-_BOTTOM - self.notes_height(self.notes))
            self.line(_MARGIN, self.y, _MARGIN + 40, self.y)
            self.set_y(self.y + 1)
            for note in self.notes:
                self.multi_cell(self.epw, _NOTE_LINE, note, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
            self.notes = []
            self.set_auto_page_break(True, _BOTTOM)
        self.set_font("Helvetica", "", 9)
        self.set_y(-16)
        self.cell(self.epw, 5, self.get_page_label() or str(self.page_no()), align="C")

    def notes_height(self, notes: Sequence[str]) -> float:
        """Height in mm of these notes under their rule."""
        self.set_font("Times", "", 9)
        return 2.0 + sum(self.height_of(note, _NOTE_LINE) for note in notes)

    def height_of(self, text: str, line: float) -> float:
        """Height in mm of a paragraph in the current font, ``line`` mm per line."""
        height = self.multi_cell(
            self.epw, line, text, markdown=True, dry_run=True, output=MethodReturnValue.HEIGHT
        )
        assert isinstance(height, float)
        return height

    def room(self) -> float:
        """Height in mm left on this page, above the notes."""
        return float(self.page_break_trigger - self.y)


class _Typesetter:
    """Lays the blocks of one source on a sheet, from the first to the last."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.sheet = _Sheet(source)
        self.breaks: dict[str, tuple[int, ...]] = {}
        self.align: Literal["L", "J"] = "L"

    def run(self) -> bytes:
        """The finished file."""
        blocks = list(self.source.blocks)
        while blocks and isinstance(blocks[0], Directive):
            self.block(blocks.pop(0))
        if self.sheet.page_no() == 0:
            self.sheet.add_page()
        self.title()
        for block in blocks:
            self.block(block)
        return bytes(self.sheet.output())

    def block(self, block: Block) -> None:
        """Lay one block."""
        match block:
            case Directive(name, argument):
                self.directive(name, argument)
            case Heading(level, text):
                self.heading(level, text)
            case Paragraph(spans):
                self.paragraph(spans)
            case Listing(items, ordered):
                self.listing(items, ordered)
            case Grid(rows):
                self.grid(rows)

    def directive(self, name: str, argument: str) -> None:
        """Start a page, change the numbering, or learn where words break."""
        if name == "newpage":
            self.sheet.add_page()
        elif name == "pages":
            self.sheet.add_page(label_style="r" if argument == "roman" else "D", label_start=1)
        elif name == "hyphenate":
            self.breaks = dict(_breaks(word) for word in argument.split())
            self.align = "J"
        else:
            raise ValueError(f"unknown directive: {name}")

    def title(self) -> None:
        """Lay the title, the authors and the notice."""
        self.sheet.set_font("Times", "", 21)
        self.text(self.source.title, 9.5)
        self.sheet.set_font("Helvetica", "", 9)
        self.text(self.source.byline, 6)
        self.sheet.set_font("Times", "I", 10)
        self.text(self.source.notice, 5)
        self.sheet.ln(3)

    def heading(self, level: int, text: str) -> None:
        """Lay a heading, never as the last line of a page, and put it in the outline."""
        if self.sheet.room() < 34:
            self.sheet.add_page()
        self.sheet.ln(3 if level == 1 else 1)
        self.sheet.start_section(text, level=level - 1)
        self.sheet.set_font("Helvetica", "B", 14 if level == 1 else 11)
        self.text(text, 7 if level == 1 else 6)

    def paragraph(self, spans: Spans) -> None:
        """Lay a paragraph; one with notes stays whole, on the page of its notes."""
        text = self.hyphenated(_markup(spans))
        notes = [
            f"{_NOTE_MARKS[span.note]} {self.source.notes[span.note]}"
            for span in spans
            if span.note
        ]
        if notes:
            self.keep_with_notes(text, notes)
        self.sheet.set_font("Times", "", 11.5)
        self.text(text, _LINE, align=self.align)
        self.sheet.ln(2)

    def keep_with_notes(self, text: str, notes: list[str]) -> None:
        """Reserve the foot of this page, or of the next one, for the notes."""
        height = self.sheet.notes_height(notes)
        self.sheet.set_font("Times", "", 11.5)
        own = self.sheet.height_of(text, _LINE)
        if self.sheet.room() < own + height + 2:
            self.sheet.add_page()
        self.sheet.notes += notes
        self.sheet.set_auto_page_break(True, _BOTTOM + self.sheet.notes_height(self.sheet.notes))

    def listing(self, items: tuple[Spans, ...], ordered: bool) -> None:
        """Lay a list with its marks in the margin of the items."""
        self.sheet.set_font("Times", "", 11.5)
        for number, item in enumerate(items, 1):
            if self.sheet.room() < 2 * _LINE:
                self.sheet.add_page()
            self.sheet.cell(_INDENT, _LINE, f"{number}." if ordered else "•")
            self.text(self.hyphenated(_markup(item)), _LINE)
        self.sheet.ln(2)

    def grid(self, rows: tuple[tuple[str, ...], ...]) -> None:
        """Lay a table, whole on one page."""
        self.sheet.set_font("Helvetica", "", 9)
        with self.sheet.offset_rendering() as trial:
            self.table(trial, rows)
        if trial.page_break_triggered:
            self.sheet.add_page()
            self.sheet.set_font("Helvetica", "", 9)
        self.table(self.sheet, rows)
        self.sheet.ln(4)

    def table(self, sheet: FPDF | FPDFRecorder, rows: tuple[tuple[str, ...], ...]) -> None:
        """Draw the table on the sheet, or on the trial copy of it."""
        columns = list(zip(*rows, strict=True))
        with sheet.table(
            rows,
            col_widths=self.widths(columns),
            text_align=tuple("RIGHT" if _is_numeric(column) else "LEFT" for column in columns),
            line_height=4.8,
            padding=(0.6, _CELL_PADDING),
            borders_layout="SINGLE_TOP_LINE",
            headings_style=FontFace(emphasis="BOLD"),
        ):
            pass

    def widths(self, columns: Sequence[tuple[str, ...]]) -> list[float]:
        """Widths in mm that fill the line and break no word; what is left goes to long cells."""
        self.sheet.set_font("Helvetica", "B", 9)
        words = [max(map(self.cell_width, " ".join(column).split())) for column in columns]
        cells = [max(map(self.cell_width, column)) for column in columns]
        self.sheet.set_font("Helvetica", "", 9)
        wanted = [cell - word for cell, word in zip(cells, words, strict=True)]
        spare = self.sheet.epw - sum(words)
        if spare < 0:
            raise ValueError(f"the table {columns[0][0]!r} is too wide for the page")
        share = spare / (sum(wanted) or 1)
        evenly = 0.0 if sum(wanted) else spare / len(words)
        return [word + want * share + evenly for word, want in zip(words, wanted, strict=True)]

    def cell_width(self, text: str) -> float:
        """Width in mm of a cell that holds the text on one line."""
        return float(self.sheet.get_string_width(text)) + 2 * _CELL_PADDING + 0.5

    def text(self, text: str, height: float, *, align: Literal["L", "J"] = "L") -> None:
        """Lay text in the current font from here to the right margin, ``height`` mm per line."""
        self.sheet.multi_cell(
            0,
            height,
            text,
            align=align,
            markdown=True,
            new_x=XPos.LMARGIN,
            new_y=YPos.NEXT,
        )

    def hyphenated(self, text: str) -> str:
        """The text with soft hyphens where its words may break."""
        return re.sub(r"\w+", lambda match: self.broken(match[0]), text)

    def broken(self, word: str) -> str:
        """The word with its soft hyphens; as it is when no breaks are known."""
        places = (0, *self.breaks.get(word.lower(), ()), len(word))
        return _SOFT_HYPHEN.join(word[start:end] for start, end in pairwise(places))


def pdf(source: Source) -> bytes:
    """A PDF with running heads, printed page numbers, an outline, footnotes and tables."""
    return _Typesetter(source).run()


def _breaks(hyphenated: str) -> tuple[str, tuple[int, ...]]:
    parts = hyphenated.split("-")
    places = tuple(sum(map(len, parts[:index])) for index in range(1, len(parts)))
    return "".join(parts), places


def _markup(spans: Spans) -> str:
    return "".join(_marked(span) for span in spans)


def _marked(span: Span) -> str:
    if span.note:
        return _NOTE_MARKS[span.note]
    if span.bold:
        return f"**{span.text}**"
    return f"__{span.text}__" if span.italic else span.text


def _is_numeric(column: tuple[str, ...]) -> bool:
    return all(_NUMBER.fullmatch(cell) for cell in column[1:])
