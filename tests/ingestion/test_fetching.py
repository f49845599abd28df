import errno
import socket
import tempfile
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from apps.ingestion import fetching, guard
from apps.ingestion.fetching import Fetched, FetchPolicy, NotModified, Validators, fetch
from apps.ingestion.values import Failure, Reason
from tests.ingestion import web as pages
from tests.ingestion.web import QUOKKA, Web, plain, redirect, serving


@pytest.fixture
def web() -> Iterator[Web]:
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def policy(web: Web, **changes: Any) -> FetchPolicy:
    base = FetchPolicy(
        allowed_hosts=frozenset({web.host}), allowed_ports=frozenset({web.port}), total_seconds=20
    )
    return replace(base, **changes)


def reason(web: Web, path: str, **changes: Any) -> Reason:
    found = fetch(web.url(path), policy=policy(web, **changes))
    assert isinstance(found, Failure), found
    return found.reason


def test_a_page_arrives_whole_in_a_file_that_goes_away(web: Web, temporary_files: Path) -> None:
    web.answers["/a/report.html"] = plain(
        QUOKKA, "200 OK", "Content-Type: text/html; charset=latin-1", 'ETag: "v1"',
        "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT",
    )  # fmt: skip
    found = fetch(web.url("/a/report.html"), policy=policy(web))
    assert isinstance(found, Fetched)
    with found:
        assert found.path.read_bytes() == QUOKKA
        assert (found.size, found.sha256) == (len(QUOKKA), sha256(QUOKKA).hexdigest())
        assert (found.media_type, found.charset) == ("text/html", "latin-1")
        assert (found.etag, found.filename) == ('"v1"', "report.html")
        assert found.last_modified.startswith("Mon")
        assert found.final_url == web.url("/a/report.html")
    assert list(temporary_files.iterdir()) == []


def test_nothing_of_us_is_told_but_the_name(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    web.answers["/a"] = plain(b"", "302 Found", "Location: /b", "Set-Cookie: seen=1")
    web.answers["/b"] = plain()
    found = fetch(web.url("/a"), policy=policy(web))
    assert isinstance(found, Fetched)
    found.close()
    assert web.paths == ["/a", "/b"]
    for _, headers in web.requests:
        assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}
        assert headers["host"] == f"{web.host}:{web.port}"
        assert headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "answer, expected",
    [
        (plain(status="206 Partial Content"), Reason.INCOMPLETE),
        (plain(length=99_999), Reason.INCOMPLETE),
        (plain(b"no gzip", "200 OK", "Content-Encoding: gzip"), Reason.INCOMPLETE),
        (plain(QUOKKA, "200 OK", "Content-Encoding: zstd"), Reason.INCOMPLETE),
        (plain(status="304 Not Modified", body=b""), Reason.HTTP_STATUS),
        (plain(status="404 Not Found"), Reason.NOT_FOUND),
        (plain(status="410 Gone"), Reason.NOT_FOUND),
        (plain(status="403 Forbidden"), Reason.HTTP_STATUS),
        (plain(status="302 Found"), Reason.HTTP_STATUS),
        (lambda peer: peer.sendall(b"SSH-2.0-OpenSSH_9.0\r\n"), Reason.UNREACHABLE),
        (lambda peer: None, Reason.UNREACHABLE),
        (redirect("file:///etc/passwd"), Reason.INVALID_URL),
        (redirect("http://user:pw@127.0.0.1/"), Reason.INVALID_URL),
        (redirect("http://127.0.0.2/canary"), Reason.FORBIDDEN_ADDRESS),
        (redirect("http://[::ffff:127.0.0.1]/canary"), Reason.FORBIDDEN_ADDRESS),
        (redirect("http://169.254.169.254/latest"), Reason.FORBIDDEN_ADDRESS),
        (redirect("/a"), Reason.TOO_MANY_REDIRECTS),
    ],
)
def test_each_misbehaviour_has_its_reason_and_leaves_no_file(
    web: Web, answer: pages.Answer, expected: Reason, temporary_files: Path
) -> None:
    web.answers["/a"] = answer
    assert reason(web, "/a") is expected
    assert list(temporary_files.iterdir()) == []


