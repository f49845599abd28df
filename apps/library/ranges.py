"""Byte ranges of HTTP requests (RFC 9110 §14). Pure."""

import re
from dataclasses import dataclass

_SINGLE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


class UnsatisfiableError(ValueError):
    """The range begins after the end: answer 416."""


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` up to, not including, `end` of `size` bytes."""

    start: int
    end: int
    size: int

    @property
    def length(self) -> int:
        """How many bytes it has."""
        return self.end - self.start

    @property
    def header(self) -> str:
        """The value of `Content-Range`."""
        return f"bytes {self.start}-{self.end - 1}/{self.size}"


def span_of(header: str | None, size: int) -> Span | None:
    """The one range asked for, or nothing when the whole is to be sent.

    Several ranges, other units and broken headers are ignored, as RFC 9110 allows.
    Raises UnsatisfiableError when the range holds no byte of the file.
    """
    match = _SINGLE.fullmatch((header or "").strip())
    if match is None or match.group() == "bytes=-":
        return None
    first, last = match.groups()
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1 if last else size)
        if last and int(last) < start:
            return None
    if start >= end:
        raise UnsatisfiableError
    return Span(start, end, size)
