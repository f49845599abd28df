"""What a stored file is, as far as showing and downloading it goes. Pure.

The extractor looks for itself and deeper: here a wrong guess costs a label, never safety.
Only what the first bytes prove may be shown inside a page; a name proves nothing.
"""

UNKNOWN = "application/octet-stream"
PDF = "application/pdf"
HEAD_BYTES = 64

_OOXML = "application/vnd.openxmlformats-officedocument"
_BY_ENDING = {
    "docx": f"{_OOXML}.wordprocessingml.document",
    "pptx": f"{_OOXML}.presentationml.presentation",
    "xlsx": f"{_OOXML}.spreadsheetml.sheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "epub": "application/epub+zip",
    "rtf": "application/rtf",
    "zip": "application/zip",
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "application/xhtml+xml",
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "md": "text/markdown",
    "markdown": "text/markdown",
    "txt": "text/plain",
    "csv": "text/csv",
    "json": "application/json",
}
INLINE = frozenset({PDF, "image/png", "image/jpeg", "image/gif", "image/webp"})


def media_type_of(head: bytes, filename: str) -> str:
    """The media type by the first `HEAD_BYTES` bytes, else by the ending of the name.

    A name never makes a file a PDF or an image: those need their signature.
    """
    return _by_signature(head) or _BY_ENDING.get(_ending(filename), UNKNOWN)


def _by_signature(head: bytes) -> str | None:
    if head.startswith(b"%PDF-"):
        return PDF
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return None


def _ending(filename: str) -> str:
    return filename.rpartition(".")[2].lower()


def may_be_inline(media_type: str) -> bool:
    """Whether a browser may show this type in its place; everything else is only downloaded."""
    return media_type in INLINE
