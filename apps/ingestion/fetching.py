"""The only way from the server to the network on a user's behalf, and the only door to httpcore.

httpcore alone, without a client on top: no cookies, no redirects of its own, no proxies from the
environment, no decoding. Each hop gets a connection of its own to the address that `guard` checked,
and every read and write is bounded by one deadline for the whole fetch. Why an address could not be
opened is told in one word, whether a port was open or not.
"""

from __future__ import annotations

import errno
import os
import ssl
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import unquote

import certifi
import httpcore

from apps.common.text import clean_filename
from apps.ingestion.decompression import DamagedEncoding, UnknownEncoding, decode
from apps.ingestion.guard import FetchPolicy, Resolver, SSRFGuardError, guard_for
from apps.ingestion.urls import WebAddress, follow, parse_address
from apps.ingestion.values import Failure, Reason

__all__ = ["FetchPolicy", "Fetched", "NotModified", "Validators", "fetch"]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_GONE = frozenset({404, 410})
_ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/markdown,text/plain;q=0.9,*/*;q=0.5"
_NETWORK_FAULTS = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.RemoteProtocolError,
    OSError,
)

ShouldStop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Validators:
    """What the last answer said about its version; sent back to ask whether it has changed."""

    etag: str = ""
    last_modified: str = ""

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True)
class NotModified:
    """The page is as it was when the validators were given."""

    final_url: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """A whole answer in a temporary file, which `close` removes.

    `media_type` and `charset` are what the server declared, `filename` what it suggested, cleaned.
    """

    path: Path
    size: int
    sha256: str
    final_url: str
    media_type: str
    charset: str
    filename: str
    etag: str
    last_modified: str

    def __enter__(self) -> Fetched:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the temporary file."""
        self.path.unlink(missing_ok=True)


class _Refused(Exception):
    """Ends a fetch with the failure carried."""

    def __init__(self, reason: Reason, detail: str = "", *, retryable: bool = False) -> None:
        super().__init__(reason.value)
        self.failure = Failure(reason, detail, retryable)


def fetch(
    url: str,
    *,
    policy: FetchPolicy | None = None,
    validators: Validators | None = None,
    should_stop: ShouldStop | None = None,
    resolver: Resolver | None = None,
) -> Fetched | NotModified | Failure:
    """What stands at an address. Never raises for what the other side does.

    `validators` are only given while the body they belong to is still stored: a "not modified"
    without them is a failure. `should_stop()` is asked while the body arrives. `resolver` stands in
    for `socket.getaddrinfo`; its answers are checked all the same.
    """
    rules = policy or FetchPolicy()
    address = parse_address(url, rules)
    if isinstance(address, Failure):
        return address
    asking = _Asking(rules, validators or Validators(), should_stop, resolver)
    try:
        return asking.follow_to_the_end(address)
    except _Refused as refused:
        return refused.failure
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            return Failure(Reason.OUT_OF_SPACE, retryable=True)
        raise


class _Asking:
    """One fetch: its rules, its deadline, and the answers along a chain of redirects."""

    def __init__(
        self,
        policy: FetchPolicy,
        validators: Validators,
        should_stop: ShouldStop | None,
        resolver: Resolver | None,
    ) -> None:
        self._policy = policy
        self._validators = validators
        self._should_stop = should_stop
        self._resolver = resolver
        self._deadline = monotonic() + policy.total_seconds

    def follow_to_the_end(self, address: WebAddress) -> Fetched | NotModified | Failure:
        """The first answer that is not a redirect."""
        for _ in range(self._policy.max_redirects + 1):
            outcome = self._ask(address)
            if not isinstance(outcome, WebAddress):
                return outcome
            address = outcome
        return Failure(Reason.TOO_MANY_REDIRECTS)

    def _ask(self, address: WebAddress) -> Fetched | NotModified | Failure | WebAddress:
        """One hop on a connection of its own."""
        backend = _BoundedBackend(
            guard_for(address.host, self._policy, self._resolver), self._deadline
        )
        with httpcore.ConnectionPool(
            ssl_context=_tls(), max_connections=1, http2=False, network_backend=backend
        ) as pool:
            response = self._send(pool, address)
            try:
                return self._judge(address, response)
            finally:
                with suppress(*_NETWORK_FAULTS):
                    response.close()

    def _send(self, pool: httpcore.ConnectionPool, address: WebAddress) -> httpcore.Response:
        request = httpcore.Request(
            "GET",
            str(address),
            headers=self._headers(address),
            extensions={"timeout": self._timeouts()},
        )
        try:
            return pool.handle_request(request)
        except SSRFGuardError as refused:
            raise _Refused(Reason.FORBIDDEN_ADDRESS) from refused
        except _NETWORK_FAULTS as fault:
            # One reason for all: refused, silent and filtered ports must look the same.
            raise _Refused(Reason.UNREACHABLE, retryable=True) from fault

    def _headers(self, address: WebAddress) -> list[tuple[bytes, bytes]]:
        headers = [
            ("Host", address.authority),
            ("User-Agent", self._policy.user_agent),
            ("Accept", _ACCEPT),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
        ]
        if self._validators.etag:
            headers.append(("If-None-Match", self._validators.etag))
        if self._validators.last_modified:
            headers.append(("If-Modified-Since", self._validators.last_modified))
        # Validators come back byte for byte as they were read.
        return [(name.encode(), value.encode("latin-1", "ignore")) for name, value in headers]

    def _timeouts(self) -> dict[str, float]:
        read = self._policy.read_seconds
        return {
            "connect": self._policy.connect_seconds,
            "read": read,
            "write": read,
            "pool": read,
        }

    def _judge(
        self, address: WebAddress, response: httpcore.Response
    ) -> Fetched | NotModified | Failure | WebAddress:
        """What an answer means, from its status on."""
        headers = _Headers(response.headers)
        status = response.status
        if status in _REDIRECTS and headers["location"]:
            return follow(address, headers["location"], self._policy)
        if status == 304 and self._validators:
            return NotModified(str(address))
        if status == 206:
            return Failure(Reason.INCOMPLETE)
        if status in _GONE:
            return Failure(Reason.NOT_FOUND, f"HTTP {status}")
        if status not in {200, 203}:
            return self._failed(status, headers)
        return self._receive(address, response, headers)

    def _failed(self, status: int, headers: _Headers) -> Failure:
        wait = _seconds_to_wait(headers["retry-after"], datetime.now(UTC))
        capped = None if wait is None else min(wait, self._policy.max_retry_after)
        return Failure(Reason.HTTP_STATUS, f"HTTP {status}", status in _PASSING, retry_after=capped)

    def _receive(
        self, address: WebAddress, response: httpcore.Response, headers: _Headers
    ) -> Fetched:
        """The body in a temporary file, removed again if it is not whole."""
        if (headers.length or 0) > self._policy.max_bytes:
            raise _Refused(Reason.TOO_LARGE)
        descriptor, name = tempfile.mkstemp(prefix="fetched-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                size, digest = self._write(response.iter_stream(), headers, file.write)
        except BaseException:
            os.unlink(name)
            raise
        return Fetched(
            path=Path(name),
            size=size,
            sha256=digest,
            final_url=str(address),
            media_type=headers.media_type,
            charset=headers.charset,
            filename=headers.filename or _last_segment(address),
            etag=headers["etag"][:500],
            last_modified=headers["last-modified"][:100],
        )

    def _write(
        self, stream: Iterable[bytes], headers: _Headers, write: Callable[[bytes], Any]
    ) -> tuple[int, str]:
        """Size and SHA-256 of what was written."""
        size, digest = 0, sha256()
        try:
            for piece in decode(self._counted(stream), headers["content-encoding"]):
                size += len(piece)
                self._check(size)
                digest.update(piece)
                write(piece)
        except (UnknownEncoding, DamagedEncoding) as fault:
            raise _Refused(Reason.INCOMPLETE, "The transfer could not be decoded.") from fault
        except (httpcore.NetworkError, httpcore.RemoteProtocolError) as fault:
            raise _Refused(Reason.INCOMPLETE, retryable=True) from fault
        except httpcore.TimeoutException as fault:
            raise _Refused(Reason.DEADLINE, retryable=True) from fault
        return size, digest.hexdigest()

    def _counted(self, stream: Iterable[bytes]) -> Iterator[bytes]:
        """The pieces as they come over the wire, as long as they stay within the bounds."""
        size = 0
        for piece in stream:
            size += len(piece)
            self._check(size)
            if monotonic() > self._deadline:
                raise _Refused(Reason.DEADLINE, retryable=True)
            if self._should_stop is not None and self._should_stop():
                raise _Refused(Reason.CANCELLED)
            yield piece

    def _check(self, size: int) -> None:
        if size > self._policy.max_bytes:
            raise _Refused(Reason.TOO_LARGE)


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """The machine's certificates and the common public ones: an intranet may have its own."""
    context = ssl.create_default_context()
    context.load_verify_locations(cafile=certifi.where())
    return context


class _BoundedBackend(httpcore.NetworkBackend):
    """A backend whose streams stop at the deadline, however steadily the other side drips."""

    def __init__(self, inner: httpcore.NetworkBackend, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = _time_left(self._deadline, timeout, httpcore.ConnectTimeout)
        stream = self._inner.connect_tcp(host, port, left, local_address, socket_options)
        return _BoundedStream(stream, self._deadline)

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("no sockets of this machine")


class _BoundedStream(httpcore.NetworkStream):
    """A stream whose timeouts never reach beyond the deadline."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = _time_left(self._deadline, timeout, httpcore.ReadTimeout)
        return self._inner.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = _time_left(self._deadline, timeout, httpcore.WriteTimeout)
        self._inner.write(buffer, left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = _time_left(self._deadline, timeout, httpcore.ConnectTimeout)
        inner = self._inner.start_tls(ssl_context, server_hostname, left)
        return _BoundedStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _time_left(
    deadline: float, timeout: float | None, late: type[httpcore.TimeoutException]
) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise late("deadline")
    return left if timeout is None else min(left, timeout)


class _Headers:
    """The headers of an answer; a missing one is empty."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._values: dict[str, str] = {}
        for name, value in raw:
            self._values.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
        self._parsed = Message()
        for header in ("content-type", "content-disposition"):
            if self[header]:
                self._parsed[header] = self[header][:1000]

    def __getitem__(self, name: str) -> str:
        return self._values.get(name, "")

    @property
    def length(self) -> int | None:
        """The announced number of bytes, if it is one."""
        text = self["content-length"]
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None

    @property
    def media_type(self) -> str:
        """The declared type without parameters, or nothing."""
        return self._parsed.get_content_type() if self["content-type"] else ""

    @property
    def charset(self) -> str:
        """The declared charset, or nothing."""
        value = self._parsed.get_param("charset") if self["content-type"] else ""
        return value if isinstance(value, str) else ""

    @property
    def filename(self) -> str:
        """The suggested name (RFC 6266), cleaned, or nothing."""
        suggested = self._parsed.get_filename("")
        return clean_filename(suggested) if suggested else ""


def _last_segment(address: WebAddress) -> str:
    segment = unquote(address.target.partition("?")[0].rpartition("/")[2])
    return clean_filename(segment) if segment else f"{address.host}.html"


def _seconds_to_wait(header: str, now: datetime) -> int | None:
    """Retry-After as seconds from now (RFC 9110, 10.2.3)."""
    text = header.strip()
    if text.isascii() and text.isdigit() and len(text) < 12:
        return int(text)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0, int((aware - now).total_seconds()))
