"""PDF: one part per page, in layout order, each line with its box.

Pages that are pictures are drawn and recognised, one by one. Pages that fail are counted and left
out; the others stay. A page without text has no part, so that page numbers of the others never
shift.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing

from apps.ingestion.extractors.layout import Placed, place_lines
from apps.ingestion.extractors.pdfium import Document, PageError
from apps.ingestion.extractors.pictures import Picture, PictureError
from apps.ingestion.extractors.pypdf_door import FallbackDocument
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.scans import read_scan
from apps.ingestion.values import ExtractedPart, Locator, Note, Reason, Unreadable

VERSION = 2

_TAIL = 4096
_STARTXREF = re.compile(rb"startxref\s+(\d{1,15})\s+%%EOF")
_LOST = re.compile("[\ufffd\ue000-\uf8ff]")
# More than this share of unmapped characters is a font without a map, not a text.
_MOST_LOST = 0.3
# A scan may carry a stamp or a page number as text.
_LITTLE_TEXT = 100
_SCANNED_SHARE = 0.3
_SMALL_FILE = 32 << 20


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """The pages with text, in order."""
    try:
        document = Document(reading.source.path)
    except Unreadable as refused:
        if refused.failure.reason is not Reason.CORRUPT:
            raise
        yield from _fallback_pages(reading)
        return
    with closing(document):
        _describe(document, reading)
        yield from _pages(document, reading)


def _describe(document: Document, reading: Reading) -> None:
    reading.page_count = len(document)
    if not len(document):
        raise Unreadable(Reason.EMPTY)
    if len(document) > reading.limits.max_pages:
        raise Unreadable(Reason.TOO_LARGE, f"{len(document)} pages")
    reading.title = document.title()
    if attached := document.attachment_count():
        reading.notes[Note.ATTACHED_FILES_NOT_READ] = attached
    if needs_repair(reading.source.path):
        reading.notes[Note.REPAIRED] = 1


def _pages(document: Document, reading: Reading) -> Iterator[ExtractedPart]:
    blanks = _Blanks(reading.source.path)
    for index in range(reading.source.skip_until, len(document)):
        reading.on_progress(index, len(document))
        part = _page(document, index, reading, blanks)
        if part is not None:
            yield part
    reading.on_progress(len(document), len(document))


class _Blanks:
    """Tells a page that shows nothing from one that PDFium gave up unpacking."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._document: FallbackDocument | None = None
        # The second reader holds the file in memory; one that unpacks to much more is small.
        self._worth_it = os.path.getsize(path) <= _SMALL_FILE

    def overflows(self, index: int) -> bool:
        """Whether the page is empty for unpacking to an unreasonable size."""
        if not self._worth_it:
            return False
        try:
            self._document = self._document or FallbackDocument(self._path)
        except Unreadable:
            self._worth_it = False
            return False
        return self._document.overflows(index)


def _page(
    document: Document, index: int, reading: Reading, blanks: _Blanks
) -> ExtractedPart | None:
    try:
        placed = place_lines(document.lines(index, reading.limits.max_page_characters))
    except PageError:
        reading.notes[Note.PAGES_FAILED] += 1
        if reading.notes[Note.PAGES_FAILED] > reading.limits.max_failed_pages:
            raise Unreadable(Reason.CORRUPT, "Too many pages cannot be read.") from None
        return None
    locator = _locator(index, document.label(index))
    part = _part(placed, locator)
    if not _is_scan(document, index, placed, part):
        if not placed.text and blanks.overflows(index):
            reading.notes[Note.PAGES_TOO_LARGE] += 1
        return part
    seen = read_scan(reading, lambda: _drawn(document, index))
    if seen is None or (part is not None and _amount(seen.text) <= _amount(part.text)):
        return part
    return ExtractedPart(locator=locator, text=seen.text, lines=seen.lines)


def _is_scan(document: Document, index: int, placed: Placed, part: ExtractedPart | None) -> bool:
    """Whether the page shows more than its text says; an empty page is simply empty."""
    if part is None:
        return bool(placed.text) or document.pictured(index) > 0
    return _amount(part.text) < _LITTLE_TEXT and document.pictured(index) >= _SCANNED_SHARE


def _amount(text: str) -> int:
    return sum(map(str.isalnum, text))


def _drawn(document: Document, index: int) -> Picture:
    try:
        return document.draw(index)
    except PageError as error:
        raise PictureError from error


def _locator(index: int, label: str) -> Locator:
    locator: Locator = {"kind": "page", "page": index + 1}
    if label and label != str(index + 1):
        locator["label"] = label[:40]
    return locator


def _part(placed: Placed, locator: Locator) -> ExtractedPart | None:
    """The page as a part, or None when it holds nothing that can be read."""
    lost = len(_LOST.findall(placed.text))
    if not any(map(str.isalnum, placed.text)) or lost > _MOST_LOST * len(placed.text):
        return None
    return ExtractedPart(locator=locator, text=placed.text, lines=placed.lines)


def _fallback_pages(reading: Reading) -> Iterator[ExtractedPart]:
    """The pages as the second reader sees them, without boxes."""
    document = FallbackDocument(reading.source.path)
    reading.page_count = len(document)
    reading.notes[Note.REPAIRED] = 1
    if len(document) > reading.limits.max_pages:
        raise Unreadable(Reason.TOO_LARGE, f"{len(document)} pages")
    for index in range(reading.source.skip_until, len(document)):
        reading.on_progress(index, len(document))
        text = document.text(index)
        if text is None:
            reading.notes[Note.PAGES_FAILED] += 1
            continue
        part = _part(Placed(text.strip(), ()), _locator(index, ""))
        if part is not None:
            yield part


def needs_repair(path: str) -> bool:
    """Whether the end of the file does not lead to a cross-reference table (ISO 32000-2, 7.5.5)."""
    with open(path, "rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _TAIL))
        found = list(_STARTXREF.finditer(stream.read()))
        if not found:
            return True
        stream.seek(int(found[-1].group(1)))
        head = stream.read(32).lstrip()
    junk_after = size - max(0, size - _TAIL) - found[-1].end() > 1024
    return junk_after or not re.match(rb"xref|\d+\s+\d+\s+obj", head)
