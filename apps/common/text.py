"""Pure text helpers: folding for comparison, cleaning of names, hashing."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SPACES = re.compile(r"\s+")


def fold(text: str) -> str:
    """The text without case and accents, for comparing and sorting."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in decomposed if not unicodedata.combining(mark))


def sort_key(text: str) -> str:
    """A folded key whose plain order is the alphabetical order people expect.

    Punctuation and symbols are dropped, so that a quoted title sorts by its first word.
    """
    kept = "".join(mark if mark.isalnum() else " " for mark in fold(text))
    return _SPACES.sub(" ", kept).strip()[:200]


def one_line(text: str, limit: int) -> str:
    """The text on one line without control or direction marks, at most `limit` characters."""
    clean = _SPACES.sub(" ", _CONTROL.sub(" ", text)).strip()
    return clean if len(clean) <= limit else clean[: limit - 1].rstrip() + "…"


def clean_filename(name: str) -> str:
    """A name fit to be shown and offered for download: no path, no control marks, ≤255 bytes."""
    last = re.split(r"[\\/]", name)[-1]
    clean = one_line(last, 255).strip(". ") or "file"
    while len(clean.encode()) > 255:
        stem, dot, ending = clean.rpartition(".")
        clean = f"{stem[:-1]}{dot}{ending}" if stem else clean[:-1]
    return clean


def slug(text: str, limit: int = 60) -> str:
    """A short word for addresses: folded letters and digits with hyphens; never empty."""
    words = re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-")
    return words[:limit].strip("-") or "untitled"


def sha256_of(blocks: Iterable[bytes]) -> str:
    """The hexadecimal SHA-256 of a sequence of byte blocks."""
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()
