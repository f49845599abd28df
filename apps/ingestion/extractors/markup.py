"""HTML as a tree of visible text. The only door to selectolax."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from apps.ingestion.extractors.sections import Piece
from apps.ingestion.values import BlockKind, Reason, Unreadable

_NEVER_SHOWN = (
    "script, style, template, noscript, iframe, object, embed, svg, canvas, head > link, "
    "select, datalist, dialog:not([open]), [hidden], [aria-hidden=true]"
)
_NAVIGATION = "nav, [role=navigation], [role=banner], [role=search], [role=menu]"
_AROUND_THE_PAGE = "header, footer, aside, form, button, [role=contentinfo], [role=complementary]"
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|(?<![\w-])opacity\s*:\s*0(\.0*)?\s*(;|$)"
    r"|font-size\s*:\s*0(px|pt|em|rem|%)?\s*(;|$)",
    re.I,
)
_INLINE = frozenset(
    re.findall(
        r"\w+",
        """
        a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark
        picture q ruby rb rp rt s samp small source span strike strong sub sup time tt u var wbr
        """,
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELL_SEPARATOR = " | "
_MAX_DEPTH = 150
# The standard's parser looks through all open elements at each tag: quadratic in the depth.
_MOST_NESTED = 2_000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_NEED_NO_END = frozenset(
    re.findall(
        r"\w+",
        """
        p li tr td th dt dd option optgroup thead tbody tfoot colgroup col rb rt rp br hr img input
        meta link area base embed source track wbr html head body param keygen frame
        """,
    )
)


class Page:
    """A parsed page without navigation and without what a reader would not see."""

    def __init__(self, html: str) -> None:
        """Parse the page; `Unreadable` when it is nested beyond any honest depth."""
        if _depth(html) > _MOST_NESTED:
            raise Unreadable(Reason.CORRUPT, "The page is nested too deeply.")
        self._tree = LexborHTMLParser(html)
        self.title = self._title()
        self.refreshes = self._tree.css_first("meta[http-equiv=refresh i]") is not None
        # What a page says to browsers without scripts tells a shell from an article.
        self.fallback_text = " ".join(
            node.text(separator=" ")[:2_000] for node in self._tree.css("noscript")[:20]
        )
        self._drop(_NEVER_SHOWN)
        self._drop(_NAVIGATION)
        for node in self._tree.css("[style]"):
            if _HIDING.search(node.attributes.get("style") or ""):
                node.decompose()

    def _title(self) -> str:
        node = self._tree.css_first("head > title") or self._tree.css_first("title")
        return " ".join(node.text().split()) if node is not None else ""

    def _drop(self, selector: str) -> None:
        for node in self._tree.css(selector):
            node.decompose()

    def html(self) -> str:
        """The page as it is now."""
        return self._tree.html or ""

    def pieces(self, *, content_only: bool) -> list[Piece]:
        """All visible blocks in order; `content_only` drops what only frames the content."""
        if content_only:
            self._drop(_AROUND_THE_PAGE)
        body = self._tree.body
        return [] if body is None else list(_Blocks().walk(body))

    def first_heading(self) -> str:
        """The text of the first main heading, or nothing."""
        node = self._tree.css_first("h1")
        return " ".join(node.text(separator=" ").split()) if node is not None else ""


class _Blocks:
    """Collects running text until a block ends it."""

    def __init__(self) -> None:
        self._running: list[str] = []

    def walk(self, root: LexborNode) -> Iterator[Piece]:
        """The pieces below `root`."""
        yield from self._children(root, 0)
        yield from self._flush()

    def _children(self, node: LexborNode, depth: int) -> Iterator[Piece]:
        for child in node.iter(include_text=True):
            if child.is_text_node:
                self._running.append(child.text_content or "")
            elif child.tag == "br":
                self._running.append("\n")
            elif child.tag in _INLINE and depth < _MAX_DEPTH:
                yield from self._children(child, depth + 1)
            elif child.is_element_node:
                yield from self._flush()
                yield from self._block(child, depth)
                yield from self._flush()

    def _block(self, node: LexborNode, depth: int) -> Iterator[Piece]:
        tag = node.tag or ""
        if tag in _HEADINGS:
            yield Piece(_line(node), level=_HEADINGS[tag])
        elif tag == "table":
            yield from self._table(node, depth)
        elif tag in {"pre", "textarea"}:
            yield Piece(node.text().strip("\n"), BlockKind.CODE)
        elif depth >= _MAX_DEPTH:
            yield Piece(_line(node))
        else:
            if tag == "li":
                self._running.append("• ")
            yield from self._children(node, depth + 1)

    def _table(self, node: LexborNode, depth: int) -> Iterator[Piece]:
        """Rows of cells; a table that holds tables or headings only lays out the page."""
        if node.css_first("table table, h1, h2, h3") is not None and depth < _MAX_DEPTH:
            yield from self._children(node, depth + 1)
            return
        rows = [
            _CELL_SEPARATOR.join(_line(cell) for cell in row.css("th, td"))
            for row in node.css("tr")
        ]
        rows = [row for row in rows if row.strip(" |")]
        caption = node.css_first("caption")
        if caption is not None:
            yield Piece(_line(caption))
        yield Piece("\n".join(rows), BlockKind.ROWS, rows[0][:500] if len(rows) > 1 else "")

    def _flush(self) -> Iterator[Piece]:
        text, self._running = "".join(self._running), []
        lines = [" ".join(line.split()) for line in text.split("\n")] if "\n" in text else [text]
        shown = " ".join(text.split()) if len(lines) < 2 else _joined(lines)
        if shown.strip("• \n"):
            yield Piece(shown)


def _depth(html: str) -> int:
    """How deep elements that must be closed are nested, from the tags alone."""
    depth = deepest = 0
    for closing, name in _TAG.findall(html):
        if name.lower() not in _NEED_NO_END:
            depth = max(0, depth - 1) if closing else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _joined(lines: list[str]) -> str:
    return "\n".join(line for line in lines if line)


def _line(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())


_EMPTY_ELEMENT = re.compile(r"<([A-Za-z][\w:.-]*)(\s[^<>]*)?/>")
_VOID = frozenset(
    re.findall(
        r"\w+", "area base br col embed hr img input link meta param source track wbr command frame"
    )
)


def from_xhtml(text: str) -> str:
    """XHTML as HTML: `<title/>` would otherwise swallow the page behind it."""
    return _EMPTY_ELEMENT.sub(_opened_and_closed, text)


def _opened_and_closed(match: re.Match[str]) -> str:
    name, attributes = match.group(1), match.group(2) or ""
    is_void = name.lower() in _VOID
    return match.group() if is_void else f"<{name}{attributes}></{name}>"


def contents_entries(html: str) -> Iterator[tuple[str, str]]:
    """Target and title of each line in a book's table of contents, be it a page or an NCX file."""
    tree = LexborHTMLParser(html)
    for link in tree.css("nav a[href]"):
        yield link.attributes.get("href") or "", _line(link)
    for point in tree.css("navpoint"):
        label, target = point.css_first("navlabel"), point.css_first("content[src]")
        if label is not None and target is not None:
            yield target.attributes.get("src") or "", _line(label)
