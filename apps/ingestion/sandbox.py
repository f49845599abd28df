"""Reading a file at arm's length: in a child process with limits, killed with all it started.

`extract` gives the outcome of one file whatever the file does: hang, crash, eat memory. A warm
helper process is started on demand, one per worker process, and again when it has died.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import IO, Any

from apps.ingestion import isolation, sniffing
from apps.ingestion.extractors.registry import Reader, reader_for
from apps.ingestion.pipeline import State, decode_chunk
from apps.ingestion.recognition import Recognition, recognition_for
from apps.ingestion.sandbox_protocol import Request, failure_from, receive, socket_pair, state_from
from apps.ingestion.values import ChunkDraft, Extraction, Failure, Limits, Note, Reason

OnProgress = Callable[[int, int], None]
ShouldStop = Callable[[], bool]

_ROOT = str(Path(__file__).resolve().parents[2])
_START_SECONDS = 30.0
_POLL_SECONDS = 0.2
_PROGRESS_SECONDS = 0.5
_KILL_SECONDS = 5.0
# One page that kills the reader must not cost the others.
_PAGE_FAULTS = frozenset({Reason.CRASHED, Reason.OUT_OF_MEMORY, Reason.TOO_SLOW})


@dataclass(frozen=True, slots=True)
class Extracted:
    """A file that was read. Use as a context manager: the chunks stand in a file without a name."""

    summary: Extraction
    _spool: IO[bytes]

    def __enter__(self) -> Extracted:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the space of the chunks."""
        self._spool.close()

    def chunks(self) -> Iterator[ChunkDraft]:
        """All chunks in order, read one by one; may be asked again. ValueError if spoilt."""
        self._spool.seek(0)
        for number, row in enumerate(self._spool):
            draft = decode_chunk(row)
            if draft.ordinal != number:
                raise ValueError("not a chunk")
            yield draft


