"""What open documents have in common: text blocks of `content.xml` (OASIS OpenDocument 1.3, part 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from apps.ingestion.archives import SafeArchive, open_archive
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sections import Piece, rows_piece
from apps.ingestion.values import Reason, Unreadable
from apps.ingestion.xml import Element, parse_xml

_NAMES = "urn:oasis:names:tc:opendocument:xmlns"
OFFICE = f"{{{_NAMES}:office:1.0}}"
TEXT = f"{{{_NAMES}:text:1.0}}"
TABLE = f"{{{_NAMES}:table:1.0}}"
DRAW = f"{{{_NAMES}:drawing:1.0}}"
STYLE = f"{{{_NAMES}:style:1.0}}"
PRESENTATION = f"{{{_NAMES}:presentation:1.0}}"
ANNOTATION = f"{OFFICE}annotation"
_DC = "{http://purl.org/dc/elements/1.1/}"
_SKIPPED = frozenset(
    {
        f"{TEXT}tracked-changes",
        f"{TEXT}page-number",
        f"{TEXT}ruby-text",
        f"{OFFICE}forms",
        f"{PRESENTATION}notes",
    }
)
_SEPARATOR = " | "
_MAX_DEPTH = 60
_MOST_SPACES = 100


@contextmanager
def open_document(reading: Reading) -> Iterator[SafeArchive]:
    """The container of an open document; `Unreadable` when it needs a password."""
    with open_archive(reading.source.path, reading.limits) as archive:
        manifest = "META-INF/manifest.xml"
        # Old manifests have a document type, so their words are only looked for.
        if manifest in archive and b"encryption-data" in archive.read(manifest):
            raise Unreadable(Reason.ENCRYPTED)
        if "content.xml" not in archive:
            raise Unreadable(Reason.CORRUPT, "The document has no content.")
        if "meta.xml" in archive:
            title = parse_xml(archive.read("meta.xml")).find(f".//{_DC}title")
            reading.title = "" if title is None else (title.text or "").strip()
        yield archive


def blocks(nodes: Iterable[Element], depth: int = 0) -> Iterator[Piece]:
    """The text blocks below the nodes in order; boxes, notes and comments after their paragraph."""
    for node in nodes:
        if node.tag == f"{TEXT}h":
            yield Piece(inline(node), level=count(node, f"{TEXT}outline-level", most=9))
            yield from _hanging(node, depth)
        elif node.tag == f"{TEXT}p":
            yield Piece(inline(node))
            yield from _hanging(node, depth)
        elif node.tag == f"{TEXT}list":
            yield from _list(node, depth)
        elif node.tag == f"{TABLE}table":
            yield rows_piece(_row(row, depth) for row in _rows(node))
        elif node.tag == ANNOTATION:
            yield from comment(node, depth)
        elif node.tag not in _SKIPPED and depth < _MAX_DEPTH:
            yield from blocks(node, depth + 1)


def inline(node: Element, depth: int = 0) -> str:
    """The running text of a paragraph, without what hangs on it."""
    pieces = [node.text or ""]
    for child in node:
        if child.tag == f"{TEXT}s":
            pieces.append(" " * count(child, f"{TEXT}c", most=_MOST_SPACES))
        elif child.tag == f"{TEXT}tab":
            pieces.append("\t")
        elif child.tag == f"{TEXT}line-break":
            pieces.append("\n")
        elif not _hangs(child) and child.tag not in _SKIPPED and depth < _MAX_DEPTH:
            pieces.append(inline(child, depth + 1))
        pieces.append(child.tail or "")
    return "".join(pieces)


def comment(node: Element, depth: int = 0) -> Iterator[Piece]:
    """A comment with its author."""
    mark = f"[{(node.findtext(f'{_DC}creator') or '').strip()}] "
    for piece in blocks((child for child in node if not _is_about(child)), depth + 1):
        yield piece._replace(text=mark + piece.text)
        mark = ""


def count(node: Element, name: str, *, most: int) -> int:
    """A number in an attribute, from 1, which is also the value when there is none."""
    text = node.get(name, "")
    return min(most, max(1, int(text))) if text.isascii() and text.isdigit() else 1


def _is_about(node: Element) -> bool:
    """Whether a child of a comment says who wrote it and when."""
    return not str(node.tag).startswith(TEXT)


def _hangs(node: Element) -> bool:
    return node.tag in {f"{TEXT}note", ANNOTATION} or str(node.tag).startswith(DRAW)


def _hanging(node: Element, depth: int) -> Iterator[Piece]:
    """The outermost boxes, notes and comments anchored in a paragraph."""
    for child in node if depth < _MAX_DEPTH else ():
        if child.tag == f"{TEXT}note":
            yield from blocks(child.iterfind(f"{TEXT}note-body"), depth + 1)
        elif _hangs(child):
            yield from blocks([child], depth + 1)
        else:
            yield from _hanging(child, depth + 1)


def _list(node: Element, depth: int) -> Iterator[Piece]:
    """The items of a list, the first paragraph of each with a bullet."""
    for item in node if depth < _MAX_DEPTH else ():
        mark = "• "
        for piece in blocks(item, depth + 1):
            is_marked = piece.level or piece.text.startswith("• ")
            yield piece if is_marked else piece._replace(text=mark + piece.text)
            mark = "" if piece.text.strip() else mark


def _rows(table: Element) -> Iterator[Element]:
    """The rows of a table, header rows and groups included, nested tables not."""
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag != f"{TABLE}table":
            yield from _rows(child)


def _row(row: Element, depth: int) -> str:
    cells = row.iterchildren(f"{TABLE}table-cell")
    return _SEPARATOR.join(cell_text(cell, depth) for cell in cells)


def cell_text(cell: Element, depth: int = 0) -> str:
    """What stands in a cell, on one line."""
    if depth >= _MAX_DEPTH:
        return ""
    texts = (" ".join(piece.text.split()) for piece in blocks(cell, depth + 1))
    return " / ".join(text for text in texts if text)
