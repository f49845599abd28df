"""The only door to pypdfium2: pages of a PDF as texts with the box of each visual line.

Reading line by line through PDFium's rectangles instead of character by character keeps a page at
about the cost of its bare text.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from apps.ingestion.values import Reason, Unreadable

_FINE = 1_000_000
_HYPHEN = "\ufffe"
_LINE_END = re.compile("[\n\ufffe]")
_HALF = re.compile("[\ud800-\udfff]")


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


class Document:
    """An open PDF. Pages are counted from 0."""

    def __init__(self, path: str) -> None:
        """Open the file with the empty password; `Unreadable` when it needs one or is damaged."""
        try:
            self._pdf = pdfium.PdfDocument(path)
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

    def shows_picture(self, index: int) -> bool:
        """Whether an image is drawn on the page, as on a scanned one."""
        try:
            page = self._pdf[index]
        except pdfium.PdfiumError:
            return False
        try:
            images = page.get_objects(filter=(pdfium_c.FPDF_PAGEOBJ_IMAGE,), max_depth=3)
            return next(iter(images), None) is not None
        except pdfium.PdfiumError:
            return False
        finally:
            page.close()

    def close(self) -> None:
        """Release the document."""
        self._pdf.close()


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
    if _HALF.search(text) is None:
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
        self._sides = [ctypes.c_double() for _ in range(4)]
        self._references = [ctypes.byref(side) for side in self._sides]
        self._rect = pdfium_c.FS_RECTF()

    def around(self, start: int, count: int) -> tuple[float, float, float, float] | None:
        """(left, top, right, bottom) of the range, or None when nothing of it has a box."""
        boxes: list[tuple[float, float, float, float]] = []
        for at in range(pdfium_c.FPDFText_CountRects(self._handle, start, count)):
            if pdfium_c.FPDFText_GetRect(self._handle, at, *self._references):
                left, top, right, bottom = (side.value for side in self._sides)
                boxes.append((left, top, right, bottom))
        if not boxes:
            return None
        boxes += self._loose(start)
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return min(lefts), max(tops), max(rights), min(bottoms)

    def _loose(self, at: int) -> list[tuple[float, float, float, float]]:
        """The em box of one character: ink alone has no height in a font without outlines."""
        if not pdfium_c.FPDFText_GetLooseCharBox(self._handle, at, ctypes.byref(self._rect)):
            return []
        rect = self._rect
        return [(rect.left, rect.top, rect.right, rect.bottom)]


class _Fractions:
    """Page space to fractions of the displayed page, by PDFium's own matrix (crop, rotation)."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        origin, right, up = (self._point(page, *p) for p in ((0, 0), (1000, 0), (0, 1000)))
        self._a = tuple((r - o) / 1000 for r, o in zip(right, origin, strict=True))
        self._b = tuple((u - o) / 1000 for u, o in zip(up, origin, strict=True))
        self._origin = origin

    @staticmethod
    def _point(page: pdfium.PdfPage, x: float, y: float) -> tuple[float, float]:
        dx, dy = ctypes.c_int(), ctypes.c_int()
        pdfium_c.FPDF_PageToDevice(
            page, 0, 0, _FINE, _FINE, 0, x, y, ctypes.byref(dx), ctypes.byref(dy)
        )
        return dx.value / _FINE, dy.value / _FINE

    def __call__(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        left, top, right, bottom = box
        xs, ys = zip(self._map(left, top), self._map(right, bottom), strict=True)
        return _inside(min(xs)), _inside(min(ys)), _inside(max(xs)), _inside(max(ys))

    def _map(self, x: float, y: float) -> tuple[float, float]:
        return (
            self._origin[0] + self._a[0] * x + self._b[0] * y,
            self._origin[1] + self._a[1] * x + self._b[1] * y,
        )


def _inside(fraction: float) -> float:
    return round(min(1.0, max(0.0, fraction)), 5)
