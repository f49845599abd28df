"""What a file is, told by its bytes. A name only chooses among the kinds of plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO

from apps.ingestion.archives import SafeArchive, open_archive
from apps.ingestion.values import Failure, Limits, Reason, Unreadable

HEAD = 8192

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"
WEBP = "image/webp"
HTML = "text/html"
MARKDOWN = "text/markdown"
RST = "text/x-rst"
CSV = "text/csv"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"
EMAIL = "message/rfc822"
VTT = "text/vtt"
SRT = "application/x-subrip"
SOURCE_CODE = "text/x-source"
PLAIN = "text/plain"
ZIP = "application/zip"
OLE = "application/x-ole-storage"
UNKNOWN = "application/octet-stream"

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (0, b"\x89PNG\r\n\x1a\n", PNG),
    (0, b"\xff\xd8\xff", JPEG),
    (0, b"GIF8", "image/gif"),
    (0, b"II*\x00", TIFF),
    (0, b"MM\x00*", TIFF),
    (0, b"II+\x00\x08\x00", TIFF),
    (0, b"MM\x00+\x00\x08", TIFF),
    (8, b"WEBP", WEBP),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"%!PS", "application/postscript"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!", "application/vnd.rar"),
    (0, b"MZ", "application/x-msdownload"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_MAIN_PARTS = (
    (
        re.compile(r"wordprocessingml\.(document|template)\.main\+xml|ms-word\.[^\"]*\.main\+xml"),
        DOCX,
    ),
    (re.compile(r"presentationml\.[a-z]+\.main\+xml|ms-powerpoint\.[^\"]*\.main\+xml"), PPTX),
    (re.compile(r"spreadsheetml\.(sheet|template)\.main\+xml|ms-excel\.[^\"]*\.main\+xml"), XLSX),
)
_HTML_START = re.compile(
    rb"^(?:\s|<!--.*?-->|<\?xml[^>]*\?>)*<(?:!doctype\s+html|html|head|body|title|meta|h1|article)\b",
    re.I | re.S,
)
_PDF_START = re.compile(rb"(?:^|[\r\n\x00])%PDF-\d")
_SVG_START = re.compile(rb"^(?:\s|<!--.*?-->|<\?xml[^>]*\?>|<!doctype[^>]*>)*<svg\b", re.I | re.S)
_VTT_START = re.compile(rb"WEBVTT(?:[ \t\r\n]|$)")
_SRT_START = re.compile(rb"\s*\d+[ \t]*\r?\n\d+:\d\d:\d\d[,.]\d{1,3}[ \t]*-->")
_HEADER_LINE = re.compile(rb"([A-Za-z][A-Za-z0-9-]*):|[ \t]|>?From ")
_SENDERS = frozenset({b"from", b"received", b"return-path"})
_MAIL_HEADERS = _SENDERS | frozenset(
    {b"to", b"date", b"subject", b"message-id", b"mime-version", b"delivered-to"}
)
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MARKDOWN_SIGNS = (
    re.compile(r"^#{1,6} \S", re.M),
    re.compile(r"^(```|~~~)", re.M),
    re.compile(r"^\|.*\|\s*\n\|[ :|-]+\|\s*$", re.M),
    re.compile(r"\[[^\]\n]+\]\((?:https?:|/|#)[^)\s]+\)"),
)
_CODE_ENDINGS = frozenset(
    re.findall(
        r"\S+",
        """
        .py .pyi .js .mjs .ts .tsx .jsx .java .kt .c .h .cc .cpp .hpp .cs .go .rs .rb .php .pl .sh
        .bash .zsh .sql .r .scala .swift .lua .css .scss .xml .json .jsonl .yaml .yml .toml .ini
        .cfg .conf .tex .bib .ris .proto .gradle .cmake .dart .ex .exs .hs .jl
        """,
    )
)
_BY_ENDING = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".rst": RST,
    ".csv": CSV,
    ".tsv": CSV,
    ".txt": PLAIN,
    ".text": PLAIN,
    ".log": PLAIN,
    **dict.fromkeys(_CODE_ENDINGS, SOURCE_CODE),
}


_CLAIMS = {
    ".pdf": PDF,
    ".docx": DOCX,
    ".pptx": PPTX,
    ".xlsx": XLSX,
    ".png": PNG,
    ".jpg": JPEG,
    ".jpeg": JPEG,
    ".gif": "image/gif",
    ".webp": WEBP,
    ".tif": TIFF,
    ".tiff": TIFF,
    ".epub": EPUB,
    ".odt": ODT,
    ".ods": ODS,
    ".odp": ODP,
}


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The media type that the bytes speak for."""

    media_type: str