def extract(
    path: str | os.PathLike[str],
    *,
    filename: str = "",
    charset: str = "",
    is_web_page: bool = False,
    languages: Sequence[str] = (),
    limits: Limits | None = None,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Extracted | Failure:
    """What the file at `path` says, or why it cannot be read. Never raises for a bad file.

    `filename` only chooses among kinds of text and unmasks a wrong ending, `charset` is what a
    server declared, `languages` those expected in scans, by their Tesseract names (by default the
    usual ones that are installed). `on_progress(done, total)` is called at most twice a second, on this thread;
    what it raises ends the extraction and is passed on. `should_stop()` is asked five times a
    second. The caller closes the result.
    """
    bounds = limits or Limits()
    with open(path, "rb") as source:
        sniffed = _sniff(source, filename, bounds, is_upload=not is_web_page)
        if isinstance(sniffed, Failure):
            return sniffed
        reader = reader_for(sniffed.media_type)
        if reader is None:
            return Failure(Reason.UNSUPPORTED_TYPE, sniffed.media_type)
        recognition = recognition_for(languages) if reader.recognises else Recognition()
        request = Request(sniffed.media_type, charset, is_web_page, 0, State(), bounds, recognition)
        watch = _Watch(on_progress, should_stop)
        spool: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  outlives this call on success
        try:
            outcome = _read(request, reader, source, spool, watch)
        except BaseException:
            spool.close()
            raise
        if isinstance(outcome, Failure):
            spool.close()
            return outcome
        return Extracted(_summary(outcome, request, reader), spool)


def _sniff(
    source: IO[bytes], filename: str, limits: Limits, *, is_upload: bool
) -> sniffing.Sniffed | Failure:
    if os.fstat(source.fileno()).st_size > limits.max_file_bytes:
        return Failure(Reason.TOO_LARGE)
    return sniffing.sniff(source, filename=filename, is_upload=is_upload, limits=limits)


def _summary(state: State, request: Request, reader: Reader) -> Extraction:
    return Extraction(
        media_type=request.media_type,
        extractor=_identity(state, request, reader),
        title=state.title,
        page_count=state.page_count,
        part_count=state.parts,
        chunk_count=state.chunks,
        word_count=state.words,
        character_count=state.characters,
        text_sha256=state.chain,
        notes={Note(note): count for note, count in state.notes.items()},
    )


def _identity(state: State, request: Request, reader: Reader) -> str:
    """With the languages of scans only where a page was one: the others need no second reading."""
    if not state.recognised and Note.PAGES_NOT_RECOGNISED not in state.notes:
        return reader.identity
    return reader.identity_with(request.recognition)


class _Watch:
    """The caller's two hooks, asked at a bearable pace."""

    def __init__(self, on_progress: OnProgress | None, should_stop: ShouldStop | None) -> None:
        self._on_progress = on_progress
        self._should_stop = should_stop
        self._told_at = 0.0
        self._asked_at = 0.0

    def progress(self, state: State) -> None:
        """Pass on how far the file is, at most twice a second and at the end."""
        now = monotonic()
        due = now - self._told_at >= _PROGRESS_SECONDS or state.done == state.total
        if self._on_progress is not None and state.total and due:
            self._told_at = now
            self._on_progress(state.done, state.total)

    def stopped(self) -> bool:
        """Whether the caller wants the extraction to end; asked five times a second at most."""
        now = monotonic()
        if self._should_stop is None or now - self._asked_at < _POLL_SECONDS:
            return False
        self._asked_at = now
        return self._should_stop()


def _read(
    request: Request, reader: Reader, source: IO[bytes], spool: IO[bytes], watch: _Watch
) -> State | Failure:
    """Children one after the other until the file is read: a page that kills one is left out."""
    deadline = monotonic() + request.limits.wall_seconds
    helpers_left, pages_left = 1, request.limits.max_crashed_pages
    while True:
        attempt = _Attempt(request, reader, deadline, watch)
        outcome = attempt.run(source, spool)
        if isinstance(outcome, State):
            return outcome
        if attempt.lost_its_helper and helpers_left:
            # It may have gone for want of work, just as this file came.
            helpers_left -= 1
        elif attempt.may_go_on(outcome) and pages_left:
            pages_left -= 1
            request = attempt.request_after_the_page()
        else:
            return outcome
        os.ftruncate(spool.fileno(), request.state.spool_bytes)


class _Attempt:
    """One child on one file, watched until it ends."""

    def __init__(self, request: Request, reader: Reader, deadline: float, watch: _Watch) -> None:
        self._request = request
        self._reader = reader
        self._deadline = deadline
        self._watch = watch
        self._state = request.state
        self._heard_at = monotonic()
        self._outcome: State | Failure | None = None
        self.lost_its_helper = False

    def may_go_on(self, failure: Failure) -> bool:
        """Whether the fault is that of one page, with other pages around it."""
        return (
            self._reader.resumable
            and failure.reason in _PAGE_FAULTS
            and self._state.total > 1
            and monotonic() < self._ends_at()
        )

    def request_after_the_page(self) -> Request:
        """The request that goes on behind the page at which the child ended."""
        notes = dict(self._state.notes)
        notes[Note.PAGES_FAILED] = notes.get(Note.PAGES_FAILED, 0) + 1
        state = replace(self._state, notes=notes, done=self._state.done + 1)
        return replace(self._request, skip_until=state.done, state=state)

    def run(self, source: IO[bytes], spool: IO[bytes]) -> State | Failure:
        """The final state, or why there is none. The child is gone afterwards."""
        channel, control = _helper.start(self._request, source, spool)
        with channel, control:
            try:
                code = self._follow(channel, control)
            except BaseException:
                _end(control)
                raise
        return self._outcome or _failure_of(code)

    def _follow(self, channel: socket.socket, control: socket.socket) -> int | None:
        """Listen until the child has said its last word or its exit code comes, else None."""
        talking = True
        while self._outcome is None:
            sources = [channel, control] if talking else [control]
            ready, _, _ = select.select(sources, [], [], _POLL_SECONDS)
            if channel in ready:
                talking = self._hear(channel)
            elif control in ready:
                ended = receive(control)
                self.lost_its_helper = ended is None
                return None if ended is None else int(ended["code"])
            else:
                self._outcome = self._overdue()
        # All is written before the last word is said: what is left of the child may go.
        _end(control)
        return None

    def _hear(self, channel: socket.socket) -> bool:
        """Take one message; False at the end of the channel."""
        try:
            message = receive(channel)
            if message is None:
                return False
            self._take(message)
        except (ValueError, KeyError, TypeError):
            self._outcome = Failure(Reason.CRASHED, "The reader answered nonsense.")
        else:
            self._heard_at = monotonic()
            self._watch.progress(self._state)
            self._outcome = self._outcome or self._overdue()
        return True

    def _take(self, message: dict[str, Any]) -> None:
        if "state" in message:
            self._state = state_from(message["state"])
        elif "end" in message:
            self._outcome = state_from(message["end"])
        else:
            self._outcome = failure_from(message)

    def _overdue(self) -> Failure | None:
        now = monotonic()
        if self._watch.stopped():
            return Failure(Reason.CANCELLED)
        if now > self._ends_at() or now - self._heard_at > self._silence():
            return Failure(Reason.TOO_SLOW)
        return None

    def _ends_at(self) -> float:
        """The deadline of the file: each recognised page may take its own time on top."""
        return self._deadline + self._state.recognised * self._request.limits.recognise_seconds

    def _silence(self) -> float:
        """How long the child may say nothing."""
        limits = self._request.limits
        if self._state.recognised:
            return limits.recognise_seconds + limits.page_seconds
        return limits.page_seconds if self._state.total else limits.stall_seconds


def _end(control: socket.socket) -> None:
    """Have the child and all it started killed, and wait until it is gone."""
    with suppress(OSError):
        control.send(b"kill")
        control.settimeout(_KILL_SECONDS)
        control.recv(64)


def _failure_of(code: int | None) -> Failure:
    """What an exit without a word means (signal numbers are negative)."""
    if code is None:
        return Failure(Reason.CRASHED, "The reader's helper stopped.", retryable=True)
    if code == -signal.SIGXCPU:
        return Failure(Reason.TOO_SLOW)
    if code == -signal.SIGKILL:
        return Failure(Reason.OUT_OF_MEMORY, retryable=True)
    return Failure(Reason.CRASHED)


class _Helper:
    """The warm helper of this process, started when first needed and after each death."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None
        self._owner = 0
        self.network_isolated = False

    def start(
        self, request: Request, source: IO[bytes], spool: IO[bytes]
    ) -> tuple[socket.socket, socket.socket]:
        """A child for the request: the channel it speaks on and the job's control socket."""
        with ExitStack() as given_up:
            channel, childs_channel = map(given_up.enter_context, socket_pair())
            control, helpers_control = map(given_up.enter_context, socket_pair())
            descriptors = [
                childs_channel.fileno(),
                helpers_control.fileno(),
                source.fileno(),
                spool.fileno(),
            ]
            with self._lock:
                self._send(request.encode(), descriptors)
            given_up.pop_all()
        childs_channel.close()
        helpers_control.close()
        return channel, control

    def _send(self, packet: bytes, descriptors: list[int]) -> None:
        for again in (True, False):
            requests = self._running()
            try:
                socket.send_fds(requests, [packet], descriptors)
            except OSError:
                self.stop()
                if not again:
                    raise
            else:
                return

    def _running(self) -> socket.socket:
        forked = self._owner != os.getpid()
        dead = self._process is None or self._process.poll() is not None
        if self._requests is None or forked or dead:
            # After a fork the helper belongs to the process above; its socket is only closed here.
            self._forget() if forked else self.stop()
            self._requests = self._launch()
        return self._requests

    def _launch(self) -> socket.socket:
        ours, theirs = socket_pair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "apps.ingestion.sandbox_server", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=_ROOT,
                env=isolation.bare_environment(_ROOT),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._owner = os.getpid()
        with ExitStack() as given_up:
            given_up.enter_context(ours)
            ours.settimeout(_START_SECONDS)
            hello = receive(ours)
            if hello is None:
                raise OSError("the reader's helper did not start")
            ours.settimeout(None)
            given_up.pop_all()
        self.network_isolated = bool(hello.get("network_isolated"))
        return ours

    def _forget(self) -> None:
        if self._requests is not None:
            self._requests.close()
        if self._process is not None:
            self._process.returncode = 0
        self._process = self._requests = None

    def stop(self) -> None:
        """End the helper; it kills its children and goes when its socket closes."""
        if self._owner != os.getpid():
            self._forget()
        if self._requests is not None:
            self._requests.close()
        if self._process is not None:
            try:
                self._process.wait(_KILL_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = self._requests = None


_helper = _Helper()
atexit.register(_helper.stop)


def warm_up() -> bool:
    """Start the helper ahead of the first file; True when it stands without a network."""
    with _helper._lock:
        _helper._running()
    return _helper.network_isolated


def shut_down() -> None:
    """End the helper; the next file starts another."""
    _helper.stop()
