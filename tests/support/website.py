"""A web site on this machine whose pages a test writes, and which remembers what it was asked."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Page:
    """What stands at a path; with an `etag` it answers 304 to those who know it."""

    body: bytes = b""
    status: int = 200
    etag: str = ""
    media_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request, and the status it got."""

    path: str
    if_none_match: str
    status: int


class Website:
    """Pages by path, changeable at any time; an unknown path is a 404."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.visits: list[Visit] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def statuses(self, path: str) -> list[int]:
        """What each visit of the path got, in order."""
        return [visit.status for visit in self.visits if visit.path == path]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(site: Website) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = site.pages.get(self.path, Page(b"<p>Not here.</p>", 404))
            known = self.headers.get("If-None-Match", "")
            fresh = bool(page.etag) and known == page.etag
            site.visits.append(Visit(self.path, known, 304 if fresh else page.status))
            self.send_response(304 if fresh else page.status)
            for name, value in _headers(page).items():
                self.send_header(name, value)
            body = b"" if fresh else page.body
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing: a test reads `visits`."""

    return Handler


def _headers(page: Page) -> dict[str, str]:
    etag = {"ETag": page.etag} if page.etag else {}
    return {"Content-Type": page.media_type, "Connection": "close", **etag, **page.headers}


@pytest.fixture
def website(settings: Any) -> Iterator[Website]:
    """A running site that this install may open although it is internal."""
    site = Website()
    settings.FETCH_ALLOWED_HOSTS = ["127.0.0.1"]
    settings.FETCH_ALLOWED_PORTS = [80, 443, site.port]
    yield site
    site.close()
