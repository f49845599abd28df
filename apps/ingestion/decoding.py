"""Bytes to text. The only door to charset_normalizer."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.I)
_SAMPLE = 256 * 1024
# The Encoding standard reads these labels as windows-1252: pages that say Latin-1 mean it.
_WESTERN = frozenset({"iso8859-1", "ascii", "cp1252"})
# Letters and marks of Western European prose; other scripts read as windows-1252 fall outside.
_WESTERN_PROSE = frozenset("äöüßÄÖÜéèêëàâçîïôùûœñáíóúãõÀÉÈÊÁÍÓÚÑÇåæøÅÆØìò¡¿·€“”‘’„‚–—…«»°§´£\xa0")
_SINGLE_BYTE = re.compile(r"^(cp125\d|iso8859_\d+|latin_1|mac_\w+|cp\d{3}|hp_roman8)$")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the encoding it was read with, and how many bytes had to be replaced."""

    text: str
    encoding: str
    replaced: int = 0


def decode_text(data: bytes) -> Decoded:
    """A text file: byte order mark, strict UTF-8, UTF-16 by its NULs, detector, windows-1252."""
    return (
        _by_bom(data)
        or _strict(data, "utf-8")
        or _mostly_utf8(data)
        or _bare_utf16(data)
        or _western_prose(data)
        or _detected(data)
        or _lossy(data, "cp1252")
    )


def decode_page(data: bytes, declared: str = "") -> Decoded:
    """A web page: byte order mark, header, meta in the first 1,024 bytes, then as a text file.

    The order is that of the HTML standard (13.2.3.2); unknown names fall through.
    """
    if by_bom := _by_bom(data):
        return by_bom
    meta = _META.search(data[:1024])
    for label in (declared, meta.group(1).decode("ascii") if meta else ""):
        if encoding := _known(label):
            return _lossy(data, encoding)
    return decode_text(data)


def _known(label: str) -> str | None:
    """Python's name for a charset label, with the web's reading of Latin-1; None if unknown."""
    try:
        name = codecs.lookup(label.strip()).name if label.strip() else ""
        # A page can only carry its own meta in an ASCII-compatible encoding.
        if not name or "<".encode(name, "strict") != b"<":
            return None
    except (LookupError, ValueError, UnicodeError):
        return None
    return "cp1252" if name in _WESTERN else name


def _by_bom(data: bytes) -> Decoded | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _lossy(data[len(mark) :], encoding)
    return None


def _strict(data: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(data.decode(encoding), encoding)
    except (UnicodeError, LookupError):
        return None


def _lossy(data: bytes, encoding: str) -> Decoded:
    strict = _strict(data, encoding)
    if strict is not None:
        return strict
    text = data.decode(encoding, "replace")
    return Decoded(text, encoding, text.count("\ufffd"))


def _mostly_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few foreign bytes: at least as many good sequences as bad bytes."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(re.findall(r"[\u0080-\ufffc\U00010000-\U0010ffff]", text))
    return Decoded(text, "utf-8", bad) if good and good >= bad else None


def _bare_utf16(data: bytes) -> Decoded | None:
    """UTF-16 without a mark shows NULs at every other byte of Latin text."""
    sample = data[:4096]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = max(1, len(sample) // 2)
    if odd > half * 0.4 and even < half * 0.05:
        return _strict(data, "utf-16-le")
    if even > half * 0.4 and odd < half * 0.05:
        return _strict(data, "utf-16-be")
    return None


def _western_prose(data: bytes) -> Decoded | None:
    """windows-1252 when the few high bytes are all letters that Western languages use.

    The detector needs long texts; a German sentence with one umlaut is Korean to it.
    """
    sample = _strict(data[:_SAMPLE], "cp1252")
    if sample is None:
        return None
    beyond = [c for c in sample.text if c > "\x7f"]
    if len(beyond) > len(sample.text) * 0.15 or not _WESTERN_PROSE.issuperset(beyond):
        return None
    return _lossy(data, "cp1252")


def _detected(data: bytes) -> Decoded | None:
    """The detector's word on a bounded sample; among Western code pages cp1252 wins a tie."""
    matches = from_bytes(data[:_SAMPLE])
    best = matches.best()
    if best is None:
        return None
    western = next((m for m in matches if m.encoding == "cp1252"), None)
    tie = western is not None and western.chaos <= best.chaos + 0.02
    if tie and _SINGLE_BYTE.match(best.encoding) and not _says_another_script(str(best)):
        return _lossy(data, "cp1252")
    return _lossy(data, best.encoding)


def _says_another_script(text: str) -> bool:
    """Whether most letters beyond ASCII are Greek, Cyrillic, Hebrew, Arabic or later blocks."""
    beyond = re.findall(r"[^\W\d_a-zA-Z]", text)
    foreign = [c for c in beyond if c > "\u036f"]
    return len(foreign) > len(beyond) / 2
