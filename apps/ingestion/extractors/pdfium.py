"""The only door to pypdfium2: pages of a PDF as texts with the box of each visual line.

Reading line by line through PDFium's rectangles instead of character by character keeps a page at
about the cost of its bare text.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from apps.ingestion.extractors.pictures import MOST_PIXELS, Picture
from apps.ingestion.values import Reason, Unreadable

_FINE = 1_000_000
# What text recognition is made for, in pixels per point.
_SCAN_SCALE = 300 / 72
_MOST_IMAGES = 2_000
_HYPHEN = "\ufffe"
_LINE_END = re.compile("[\n\ufffe]")
_HALF = re.compile("[\ud800-\udfff]")


# One line in a font that is not embedded: PDFium then looks through the machine's fonts, once.
_SMALL_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R"
    b">>>>>>endobj\n4 0 obj<</Length 30>>stream\nBT /F 9 Tf 9 9 Td (word) Tj ET\nendstream endobj\n"
    b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
)


def warm_up() -> None:
    """Have PDFium do once what every process does at its first page."""
    document = pdfium.PdfDocument(_SMALL_PDF)
    page = document[0]
    text_page = page.get_textpage()
    text_page.get_text_range()
    for opened in (text_page, page, document):
        opened.close()


@dataclass(frozen=True, slots=True)
class VisualLine:
    """A line of a page as drawn: text and box as fractions of the displayed page."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float


class PageError(Exception):
    """One page could not be read; the others may be."""


def _openable(path: str) -> str | bytes:
    """The path, or the bytes of a file that has no name: the library looks names up."""
    return path if os.path.exists(os.path.realpath(path)) else Path(path).read_bytes()


class Document:
    """An open PDF. Pages are counted from 0."""

    def __init__(self, path: str) -> None:
        """Open the file with the empty password; `Unreadable` when it needs one or is damaged."""
        try:
            self._pdf = pdfium.PdfDocument(_openable(path))
        except pdfium.PdfiumError as error:
            if "password" in str(error).lower() or "security" in str(error).lower():
                raise Unreadable(Reason.ENCRYPTED) from error
            raise Unreadable(Reason.CORRUPT, "The PDF cannot be opened.") from error

    def __len__(self) -> int:
        return len(self._pdf)

    def attachment_count(self) -> int:
        """How many files are embedded."""
        return max(0, int(self._pdf.count_attachments()))

    def title(self) -> str:
        """The title in the document information, or nothing."""
        return str(self._pdf.get_metadata_value("Title") or "").strip()

    def label(self, index: int) -> str:
        """The printed number of a page, or nothing."""
        return str(self._pdf.get_page_label(index) or "").strip()

    def lines(self, index: int, most: int) -> list[VisualLine]:
        """The lines of a page in the file's order; `PageError` when the page cannot be read.

        More than `most` characters are refused: a page that long is an attack on memory.
        """
        try:
            page = self._pdf[index]
        except pdfium.PdfiumError as error:
            raise PageError from error
        try:
            text_page = page.get_textpage()
            try:
                if text_page.count_chars() > most:
                    raise PageError
                return list(_visual_lines(page, text_page))
            finally:
                text_page.close()
        except (pdfium.PdfiumError, AssertionError) as error:
            raise PageError from error
        finally:
            page.close()

    def pictured(self, index: int) -> float:
        """The share of a page that images cover, above 0 as soon as there is one, at most 1."""
        try:
            page = self._pdf[index]
        except pdfium.PdfiumError:
            return 0.0
        try:
            images = page.get_objects(filter=(pdfium_c.FPDF_PAGEOBJ_IMAGE,), max_depth=3)
            covered: float = sum(_area(image) for image in islice(images, _MOST_IMAGES))
            points = float(page.get_width() * page.get_height())
            return min(1.0, covered / max(1.0, points))
        except pdfium.PdfiumError:
            return 0.0
        finally:
            page.close()

    def draw(self, index: int) -> Picture:
        """The page as displayed, in grey and sharp enough to be read; `PageError` if it fails."""
        try:
            page = self._pdf[index]
        except pdfium.PdfiumError as error:
            raise PageError from error
        try:
            points = max(1.0, page.get_width() * page.get_height())
            scale = min(_SCAN_SCALE, math.sqrt(MOST_PIXELS / points))
            bitmap = page.render(scale=scale, grayscale=True, may_draw_forms=False)
            return _picture(bitmap)
        except (pdfium.PdfiumError, ctypes.ArgumentError) as error:
            raise PageError from error
        finally:
            page.close()

    def close(self) -> None:
        """Release the document."""
        self._pdf.close()


def _area(image: pdfium.PdfObject) -> float:
    # One that cannot be measured is still there.
    try:
        left, bottom, right, top = map(float, image.get_bounds())
    except pdfium.PdfiumError:
        return 1.0
    return max(1.0, (right - left) * (top - bottom))


def _picture(bitmap: pdfium.PdfBitmap) -> Picture:
    """The pixels without the padding at the end of rows."""
    with closing(bitmap):
        width, height, stride = bitmap.width, bitmap.height, bitmap.stride
        padded = memoryview(bitmap.buffer).cast("B")
        rows = (padded[at * stride : at * stride + width] for at in range(height))
        return Picture(width, height, b"".join(rows))


