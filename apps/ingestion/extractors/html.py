"""HTML files and fetched web pages: headings as context, tables row by row.

A file is read whole. Of a web page only the main content is kept; shells that need scripts, consent
walls and "not found" pages with status 200 are no content and fail by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from apps.ingestion.decoding import decode_page
from apps.ingestion.extractors.main_content import main_content
from apps.ingestion.extractors.markup import Page
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sections import Piece, sections
from apps.ingestion.values import ExtractedPart, Note, Reason, Unreadable

VERSION = 1

_MAX_HTML_BYTES = 64 << 20
# An article is longer than any of the notices below.
_NOTICE_CHARACTERS = 700
_FEW_CHARACTERS = 200
_NOT_FOUND = re.compile(
    r"\b404\b|\b(page|seite|site) (was )?not found|^not found\b|nicht gefunden|introuvable"
    r"|no (se ha )?encontrad|no (s'ha )?trob|non trovata|não encontrada|niet gevonden"
    r"|does(n't| not) exist",
    re.I,
)
_CONSENT = re.compile(
    r"\bcookies?\b.*(accept|agree|consent|partners|akzeptier|zustimm|accept|acept|accett|aceitar"
    r"|accepteren)|(before you continue|bevor sie fortfahren|avant de continuer).*\bcookies?\b",
    re.I | re.S,
)
_SCRIPTS = re.compile(
    r"(enable|activate|allow|turn on|requires?|needs?|aktivieren|activer|activ[ae]r?|habilit\w*)"
    r".{0,40}java ?script|java ?script.{0,60}(enabled|required|disabled|aktivier|activ|habilit)",
    re.I | re.S,
)


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """One part for each heading section."""
    page = Page(_decoded(reading))
    reading.title = page.title or page.first_heading()
    pieces = _content(page) if reading.source.is_web_page else page.pieces(content_only=False)
    for section in sections(pieces):
        yield section.part()


def _decoded(reading: Reading) -> str:
    data = reading.read_bytes()
    if len(data) > _MAX_HTML_BYTES:
        raise Unreadable(Reason.TOO_LARGE)
    decoded = decode_page(data, reading.source.charset)
    if decoded.replaced:
        reading.notes[Note.CHARACTERS_REPLACED] += decoded.replaced
    return decoded.text


def _content(page: Page) -> Sequence[Piece]:
    """The article, or everything visible when the article finder sees next to nothing."""
    heading = page.first_heading()
    found = main_content(page.html())
    if _size(found) < _FEW_CHARACTERS:
        whole = page.pieces(content_only=True)
        found = whole if _size(whole) else found
    if _is_notice(page, heading, found):
        raise Unreadable(Reason.NO_READABLE_TEXT)
    return found


def _size(pieces: Sequence[Piece]) -> int:
    return sum(len(piece.text) for piece in pieces)


def _is_notice(page: Page, heading: str, pieces: Sequence[Piece]) -> bool:
    """Whether the page only tells its reader to do something else."""
    text = "\n".join(piece.text for piece in pieces)
    if len(text) > _NOTICE_CHARACTERS:
        return False
    if page.refreshes and len(text) < _FEW_CHARACTERS:
        return True
    if _NOT_FOUND.search(page.title) or _NOT_FOUND.search(heading):
        return True
    return bool(_CONSENT.search(text) or _SCRIPTS.search(text)) or (
        len(text) < _FEW_CHARACTERS and bool(_SCRIPTS.search(page.fallback_text))
    )
