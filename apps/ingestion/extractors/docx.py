"""Word documents, walked in document order (ECMA-376 part 1, chapter 17).

Everything a reader of the printed document sees: headings, paragraphs, numbered lists, tables row
by row, nested tables, text boxes, notes and comments below the paragraph that calls them, headers
and footers at the end. The strict variant (ISO 29500-1) is read as well. Insertions of tracked changes are read, deletions and hidden text are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from apps.ingestion.archives import open_archive
from apps.ingestion.extractors.numbering import Numbering, read_numbering
from apps.ingestion.extractors.package import Package
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sections import Piece, Section, rows_piece, sections
from apps.ingestion.extractors.wordstyles import Styles, read_styles
from apps.ingestion.extractors.wordxml import W, value
from apps.ingestion.values import ExtractedPart
from apps.ingestion.xml import Element, children_of

VERSION = 2

_VML_BOX = f"{W}txbxContent"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_SKIPPED = frozenset(
    {f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}delText", f"{W}pPr", f"{W}rPr", _FALLBACK}
)
_SIGNS = {
    f"{W}tab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
    f"{W}softHyphen": "\u00ad",
}
_CALLS = {
    f"{W}footnoteReference": "footnotes",
    f"{W}endnoteReference": "endnotes",
    f"{W}commentReference": "comments",
}
_CELL_SEPARATOR = " | "
_MAX_DEPTH = 60


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """One part for each heading section, then one each for headers and footers."""
    with open_archive(reading.source.path, reading.limits) as archive:
        package = Package(archive, "word/document.xml")
        document = _Document(package)
        walker = _Walker(document.styles(), document.numbering(), document.notes())
        reading.title = package.title()
        with package.open(package.main) as stream:
            for section in sections(walker.body(children_of(stream, f"{W}body"))):
                yield section.part()
        for place in ("header", "footer"):
            pieces = [p for root in document.related(place) for p in walker.children(root)]
            if pieces:
                # First page, even and odd pages repeat one another.
                yield Section(place=place, pieces=list(dict.fromkeys(pieces))).part()


class _Document:
    """What hangs on the main part of a Word package."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def related(self, kind: str) -> Iterator[Element]:
        """The roots of all parts with the relation `kind`, in the order of the relations."""
        for part in self._package.related(self._package.main, kind):
            yield self._package.root(part)

    def styles(self) -> Styles:
        """The paragraph styles; empty ones when the part is missing."""
        return read_styles(next(self.related("styles"), None))

    def numbering(self) -> Numbering:
        """The list definitions; empty ones when the part is missing."""
        return read_numbering(next(self.related("numbering"), None))

    def notes(self) -> dict[tuple[str, str], Element]:
        """Notes and comments by (kind, id), without the separators."""
        return {
            (kind, note.get(f"{W}id", "")): note
            for kind in set(_CALLS.values())
            for root in self.related(kind)
            for note in root
            if note.get(f"{W}type") not in {"separator", "continuationSeparator"}
        }