@pytest.mark.parametrize("hops, arrives", [(6, True), (7, False)])
def test_six_redirects_are_followed_and_no_more(web: Web, hops: int, arrives: bool) -> None:
    for hop in range(hops):
        web.answers[f"/{hop}"] = redirect(f"/{hop + 1}", "308 Permanent Redirect")
    web.answers[f"/{hops}"] = plain()
    found = fetch(web.url("/0"), policy=policy(web))
    if isinstance(found, Fetched):
        found.close()
    assert isinstance(found, Fetched) is arrives


def test_an_allowed_host_does_not_open_its_neighbours(web: Web) -> None:
    with serving("127.0.0.2", web.port) as canary:
        canary.answers["/canary"] = plain()
        web.answers["/a"] = redirect(canary.url("/canary"))
        assert reason(web, "/a") is Reason.FORBIDDEN_ADDRESS
        assert canary.requests == []


@pytest.mark.parametrize(
    "answer, expected",
    [
        (pages.endless, Reason.TOO_LARGE),
        (pages.bomb(8), Reason.TOO_LARGE),
        (plain(b"x" * (3 << 20)), Reason.TOO_LARGE),
    ],
    ids=["endless", "bomb", "announced"],
)
def test_too_much_is_cut_off_on_the_wire_and_behind_the_packing(
    web: Web, answer: pages.Answer, expected: Reason, temporary_files: Path
) -> None:
    web.answers["/a"] = answer
    tracemalloc.start()
    try:
        assert reason(web, "/a", max_bytes=2 << 20) is expected
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert list(temporary_files.iterdir()) == []


