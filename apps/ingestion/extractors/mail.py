"""E-mail messages: headers and body, then each attachment by its own extractor (RFC 5322, 2045).

Of two versions of a body the plain one is read. Headers are decoded by hand: the standard
library's modern parser raises on too many of those that are really sent.
"""

from __future__ import annotations

import io
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32

from apps.ingestion.decoding import decode_page
from apps.ingestion.extractors.markup import Page
from apps.ingestion.extractors.reading import Reading, SourceFile
from apps.ingestion.extractors.sections import Piece, part_of
from apps.ingestion.sniffing import EMAIL, Sniffed, sniff
from apps.ingestion.values import ExtractedPart, Locator, Note

VERSION = 1

Extract = Callable[[Reading], Iterator[ExtractedPart]]

_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MOST_ATTACHMENTS = 50
_MOST_DEPTH = 3
_MOST_NESTED = 50
_LONGEST_HEADER = 2_000
_LONGEST_NAME = 200
_EMPTY_LINE = re.compile(r"\n[ \t]*\n\s*")
# What only proves who wrote a message is not missed by a reader.
_SEALS = re.compile(r"application/(x-)?(pkcs7|pgp)-(signature|encrypted)$")


def mail_reader(extract_for: Callable[[str], Extract | None]) -> Extract:
    """An extractor of messages that hands attachments to the extractor of their media type."""

    def extract(reading: Reading) -> Iterator[ExtractedPart]:
        message = _parsed(reading.read_bytes())
        reading.title = _header(message, "Subject")
        yield from _Mail(reading, extract_for).parts(message, (), 0)

    return extract


def _parsed(data: bytes) -> Message:
    return BytesParser(policy=compat32).parsebytes(data)


@dataclass(slots=True)
class _Content:
    """The leaves of a message: texts of its body, and what came with them."""

    body: list[Message] = field(default_factory=list)
    attached: list[Message] = field(default_factory=list)

    def sort(self, part: Message, depth: int = 0) -> None:
        """Put the part, or those below it, where they belong."""
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            for inner in _chosen(part) if depth < _MOST_NESTED else ():
                self.sort(inner, depth + 1)
        elif _is_body(part):
            self.body.append(part)
        elif not _is_furniture(part):
            self.attached.append(part)


