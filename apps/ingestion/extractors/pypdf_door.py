"""The only door to pypdf: the second reader for documents and pages that PDFium refuses."""

from __future__ import annotations

import logging

from pypdf import PdfReader
from pypdf.errors import LimitReachedError, PyPdfError

from apps.ingestion.values import Reason, Unreadable

# Its warnings about damaged files would fill the log with words from the file.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)

# What a hostile file makes a pure Python parser raise.
_DAMAGE = (
    PyPdfError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    NotImplementedError,
    ArithmeticError,
    AssertionError,
    OSError,
)


class FallbackDocument:
    """A PDF read without boxes. Pages are counted from 0."""

    def __init__(self, path: str) -> None:
        """Open the file with the empty password; `Unreadable` when that is not enough."""
        try:
            self._reader = PdfReader(path, strict=False)
            if self._reader.is_encrypted and not self._reader.decrypt(""):
                raise Unreadable(Reason.ENCRYPTED)
            self._count = len(self._reader.pages)
        except _DAMAGE as error:
            raise Unreadable(Reason.CORRUPT, "The PDF cannot be opened.") from error

    def __len__(self) -> int:
        return self._count

    def overflows(self, index: int) -> bool:
        """Whether the drawing commands of a page unpack to more than pypdf's limit (75 MB)."""
        try:
            contents = self._reader.pages[index].get_contents()
            if contents is not None:
                contents.get_data()
        except LimitReachedError:
            return True
        except _DAMAGE:
            return False
        return False

    def text(self, index: int) -> str | None:
        """The text of a page, or None when the page cannot be read."""
        try:
            return self._reader.pages[index].extract_text()
        except _DAMAGE:
            return None
