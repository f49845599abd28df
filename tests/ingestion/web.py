"""A web server on loopback that misbehaves as told."""

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Answer = Callable[[socket.socket], None]
QUOKKA = b"<html><title>Piece</title><article><p>" + b"The quokka lives on an island. " * 20


def plain(
    body: bytes = QUOKKA, status: str = "200 OK", *headers: str, length: int | None = None
) -> Answer:
    """A complete answer; `length` lies about the size of the body."""
    lines = [f"HTTP/1.1 {status}", *headers]
    lines.append(f"Content-Length: {len(body) if length is None else length}")

    def send(peer: socket.socket) -> None:
        peer.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)

    return send


def redirect(location: str, status: str = "302 Found") -> Answer:
    """An answer that sends the reader elsewhere."""
    return plain(b"", status, f"Location: {location}")


def zipped(times: int) -> Answer:
    """The quokka, packed that many times."""
    body = QUOKKA
    for _ in range(times):
        body = gzip.compress(body)
    return plain(body, "200 OK", f"Content-Encoding: {', '.join(['gzip'] * times)}")


def bomb(megabytes: int) -> Answer:
    """Zeros packed a thousand to one, in members of one megabyte."""
    return plain(gzip.compress(bytes(1 << 20)) * megabytes, "200 OK", "Content-Encoding: gzip")


def endless(peer: socket.socket) -> None:
    """Chunks until the reader leaves."""
    peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        peer.sendall(b"10000\r\n" + b"a" * 65536 + b"\r\n")


def dripping(head: bytes) -> Answer:
    """A byte each 20 ms after `head`, so that no single read is ever late."""

    def send(peer: socket.socket) -> None:
        peer.sendall(head)
        while True:
            peer.sendall(b"x")
            time.sleep(0.02)

    return send


def silent(peer: socket.socket) -> None:
    """Nothing, until the reader leaves."""
    peer.recv(1)


@dataclass
class Web:
    """The server's answers by path and the requests it has seen."""

    host: str
    port: int
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def url(self, path: str) -> str:
        return f"http://{self.host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]


@contextmanager
def serving(host: str = "127.0.0.1", port: int = 0) -> Iterator[Web]:
    """A server for the length of the block."""
    with socket.create_server((host, port)) as listener:
        web = Web(host, listener.getsockname()[1])
        threads: list[threading.Thread] = []
        acceptor = threading.Thread(target=_accept, args=(listener, web, threads))
        acceptor.start()
        yield web
        listener.shutdown(socket.SHUT_RDWR)
    acceptor.join()
    for thread in threads:
        thread.join()


def _accept(listener: socket.socket, web: Web, threads: list[threading.Thread]) -> None:
    while True:
        try:
            peer, _ = listener.accept()
        except OSError:
            return
        thread = threading.Thread(target=_answer, args=(peer, web))
        thread.start()
        threads.append(thread)


def _answer(peer: socket.socket, web: Web) -> None:
    with peer:
        try:
            head = peer.recv(65536).decode("latin-1").split("\r\n")
            path = head[0].split(" ")[1]
            pairs = (line.split(": ", 1) for line in head[1:] if ": " in line)
            web.requests.append((path, {name.lower(): value for name, value in pairs}))
            web.answers[path](peer)
        except (OSError, IndexError):
            return