@pytest.mark.parametrize(
    "answer, expected",
    [
        (pages.dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"), Reason.DEADLINE),
        (pages.dripping(b"HTTP/1.1 200 OK\r\nX-Slow: "), Reason.UNREACHABLE),
        (pages.silent, Reason.UNREACHABLE),
    ],
    ids=["body", "headers", "nothing"],
)
def test_one_deadline_holds_however_steadily_it_drips(
    web: Web, answer: pages.Answer, expected: Reason
) -> None:
    web.answers["/a"] = answer
    began = monotonic()
    assert reason(web, "/a", total_seconds=0.5) is expected
    assert monotonic() - began < 3


@pytest.mark.parametrize("times", [1, 2])
def test_packing_we_did_not_ask_for_is_undone(web: Web, times: int) -> None:
    web.answers["/a"] = pages.zipped(times)
    found = fetch(web.url("/a"), policy=policy(web))
    assert isinstance(found, Fetched)
    with found:
        assert found.path.read_bytes() == QUOKKA


def test_validators_are_sent_back_and_believed(web: Web) -> None:
    web.answers["/a"] = plain(b"", "304 Not Modified")
    validators = Validators('"v1"', "Mon, 01 Jan 2024 00:00:00 GMT")
    found = fetch(web.url("/a"), policy=policy(web), validators=validators)
    assert found == NotModified(web.url("/a"))
    headers = web.requests[0][1]
    assert headers["if-none-match"] == '"v1"'
    assert headers["if-modified-since"].startswith("Mon")


@pytest.mark.parametrize(
    "header, seconds", [("2", 2), ("Wed, 01 Jan 2098 00:00:00 GMT", 3600), ("soon", None)]
)
def test_a_busy_site_says_when_to_come_back(web: Web, header: str, seconds: int | None) -> None:
    web.answers["/a"] = plain(b"", "503 Service Unavailable", f"Retry-After: {header}")
    found = fetch(web.url("/a"), policy=policy(web, max_retry_after=3600))
    assert found == Failure(Reason.HTTP_STATUS, "HTTP 503", True, retry_after=seconds)


def test_a_date_in_the_past_means_now() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert fetching._seconds_to_wait("Thu, 01 Jan 2015 00:00:00 GMT", now) == 0
    assert fetching._seconds_to_wait("Thu, 01 Jan 2026 00:01:00 GMT", now) == 60


def test_a_suggested_name_is_cleaned(web: Web) -> None:
    web.answers["/a"] = plain(
        QUOKKA, "200 OK", 'Content-Disposition: attachment; filename="../../etc/pass\u00adwd.pdf"'
    )
    found = fetch(web.url("/a"), policy=policy(web))
    assert isinstance(found, Fetched)
    with found:
        assert "/" not in found.filename
        assert found.filename.endswith(".pdf")


def test_a_fetch_ends_when_its_caller_wants(web: Web) -> None:
    web.answers["/a"] = pages.endless
    found = fetch(web.url("/a"), policy=policy(web), should_stop=lambda: True)
    assert found == Failure(Reason.CANCELLED)


def test_a_full_disk_is_a_passing_fault(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    web.answers["/a"] = plain()
    monkeypatch.setattr(tempfile, "mkstemp", full)
    found = fetch(web.url("/a"), policy=policy(web))
    assert found == Failure(Reason.OUT_OF_SPACE, retryable=True)


class Resolver:
    """Answers look-ups from a list and counts them."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, *_: object) -> list[tuple[Any, ...]]:
        self.asked.append(host)
        addresses = self.answers.pop(0)
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
            if ":" in address
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses
        ]


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Where sockets were sent; none of them gets there."""
    made: list[tuple[Any, ...]] = []

    def record(_: socket.socket, address: tuple[Any, ...]) -> None:
        made.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", record)
    return made


def test_a_name_is_looked_up_once_and_the_socket_goes_to_that_answer(
    connections: list[tuple[Any, ...]],
) -> None:
    resolver = Resolver(["93.184.216.34"], ["127.0.0.1"])
    found = fetch("http://rebinding.example/", resolver=resolver)
    assert found == Failure(Reason.UNREACHABLE, retryable=True)
    assert resolver.asked == ["rebinding.example"]
    assert connections == [("93.184.216.34", 80)]


@pytest.mark.parametrize(
    "answers",
    [
        ["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["168.63.129.16"], ["100.64.0.1"],
        ["::1"], ["::ffff:10.0.0.1"], ["64:ff9b::a00:1"], ["2002:a00:1::"], ["fd00::1"],
        ["93.184.216.34", "127.0.0.1"],
    ],
)  # fmt: skip
def test_a_name_that_leads_inside_is_refused_before_a_socket_exists(
    answers: list[str], connections: list[tuple[Any, ...]]
) -> None:
    found = fetch("https://inside.example/", resolver=Resolver(answers))
    assert found == Failure(Reason.FORBIDDEN_ADDRESS)
    assert connections == []


def test_a_resolver_that_breaks_means_no(connections: list[tuple[Any, ...]]) -> None:
    assert isinstance(fetch("https://nothing.example/", resolver=Resolver([])), Failure)
    assert connections == []


def test_closed_and_silent_ports_look_alike(web: Web) -> None:
    web.answers["/a"] = pages.silent
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    rules = policy(web, allowed_ports=frozenset({web.port, port}), read_seconds=0.2)
    silent = fetch(web.url("/a"), policy=rules)
    refused = fetch(f"http://127.0.0.1:{port}/", policy=rules)
    assert silent == refused == Failure(Reason.UNREACHABLE, retryable=True)


def test_a_stalled_name_server_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def stalled(*_: object) -> list[Any]:
        release.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", stalled)
    began = monotonic()
    with pytest.raises(socket.gaierror):
        guard.resolve_with(0.1)("slow.example", 443)
    release.set()
    assert monotonic() - began < 5
