"""Sending stored files: ranged, never as a page of ours. Call after a door has opened."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import IO

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header, parse_etags

from apps.library.media_types import PDF, UNKNOWN, may_be_inline
from apps.library.models import StoredFile
from apps.library.ranges import Span, UnsatisfiableError, span_of
from apps.library.storage import open_stored

BLOCK = 256 * 1024
# A sandbox gives the file an origin of its own. Browsers refuse to show a PDF in one; they
# show it in a viewer that is isolated by itself, so there the empty policy is enough.
_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
_POLICY_OF_SHOWN_PDF = "default-src 'none'; frame-ancestors 'none'"


def file_response(
    request: HttpRequest, stored: StoredFile, filename: str, *, inline: bool = False
) -> HttpResponseBase:
    """The file or the range asked for: 200, 206, 304 or 416.

    It is offered as a download, unless `inline` is wished and its bytes are of a type that
    browsers show without running anything.
    """
    etag = f'"{stored.sha256}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        return _with_headers(HttpResponse(status=304), stored, filename, inline=inline)
    try:
        span = span_of(_wished_range(request, etag), stored.size)
    except UnsatisfiableError:
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{stored.size}"
        return response
    return _with_headers(_body(request, stored, span), stored, filename, inline=inline)


def _wished_range(request: HttpRequest, etag: str) -> str | None:
    """The range header, unless it speaks of another content than this one (RFC 9110 §13.1.5)."""
    condition = request.headers.get("If-Range")
    return request.headers.get("Range") if condition in {None, etag} else None


def _body(request: HttpRequest, stored: StoredFile, span: Span | None) -> HttpResponseBase:
    status, sent = (206, span) if span else (200, Span(0, stored.size, stored.size))
    response: HttpResponseBase
    if request.method == "HEAD":
        response = HttpResponse(status=status)
    else:
        reading = _Blocks(open_stored(stored), sent)
        # Under ASGI Django would read a plain iterator to its end before sending a byte.
        blocks = reading.follow() if isinstance(request, ASGIRequest) else iter(reading)
        response = StreamingHttpResponse(blocks, status=status)
        # Closed with the response, also when the visitor leaves in the middle.
        response._resource_closers.append(reading.close)  # type: ignore[attr-defined]
    response["Content-Length"] = str(sent.length)
    if span:
        response["Content-Range"] = span.header
    return response


class _Blocks:
    """The bytes of a span in blocks, for a thread or for an event loop."""

    def __init__(self, source: IO[bytes], span: Span) -> None:
        self._source = source
        self._left = span.length
        source.seek(span.start)

    def __iter__(self) -> Iterator[bytes]:
        while block := self._next():
            yield block

    async def follow(self) -> AsyncIterator[bytes]:
        """The same without holding up the event loop."""
        while block := await asyncio.to_thread(self._next):
            yield block

    def _next(self) -> bytes:
        block = self._source.read(min(BLOCK, self._left))
        self._left -= len(block)
        return block

    def close(self) -> None:
        """Lets go of the file."""
        self._source.close()


def _with_headers(
    response: HttpResponseBase, stored: StoredFile, filename: str, *, inline: bool
) -> HttpResponseBase:
    shown = inline and may_be_inline(stored.media_type)
    response["Content-Type"] = stored.media_type if shown else UNKNOWN
    response["Content-Disposition"] = (
        content_disposition_header(not shown, filename) or "attachment"
    )
    response["Content-Security-Policy"] = (
        _POLICY_OF_SHOWN_PDF if shown and stored.media_type == PDF else _POLICY
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = f'"{stored.sha256}"'
    response["Cache-Control"] = "private, no-store"
    return response
