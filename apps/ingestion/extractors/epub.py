"""E-books, chapter by chapter in the order of the spine (EPUB 3.3; EPUB 2 reads the same way).

A chapter's path of headings begins with its title in the table of contents when its own headings
do not say it. Page pictures without text say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from apps.ingestion.archives import SafeArchive, open_archive
from apps.ingestion.decoding import decode_page
from apps.ingestion.extractors.markup import Page, contents_entries, from_xhtml
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sections import sections
from apps.ingestion.values import ExtractedPart, Note, Reason, Unreadable
from apps.ingestion.xml import Element, parse_xml

VERSION = 1

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/xml"})
_ENTITIES = re.compile(r"<!ENTITY\b", re.I)
_PROLOGUE = 4096
_LONGEST_TITLE = 300


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """One part for each heading section of each chapter."""
    with open_archive(reading.source.path, reading.limits) as archive:
        book = _Book(archive)
        reading.title = book.title
        titles = book.titles()
        for number, chapter in enumerate(book.chapters, 1):
            page = Page(_markup(archive.read(chapter), reading))
            for section in sections(page.pieces(content_only=False)):
                section.headings = _path(titles.get(chapter, ""), section.headings)
                yield section.part()
            reading.on_progress(number, len(book.chapters))


class _Book:
    """The package document: which files are the chapters, and in which order."""

    def __init__(self, archive: SafeArchive) -> None:
        """`Unreadable` when there is no package document or the chapters are encrypted."""
        self._archive = archive
        self._main = self._package_document()
        root = parse_xml(archive.read(self._main))
        self._root = root
        self.title = " ".join((root.findtext("{*}metadata/{*}title") or "").split())
        items = {item.get("id", ""): item for item in root.iterfind("{*}manifest/{*}item")}
        self._items = items
        listed = [items.get(ref.get("idref", "")) for ref in root.iterfind("{*}spine/{*}itemref")]
        pages = [i for i in listed if i is not None and i.get("media-type") in _PAGES]
        found = dict.fromkeys(self._file(item.get("href", "")) for item in pages)
        self.chapters = [name for name in found if name in archive]
        if not self.chapters:
            raise Unreadable(Reason.CORRUPT, "The book lists no chapters.")
        self._refuse_protected()

    def _package_document(self) -> str:
        if _CONTAINER not in self._archive:
            raise Unreadable(Reason.CORRUPT, "The book has no table of its files.")
        for node in parse_xml(self._archive.read(_CONTAINER)).iterfind(".//{*}rootfile"):
            if (path := node.get("full-path", "")) in self._archive:
                return path
        raise Unreadable(Reason.CORRUPT, "The book has no table of its files.")

    def _file(self, href: str, base: str = "") -> str:
        path = unquote(href.partition("#")[0])
        return normpath(join(dirname(base or self._main), path)).lstrip("/")

    def _refuse_protected(self) -> None:
        """Fonts may be scrambled; a book whose chapters are has a lock."""
        if _ENCRYPTION not in self._archive:
            return
        nodes = parse_xml(self._archive.read(_ENCRYPTION)).iterfind(".//{*}CipherReference")
        locked = {unquote(node.get("URI", "")) for node in nodes}
        if locked & set(self.chapters):
            raise Unreadable(Reason.ENCRYPTED)

    def titles(self) -> dict[str, str]:
        """The title of each chapter by the table of contents: the first entry that points to it."""
        found: dict[str, str] = {}
        for item in (self._contents(), self._ncx()):
            name = "" if item is None else self._file(item.get("href", ""))
            if name in self._archive:
                html = from_xhtml(decode_page(self._archive.read(name)).text)
                for target, title in contents_entries(html):
                    found.setdefault(self._file(target, name), title[:_LONGEST_TITLE])
        return found

    def _contents(self) -> Element | None:
        marked = (i for i in self._items.values() if "nav" in i.get("properties", "").split())
        return next(marked, None)

    def _ncx(self) -> Element | None:
        spine = self._root.find("{*}spine")
        return None if spine is None else self._items.get(spine.get("toc", ""))


def _markup(data: bytes, reading: Reading) -> str:
    decoded = decode_page(data)
    if decoded.replaced:
        reading.notes[Note.CHARACTERS_REPLACED] += decoded.replaced
    if _ENTITIES.search(decoded.text[:_PROLOGUE]):
        raise Unreadable(Reason.UNSAFE_ARCHIVE, "The file declares XML entities.")
    return from_xhtml(decoded.text)


def _path(title: str, headings: list[str]) -> list[str]:
    """The headings below the chapter's title, unless the first one says it already."""
    if not title or not headings:
        return [title] if title else headings
    said, first = title.casefold(), headings[0].casefold()
    return headings if first in said or said in first else [title, *headings]