def _inner(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [p for p in payload if isinstance(p, Message)] if isinstance(payload, list) else []


def _chosen(part: Message) -> list[Message]:
    """The parts to read: of alternatives the plain text, else the last, which is the richest."""
    parts = _inner(part)
    if part.get_content_subtype() != "alternative":
        return parts
    plain = [p for p in parts if p.get_content_type() == "text/plain" and _bytes(p).strip()]
    return plain[:1] or parts[-1:]


def _is_body(part: Message) -> bool:
    is_text = part.get_content_type() in {"text/plain", "text/html"}
    return is_text and part.get_content_disposition() != "attachment" and not part.get_filename()


def _is_furniture(part: Message) -> bool:
    """Signatures, and pictures that the body shows, such as logos."""
    is_shown = part.get_content_maintype() == "image" and part.get("Content-ID") is not None
    is_attached = part.get_content_disposition() == "attachment"
    return bool(_SEALS.match(part.get_content_type())) or (is_shown and not is_attached)


class _Mail:
    """Reads a message and what is attached to it, numbering the parts from 1."""

    def __init__(self, reading: Reading, extract_for: Callable[[str], Extract | None]) -> None:
        self._reading = reading
        self._extract_for = extract_for
        self._numbered = 0
        self._attachments = 0

    def parts(self, message: Message, path: tuple[str, ...], depth: int) -> Iterator[ExtractedPart]:
        """The message itself, then its attachments; `path` names the messages around it."""
        content = _Content()
        content.sort(message)
        pieces = [Piece(_headers(message)), *(p for part in content.body for p in _texts(part))]
        filled = [piece for piece in pieces if piece.text.strip()]
        yield part_of(filled, self._locator({"kind": "part"}, path))
        for part in content.attached:
            yield from self._attachment(part, path, depth)

    def _locator(self, locator: Locator, path: tuple[str, ...]) -> Locator:
        self._numbered += 1
        numbered: Locator = {**locator, "kind": "part", "part": self._numbered}
        if path:
            numbered["attachment"] = " › ".join(path)
        return numbered

    def _attachment(
        self, part: Message, path: tuple[str, ...], depth: int
    ) -> Iterator[ExtractedPart]:
        self._attachments += 1
        messages = _inner(part)
        if self._attachments > _MOST_ATTACHMENTS or (messages and depth >= _MOST_DEPTH):
            self._reading.notes[Note.ATTACHED_FILES_NOT_READ] += 1
        elif messages:
            for message in messages:
                name = _header(message, "Subject") or _name(part)
                yield from self.parts(message, (*path, name[:_LONGEST_NAME]), depth + 1)
        else:
            yield from self._file(_bytes(part), (*path, _name(part)), depth)

    def _file(self, data: bytes, path: tuple[str, ...], depth: int) -> Iterator[ExtractedPart]:
        """The parts of an attached file, or a remark that it could not be read."""
        limits = self._reading.limits
        found = sniff(io.BytesIO(data), filename=path[-1], limits=limits)
        media_type = found.media_type if isinstance(found, Sniffed) else ""
        extract = self._extract_for(media_type)
        if media_type == EMAIL and depth < _MOST_DEPTH:
            yield from self.parts(_parsed(data), path, depth + 1)
        elif media_type == EMAIL or extract is None:
            self._reading.notes[Note.ATTACHED_FILES_NOT_READ] += 1
        else:
            yield from self._extracted(extract, media_type, data, path)

    def _extracted(
        self, extract: Extract, media_type: str, data: bytes, path: tuple[str, ...]
    ) -> Iterator[ExtractedPart]:
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.flush()
            source = SourceFile(f"/dev/fd/{file.fileno()}", media_type)
            inner = replace(self._reading, source=source, title="", notes=Counter())
            number = self._locator({"kind": "part"}, path)
            try:
                for part in extract(inner):
                    # Boxes belong to the pages of a file that the viewer cannot open by itself.
                    yield replace(part, locator={**part.locator, **number}, lines=())
            except MemoryError:
                raise
            except Exception:  # a broken attachment must not cost the message
                inner.notes[Note.ATTACHED_FILES_NOT_READ] += 1
            self._reading.notes.update(inner.notes)


def _headers(message: Message) -> str:
    found = [(name, _header(message, name)) for name in _SHOWN_HEADERS]
    return "\n".join(f"{name}: {value}" for name, value in found if value)


def _header(message: Message, name: str) -> str:
    """A header in plain words, whatever its encoding; empty when it is missing."""
    raw = next((v for key, v in message.raw_items() if key.lower() == name.lower()), "")
    return " ".join(_in_words(_as_text(str(raw)[:_LONGEST_HEADER])).split())


def _as_text(raw: str) -> str:
    """A header sent as bare bytes, which the parser keeps as surrogates, as text."""
    data = raw.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        # Too short for a detector; those who still send such headers are mostly in the West.
        return data.decode("cp1252", "replace")


def _in_words(text: str) -> str:
    """Encoded words (RFC 2047) decoded; left as they are when they are broken."""
    if "=?" not in text:
        return text
    try:
        return str(make_header(decode_header(text)))
    except (HeaderParseError, ValueError, LookupError):
        return text


def _name(part: Message) -> str:
    """The name of an attached file, only ever shown; its type in want of one."""
    given = part.get_filename()
    name = _in_words(_as_text(given)) if given else part.get_content_type()
    return " ".join(re.split(r"[/\\]", name)[-1].split())[:_LONGEST_NAME] or "attachment"


def _bytes(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _texts(part: Message) -> Iterator[Piece]:
    """The blocks of a text of the body."""
    charset = str(part.get_param("charset", "") or "")
    text = decode_page(_bytes(part), charset).text
    if part.get_content_type() == "text/html":
        yield from (piece._replace(level=0) for piece in Page(text).pieces(content_only=False))
    else:
        text = text.replace("\r\n", "\n")
        yield from (Piece(block.rstrip()) for block in _EMPTY_LINE.split(text))