class _Walker:
    """Turns block elements into texts, sections and notes."""

    def __init__(
        self, styles: Styles, numbering: Numbering, notes: dict[tuple[str, str], Element]
    ) -> None:
        self._styles = styles
        self._numbering = numbering
        self._notes = notes
        self._called: list[tuple[str, str]] = []

    def body(self, children: Iterator[Element]) -> Iterator[Piece]:
        """The pieces of the body, headings with their level."""
        for child in children:
            for block in _unwrapped(child):
                yield from self._block(block, self._heading_level(block))

    def children(self, root: Element) -> Iterator[Piece]:
        """The pieces below `root`, none of them a heading."""
        for child in root:
            for block in _unwrapped(child):
                yield from self._block(block, 0)

    def _block(self, block: Element, level: int) -> Iterator[Piece]:
        """A paragraph or a table, then its text boxes, then the notes it calls."""
        piece = self._piece(block, level)
        if piece is not None and piece.text.strip():
            yield piece
        for box in _boxes(block):
            yield from self.children(box)
        while self._called:
            note = self._notes.pop(self._called.pop(0), None)
            if note is not None:
                yield from self._note(note)

    def _note(self, note: Element) -> Iterator[Piece]:
        """A note below the paragraph that calls it; a comment says that it is one, and whose."""
        mark = f"[{note.get(f'{W}author', '').strip()}] " if note.tag == f"{W}comment" else ""
        for piece in self.children(note):
            yield piece._replace(text=mark + piece.text)
            mark = ""

    def _piece(self, block: Element, level: int) -> Piece | None:
        if block.tag == f"{W}p":
            return Piece(self._paragraph(block), level=level)
        if block.tag == f"{W}tbl":
            return self._table(block)
        return None

    def _heading_level(self, block: Element) -> int:
        return (self._styles.heading_level(block) or 0) if block.tag == f"{W}p" else 0

    def _paragraph(self, block: Element) -> str:
        label = self._numbering.label(block, self._styles)
        text = self._runs(block).strip(" \n")
        return f"{label} {text}" if label and text else text

    def _table(self, table: Element) -> Piece:
        return rows_piece(self._row(row, 0) for row in _rows(table))

    def _row(self, row: Element, depth: int) -> str:
        cells = [cell for cell in _unwrapped_children(row) if cell.tag == f"{W}tc"]
        return _CELL_SEPARATOR.join(self._cell(cell, depth) for cell in cells)

    def _cell(self, cell: Element, depth: int) -> str:
        """A cell on one line; a nested table inside it row after row."""
        pieces = []
        for block in _unwrapped_children(cell):
            if block.tag == f"{W}p":
                pieces.append(" ".join(self._paragraph(block).split()))
            elif block.tag == f"{W}tbl" and depth < _MAX_DEPTH:
                pieces += [self._row(row, depth + 1) for row in _rows(block)]
        return " / ".join(piece for piece in pieces if piece)

    def _runs(self, node: Element, depth: int = 0) -> str:
        """The text of a paragraph's runs in order; remembers the notes called."""
        pieces: list[str] = []
        for child in node:
            tag = child.tag
            if tag in {f"{W}t", _MATH_TEXT}:
                pieces.append(child.text or "")
            elif tag in _SIGNS:
                pieces.append(_SIGNS[tag])
            elif tag in _CALLS:
                self._called.append((_CALLS[tag], child.get(f"{W}id", "")))
            elif _is_text_holder(child) and depth < _MAX_DEPTH:
                pieces.append(self._runs(child, depth + 1))
        return "".join(pieces)


def _is_text_holder(node: Element) -> bool:
    """Whether text inside `node` belongs to the running text around it."""
    if node.tag in _SKIPPED or node.tag == _VML_BOX:
        return False
    hidden = node.find(f"{W}rPr/{W}vanish") if node.tag == f"{W}r" else None
    return hidden is None or value(hidden) in {"0", "false"}


def _rows(table: Element) -> Iterator[Element]:
    return (row for row in _unwrapped_children(table) if row.tag == f"{W}tr")


def _unwrapped_children(node: Element) -> Iterator[Element]:
    for child in node:
        yield from _unwrapped(child)


def _unwrapped(node: Element, depth: int = 0) -> Iterator[Element]:
    """The blocks that content controls, custom XML and insertions only wrap."""
    if node.tag in {f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins", f"{W}moveTo"}:
        if depth < _MAX_DEPTH:
            for child in node:
                yield from _unwrapped(child, depth + 1)
    elif node.tag not in _SKIPPED:
        yield node


def _boxes(block: Element) -> Iterator[Element]:
    """The outermost text boxes anchored in a block, drawing and not its fallback picture."""
    for box in block.iter(_VML_BOX):
        above = list(box.iterancestors())
        inside = above[: above.index(block)] if block in above else above
        if not any(node.tag in {_FALLBACK, _VML_BOX, f"{W}del"} for node in inside):
            yield box
