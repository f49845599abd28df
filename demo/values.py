"""A document of the demo vault, read from its source text into blocks.

The source is a small part of Markdown: headings (``##`` and ``###``), paragraphs, lists, pipe
tables, ``**bold**``, ``*italic*`` and footnotes (``[^1]``), plus lines that begin with ``% ``:
``% newpage``, ``% pages roman`` or ``% pages arabic`` (a new page and a new numbering) and
``% hyphenate wa-ter ...`` (where a word may break at the end of a line).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

NOTICES = {
    "ca": "Document inventat, escrit per a la demostració de Quadern. Les institucions, les"
    " persones i les xifres no són reals.",
    "es": "Documento inventado, escrito para la demostración de Quadern. Las instituciones, las"
    " personas y las cifras no son reales.",
    "pt": "Documento inventado, escrito para a demonstração do Quadern. As instituições, as"
    " pessoas e os números não são reais.",
    "nl": "Verzonnen document, geschreven voor de demonstratie van Quadern. De instellingen, de"
    " personen en de cijfers bestaan niet.",
    "en": "Invented document, written for the demo of Quadern. The institutions, the people and"
    " the figures are not real.",
}

_INLINE = re.compile(r"\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*|\[\^(?P<note>\d+)\]")
_NOTE = re.compile(r"\[\^(\d+)\]: (.+)")
_ITEM = re.compile(r"(?:-|\d+\.) (.+)")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style; a footnote mark has its number in ``note`` and no text."""

    text: str
    bold: bool = False
    italic: bool = False
    note: int | None = None


Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` 1 is a chapter, 2 a section."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    spans: Spans


@dataclass(frozen=True, slots=True)
class Listing:
    """A list, numbered from 1 when ``ordered``."""

    items: tuple[Spans, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; the first row holds the names of the columns."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Directive:
    """A ``% `` line: what to do and with what."""

    name: str
    argument: str


Block = Heading | Paragraph | Listing | Grid | Directive


@dataclass(frozen=True, slots=True)
class Source:
    """A document before it takes a form.

    ``text`` is the source without directives; ``notes`` maps the number of a footnote to its text.
    """

    title: str
    authors: tuple[str, ...]
    year: int
    language: str
    text: str
    blocks: tuple[Block, ...]
    notes: dict[int, str] = field(default_factory=dict)

    @property
    def notice(self) -> str:
        """The sentence that says the document is invented, in its own language."""
        return NOTICES[self.language]

    @property
    def byline(self) -> str:
        """Authors and year in one line."""
        return f"{', '.join(self.authors)} · {self.year}"

    @property
    def dated_at(self) -> datetime:
        """The date written into the file; fixed, so that building twice gives equal bytes."""
        return datetime(self.year, 6, 1, 12, tzinfo=UTC)


def parse_spans(text: str) -> Spans:
    """The runs of one paragraph, list item or note."""
    return tuple(_spans(text))


def _spans(text: str) -> Iterator[Span]:
    position = 0
    for match in _INLINE.finditer(text):
        if match.start() > position:
            yield Span(text[position : match.start()])
        if match["note"]:
            yield Span("", note=int(match["note"]))
        else:
            yield Span(match["bold"] or match["italic"], bool(match["bold"]), bool(match["italic"]))
        position = match.end()
    if position < len(text):
        yield Span(text[position:])


def parse_source(
    text: str, *, title: str, authors: tuple[str, ...], year: int, language: str
) -> Source:
    """The document that a source text describes."""
    pieces = [piece.strip() for piece in re.split(r"\n\s*\n|\n(?=% )", text) if piece.strip()]
    notes = {int(match[1]): match[2] for piece in pieces if (match := _NOTE.fullmatch(piece))}
    blocks = tuple(_block(piece) for piece in pieces if not _NOTE.fullmatch(piece))
    plain = "\n\n".join(piece for piece in pieces if not piece.startswith("% "))
    return Source(title, authors, year, language, plain + "\n", blocks, notes)


def _block(piece: str) -> Block:
    lines = piece.splitlines()
    if piece.startswith("% "):
        name, _, argument = piece[2:].partition(" ")
        return Directive(name, argument)
    if piece.startswith("##"):
        marks, _, heading = piece.partition(" ")
        return Heading(len(marks) - 1, heading)
    if piece.startswith("|"):
        return Grid(tuple(_cells(line) for line in lines if not line.startswith("|---")))
    items = [_ITEM.fullmatch(line) for line in lines]
    if all(items):
        return Listing(tuple(parse_spans(item[1]) for item in items if item), lines[0][0] != "-")
    return Paragraph(parse_spans(piece))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip("|").split("|"))