def _visual_lines(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage) -> Iterator[VisualLine]:
    to_fractions = _Fractions(page)
    rectangles = _Rectangles(text_page)
    for start, count, text in _line_ranges(text_page):
        shown = _with_pairs_joined(text.strip())
        if not shown:
            continue
        box = rectangles.around(start, count)
        if box is None:
            continue
        yield VisualLine(shown, *to_fractions(box))


def _with_pairs_joined(text: str) -> str:
    """The text with surrogate pairs as the one character they mean; lone halves stay."""
    if text.isascii() or _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _line_ranges(text_page: pdfium.PdfTextPage) -> Iterator[tuple[int, int, str]]:
    """(first character, number of characters, text) of each line.

    PDFium ends a line with CR LF; where a hyphen ended it, U+FFFE alone stands for both, and the
    hyphen that the page shows is put back.
    """
    start = 0
    for piece in _split_lines(_characters(text_page), text_page):
        text = piece.rstrip("\r\n")
        if text.endswith(_HYPHEN):
            text = text[:-1] + "-"
        yield start, len(piece), text
        start += len(piece)


def _split_lines(text: str, text_page: pdfium.PdfTextPage) -> Iterator[str]:
    last = 0
    for end in _LINE_END.finditer(text):
        if end.group() == "\n" or pdfium_c.FPDFText_IsHyphen(text_page, end.start()) == 1:
            yield text[last : end.end()]
            last = end.end()
    if last < len(text):
        yield text[last:]


def _characters(text_page: pdfium.PdfTextPage) -> str:
    """The page's text with exactly one code point for each of PDFium's characters.

    The quick call agrees with the character list on nearly every page; where it leaves some out or
    needs surrogate pairs, the list is read one by one, since boxes hang on its indices.
    """
    count = text_page.count_chars()
    try:
        text = text_page.get_text_range()
    except (AssertionError, UnicodeError):
        text = ""
    if len(text) == count:
        return str(text)
    read = pdfium_c.FPDFText_GetUnicode
    handle = text_page.raw
    return "".join(_character(read(handle, at)) for at in range(count))


def _character(code: int) -> str:
    return chr(code) if 0 < code < 0x110000 else "\x00"


class _Rectangles:
    """Bounding boxes of character ranges in page space."""

    def __init__(self, text_page: pdfium.PdfTextPage) -> None:
        self._handle = text_page.raw
        self._left, self._top, self._right, self._bottom = (ctypes.c_double() for _ in range(4))
        sides = (self._left, self._top, self._right, self._bottom)
        self._references = [ctypes.byref(side) for side in sides]
        self._rect = pdfium_c.FS_RECTF()
        self._rect_reference = ctypes.byref(self._rect)

    def around(self, start: int, count: int) -> tuple[float, float, float, float] | None:
        """(left, top, right, bottom) of the range, or None when nothing of it has a box."""
        found = pdfium_c.FPDFText_CountRects(self._handle, start, count)
        if found < 1 or not self._read(0):
            return None
        left, top = self._left.value, self._top.value
        right, bottom = self._right.value, self._bottom.value
        for at in range(1, found):
            if self._read(at):
                left, top = min(left, self._left.value), max(top, self._top.value)
                right, bottom = max(right, self._right.value), min(bottom, self._bottom.value)
        # Ink alone has no height in a font without outlines: the first em box lends its own.
        if pdfium_c.FPDFText_GetLooseCharBox(self._handle, start, self._rect_reference):
            rect = self._rect
            left, top = min(left, rect.left), max(top, rect.top)
            right, bottom = max(right, rect.right), min(bottom, rect.bottom)
        return left, top, right, bottom

    def _read(self, at: int) -> bool:
        return bool(pdfium_c.FPDFText_GetRect(self._handle, at, *self._references))


class _Fractions:
    """Page space to fractions of the displayed page, by PDFium's own matrix (crop, rotation)."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        origin, right, up = (self._point(page, *p) for p in ((0, 0), (1000, 0), (0, 1000)))
        self._x = (origin[0], (right[0] - origin[0]) / 1000, (up[0] - origin[0]) / 1000)
        self._y = (origin[1], (right[1] - origin[1]) / 1000, (up[1] - origin[1]) / 1000)

    @staticmethod
    def _point(page: pdfium.PdfPage, x: float, y: float) -> tuple[float, float]:
        dx, dy = ctypes.c_int(), ctypes.c_int()
        pdfium_c.FPDF_PageToDevice(
            page, 0, 0, _FINE, _FINE, 0, x, y, ctypes.byref(dx), ctypes.byref(dy)
        )
        return dx.value / _FINE, dy.value / _FINE

    def __call__(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        left, top, right, bottom = box
        origin, by_x, by_y = self._x
        x0, x1 = origin + by_x * left + by_y * top, origin + by_x * right + by_y * bottom
        origin, by_x, by_y = self._y
        y0, y1 = origin + by_x * left + by_y * top, origin + by_x * right + by_y * bottom
        if x0 > x1:
            x0, x1 = x1, x0
        if y0 > y1:
            y0, y1 = y1, y0
        return _inside(x0), _inside(y0), _inside(x1), _inside(y1)


def _inside(fraction: float) -> float:
    return 0.0 if fraction < 0 else 1.0 if fraction > 1 else round(fraction, 5)
