"""Which extractor reads which media type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from apps.ingestion import chunking
from apps.ingestion.extractors import (
    delimited,
    docx,
    epub,
    html,
    image,
    mail,
    markdown,
    odp,
    ods,
    odt,
    pdf,
    plain,
    pptx,
    subtitles,
    xlsx,
)
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.recognition import Recognition
from apps.ingestion.sniffing import (
    CSV,
    DOCX,
    EMAIL,
    EPUB,
    HTML,
    JPEG,
    MARKDOWN,
    ODP,
    ODS,
    ODT,
    PDF,
    PLAIN,
    PNG,
    PPTX,
    RST,
    SOURCE_CODE,
    SRT,
    TIFF,
    VTT,
    WEBP,
    XLSX,
)
from apps.ingestion.values import ExtractedPart


@dataclass(frozen=True, slots=True)
class Reader:
    """An extractor; `resumable` ones can go on after a page that killed the process.

    `recognises` says that pages may be pictures whose text must be recognised.
    """

    name: str
    version: int
    extract: Callable[[Reading], Iterator[ExtractedPart]]
    resumable: bool = False
    recognises: bool = False

    @property
    def identity(self) -> str:
        """Name and versions: part of a version's key, so that a better reader reads again."""
        return f"{self.name}/{self.version} chunks/{chunking.VERSION}"

    def identity_with(self, recognition: Recognition) -> str:
        """The identity for a file with scans: other languages read it again."""
        return f"{self.identity} {recognition.identity}"


def _extract_for(media_type: str) -> Callable[[Reading], Iterator[ExtractedPart]] | None:
    """How a file inside another file is read."""
    reader = reader_for(media_type)
    return None if reader is None else reader.extract


_IMAGE = Reader("image", image.VERSION, image.extract, resumable=True, recognises=True)
_SUBTITLES = Reader("subtitles", subtitles.VERSION, subtitles.extract)
_PLAIN = Reader("plain", plain.VERSION, plain.extract)
READERS: dict[str, Reader] = {
    PDF: Reader("pdf", pdf.VERSION, pdf.extract, resumable=True, recognises=True),
    **dict.fromkeys((PNG, JPEG, TIFF, WEBP), _IMAGE),
    DOCX: Reader("docx", docx.VERSION, docx.extract),
    XLSX: Reader("xlsx", xlsx.VERSION, xlsx.extract),
    PPTX: Reader("pptx", pptx.VERSION, pptx.extract),
    ODT: Reader("odt", odt.VERSION, odt.extract),
    ODS: Reader("ods", ods.VERSION, ods.extract),
    ODP: Reader("odp", odp.VERSION, odp.extract),
    EPUB: Reader("epub", epub.VERSION, epub.extract),
    VTT: _SUBTITLES,
    SRT: _SUBTITLES,
    EMAIL: Reader("mail", mail.VERSION, mail.mail_reader(_extract_for), recognises=True),
    HTML: Reader("html", html.VERSION, html.extract),
    MARKDOWN: Reader("markdown", markdown.VERSION, markdown.extract),
    PLAIN: _PLAIN,
    RST: _PLAIN,
    CSV: Reader("delimited", delimited.VERSION, delimited.extract),
    SOURCE_CODE: _PLAIN,
}


def reader_for(media_type: str) -> Reader | None:
    """The extractor of a media type, or None when there is none yet."""
    return READERS.get(media_type)