def sniff(
    stream: IO[bytes],
    *,
    filename: str = "",
    is_upload: bool = True,
    limits: Limits | None = None,
) -> Sniffed | Failure:
    """The media type of a seekable stream, or the failure that follows from the bytes alone.

    An empty file, a compound file (password protected or an old Office format) and a zip bomb are
    failures here; a type without a reader is still a type. An upload whose name claims one binary
    kind while the bytes are another is refused (ASVS 5.2.2); the path of an address claims nothing.
    """
    found = _sniff_bytes(stream, filename, limits or Limits())
    claimed = _CLAIMS.get(PurePath(filename).suffix.lower())
    if is_upload and isinstance(found, Sniffed) and claimed and found.media_type != claimed:
        return Failure(Reason.TYPE_MISMATCH, f"{claimed} / {found.media_type}")
    return found


def _sniff_bytes(stream: IO[bytes], filename: str, limits: Limits) -> Sniffed | Failure:
    stream.seek(0)
    head = stream.read(HEAD)
    if not head.strip(b"\x00 \t\r\n"):
        return Failure(Reason.EMPTY)
    media_type = _by_signature(head)
    if media_type == OLE:
        return Failure(Reason.ENCRYPTED)
    if media_type == ZIP:
        return _container(stream, limits)
    return Sniffed(media_type or _text_kind(head, filename))


def _by_signature(head: bytes) -> str | None:
    # Readers accept junk before the header of a PDF, within the first kilobyte.
    if _PDF_START.search(head[:1024]) and not _HTML_START.match(head):
        return PDF
    for offset, magic, media_type in _SIGNATURES:
        if head.startswith(magic, offset) and not _is_words(head, magic):
            return media_type
    return None


def _is_words(head: bytes, magic: bytes) -> bool:
    """Whether a signature made of letters only is the beginning of a text, as in "MZ is …"."""
    return magic in {b"MZ", b"ID3", b"ftyp", b"WAVE", b"WEBP", b"OggS"} and _is_text(head)


def _container(stream: IO[bytes], limits: Limits) -> Sniffed | Failure:
    stream.seek(0)
    try:
        with open_archive(stream, limits) as archive:
            return Sniffed(_container_type(archive))
    except Unreadable as refused:
        return refused.failure


def _container_type(archive: SafeArchive) -> str:
    """The type told by the main part of an Office package or by the `mimetype` member."""
    if "[Content_Types].xml" in archive:
        types = _beginning(archive, "[Content_Types].xml", 1 << 20)
        return next((kind for main, kind in _MAIN_PARTS if main.search(types)), ZIP)
    if "mimetype" in archive:
        declared = _beginning(archive, "mimetype", 100).strip()
        if re.fullmatch(r"application/(epub\+zip|vnd\.oasis\.opendocument\.[a-z-]+)", declared):
            return declared.removesuffix("-template")
    return ZIP


def _beginning(archive: SafeArchive, name: str, most: int) -> str:
    with archive.open(name) as stream:
        return stream.read(most).decode("utf-8", "replace")


def _text_kind(head: bytes, filename: str) -> str:
    if not _is_text(head):
        return UNKNOWN
    if _SVG_START.match(head):
        return "image/svg+xml"
    if _HTML_START.match(_without_bom(head)):
        return HTML
    by_name = _BY_ENDING.get(PurePath(filename).suffix.lower())
    found = _by_beginning(_without_bom(head), by_name)
    return found or by_name or (MARKDOWN if _looks_like_markdown(head) else PLAIN)


def _by_beginning(head: bytes, by_name: str | None) -> str | None:
    """Kinds of text that their first lines give away."""
    if _VTT_START.match(head):
        return VTT
    if _SRT_START.match(head):
        return SRT
    return EMAIL if by_name in {None, PLAIN} and _looks_like_mail(head) else None


def _looks_like_mail(head: bytes) -> bool:
    """Whether a block of header lines names a sender and something else of a message."""
    names = set()
    for line in head.splitlines():
        if not line.strip():
            break
        header = _HEADER_LINE.match(line)
        if header is None:
            return False
        names.add((header.group(1) or b"").lower())
    return bool(names & _SENDERS) and len(names & _MAIL_HEADERS) > 1


def _is_text(head: bytes) -> bool:
    """Text has almost no control characters; NULs count unless they are half of UTF-16."""
    if head.startswith(_BOMS):
        return True
    controls = len(_CONTROLS.findall(head))
    nuls = head.count(0)
    wide = abs(head[0::2].count(0) - head[1::2].count(0)) > len(head) * 0.2
    return controls <= len(head) * 0.01 and (wide or nuls <= max(4, len(head) * 0.01))


def _without_bom(head: bytes) -> bytes:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head[2:].replace(b"\x00", b"")
    return head.removeprefix(b"\xef\xbb\xbf")


def _looks_like_markdown(head: bytes) -> bool:
    text = head.decode("utf-8", "ignore")
    return sum(sign.search(text) is not None for sign in _MARKDOWN_SIGNS) >= 2
