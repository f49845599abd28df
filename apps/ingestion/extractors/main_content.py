"""The main content of a web page without menus and adverts. The only door to trafilatura."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import trafilatura

from apps.ingestion.extractors.sections import Piece
from apps.ingestion.values import BlockKind
from apps.ingestion.xml import Element

# It logs the addresses of pages it finds too short.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)

_CELL_SEPARATOR = " | "
_MAX_DEPTH = 100


def main_content(html: str) -> list[Piece]:
    """The blocks of the article in order; empty when no article is found."""
    try:
        document = trafilatura.bare_extraction(
            html,
            include_tables=True,
            include_comments=False,
            include_formatting=True,
            favor_recall=True,
            deduplicate=False,
            with_metadata=False,
        )
    except (ValueError, TypeError, RecursionError):
        return []
    body = getattr(document, "body", None)
    return [] if body is None else list(_pieces(body, 0))


def _pieces(node: Element, depth: int) -> Iterator[Piece]:
    if depth > _MAX_DEPTH:
        return
    for child in node:
        yield from _piece(child, depth)


def _piece(node: Element, depth: int) -> Iterator[Piece]:
    if node.tag == "head":
        yield Piece(_line(node), level=_level(node.get("rend", "")))
    elif node.tag == "table":
        yield _table(node)
    elif node.tag == "code" or _is_preformatted(node):
        yield Piece(_text(node).strip("\n"), BlockKind.CODE)
    elif node.tag == "list":
        yield Piece("\n".join(_items(node, 0)))
    elif node.tag in {"p", "item", "fw"} or not len(node):
        yield Piece(_line(node))
    else:
        yield from _pieces(node, depth + 1)


def _is_preformatted(node: Element) -> bool:
    """A `pre` without `code` inside arrives as a quote that has kept its lines."""
    return node.tag == "quote" and not len(node) and "\n" in (node.text or "").strip()


def _level(rendition: str) -> int:
    return int(rendition[1]) if len(rendition) == 2 and rendition[1] in "123456" else 2


def _text(node: Element) -> str:
    return "".join(str(text) for text in node.itertext())


def _line(node: Element) -> str:
    return " ".join(_text(node).split())


def _items(node: Element, depth: int) -> Iterator[str]:
    for item in node:
        nested = [child for child in item if child.tag == "list"]
        own = " ".join("".join(_own_text(item)).split())
        if own:
            yield f"{'  ' * depth}• {own}"
        for inner in nested if depth < _MAX_DEPTH else ():
            yield from _items(inner, depth + 1)


def _own_text(item: Element) -> Iterator[str]:
    """The text of a list item without that of lists inside it."""
    yield item.text or ""
    for child in item:
        if child.tag != "list":
            yield _text(child)
        yield child.tail or ""


def _table(node: Element) -> Piece:
    rows = [
        _CELL_SEPARATOR.join(_line(cell) for cell in row.iter("cell")) for row in node.iter("row")
    ]
    rows = [row for row in rows if row.strip(" |")]
    return Piece("\n".join(rows), BlockKind.ROWS, rows[0][:500] if len(rows) > 1 else "")
