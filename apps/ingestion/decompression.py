"""Compressed transfer undone in slices, so that no bomb is ever whole in memory. Pure."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

SLICE = 64 * 1024
_MOST_LAYERS = 2
_GZIP = zlib.MAX_WBITS | 16


class UnknownEncoding(Exception):
    """The server used a content coding that was not asked for and is not known."""


class DamagedEncoding(Exception):
    """The compressed data is broken or ends early."""


def decode(chunks: Iterable[bytes], codings: str) -> Iterator[bytes]:
    """The bytes behind a `Content-Encoding` header, in slices of at most 64 kB.

    Codings are undone in reverse order (RFC 9110, 8.4); more than two are refused.
    """
    names = [name for part in codings.split(",") if (name := part.strip().lower())]
    layers = [name for name in names if name != "identity"]
    if len(layers) > _MOST_LAYERS or any(name not in _DECODERS for name in layers):
        raise UnknownEncoding
    stream: Iterable[bytes] = chunks
    for name in reversed(layers):
        stream = _DECODERS[name](stream)
    yield from stream


def _gunzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """A gzip stream of any number of members (RFC 1952, 2.2)."""
    decoder = zlib.decompressobj(_GZIP)
    for chunk in chunks:
        data = chunk
        while data:
            if decoder.eof:
                decoder = zlib.decompressobj(_GZIP)
            yield from _inflated(decoder, data)
            # Some servers pad the end with zeros.
            data = decoder.unused_data.lstrip(b"\0")
    if not decoder.eof:
        raise DamagedEncoding


def _inflate(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """A deflate stream, with the zlib frame or, as some servers send it, bare."""
    decoder = None
    for chunk in chunks:
        if decoder is None and chunk:
            framed = chunk[0] & 0x0F == 8 and chunk[0] >> 4 <= 7
            decoder = zlib.decompressobj(zlib.MAX_WBITS if framed else -zlib.MAX_WBITS)
        if decoder is not None:
            yield from _inflated(decoder, chunk)
    if decoder is not None and not decoder.eof:
        raise DamagedEncoding


def _inflated(decoder: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """All that `data` yields, and what the decoder still holds back, up to the stream's end."""
    try:
        while not decoder.eof:
            piece = decoder.decompress(data, SLICE)
            data = decoder.unconsumed_tail
            if piece:
                yield piece
            elif not data:
                return
    except zlib.error as error:
        raise DamagedEncoding from error


_DECODERS = {"gzip": _gunzip, "x-gzip": _gunzip, "deflate": _inflate}
