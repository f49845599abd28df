"""The warm helper: a small process with the parsers imported that forks one child per file.

Started by `sandbox` with a packet socket. It holds no database connection and no secret, has no
network, never parses a file itself, and ends when the worker's end of the socket closes. Each
child runs in a session of its own so that it can be killed with everything it started.
"""

from __future__ import annotations

import errno
import gc
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field

from apps.ingestion import isolation
from apps.ingestion.extractors import pdfium
from apps.ingestion.extractors.reading import Reading, SourceFile
from apps.ingestion.extractors.registry import reader_for
from apps.ingestion.pipeline import Run, State
from apps.ingestion.sandbox_protocol import DESCRIPTORS, MAX_PACKET, Request, send
from apps.ingestion.values import Reason, Unreadable

_IDLE_SECONDS = 300.0
# A child lives for one file and makes few cycles: looking for them often only costs time.
_COLLECT_SELDOM = (50_000, 20, 20)


@dataclass(slots=True)
class _Server:
    """The helper's sockets and its living children by process id."""

    requests: socket.socket
    wake: int
    children: dict[int, socket.socket] = field(default_factory=dict)
    folders: dict[int, str] = field(default_factory=dict)

    def serve(self) -> None:
        """Work until the worker is gone or has had nothing to read for a while."""
        while True:
            sources: list[socket.socket | int] = [self.requests, self.wake, *self.children.values()]
            ready, _, _ = select.select(sources, [], [], _IDLE_SECONDS)
            if not ready and not self.children:
                # Nothing to read for a while: the memory is better used elsewhere.
                return
            if self.wake in ready:
                os.read(self.wake, 4096)
            for pid, control in list(self.children.items()):
                if control in ready:
                    _kill_group(pid)
                    self._forget_requests(control)
            self._reap()
            if self.requests in ready and not self._accept():
                return

    def end_all(self) -> None:
        """Kill every child with all it started, and remove their files."""
        for pid in self.children:
            _kill_group(pid)
        for folder in self.folders.values():
            shutil.rmtree(folder, ignore_errors=True)

    @staticmethod
    def _forget_requests(control: socket.socket) -> None:
        with suppress(OSError):
            control.setblocking(False)
            control.recv(64)

    def _accept(self) -> bool:
        """Start a child for the next request; False when the worker is gone."""
        packet, descriptors, _, _ = socket.recv_fds(self.requests, MAX_PACKET, DESCRIPTORS)
        if not packet:
            return False
        channel, control, source, spool = descriptors
        # What a killed child leaves on disk must be found again.
        folder = tempfile.mkdtemp(prefix="quadern-")
        pid = os.fork()
        if pid == 0:
            tempfile.tempdir = folder
            self._be_child(packet, channel, source, spool)
        for descriptor in (channel, source, spool):
            os.close(descriptor)
        self.children[pid] = socket.socket(fileno=control)
        self.folders[pid] = folder
        return True

    def _be_child(self, packet: bytes, channel: int, source: int, spool: int) -> None:
        """Never returns."""
        code = 1
        try:
            self.requests.close()
            for control in self.children.values():
                control.close()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _read_file(Request.decode(packet), socket.socket(fileno=channel), source, spool)
            code = 0
        finally:
            os._exit(code)

    def _reap(self) -> None:
        """Tell the worker about each child that ended, after killing what it left behind."""
        for pid in list(self.children):
            ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None:
                continue
            # The zombie still holds its id, so the group cannot be somebody else's.
            _kill_group(pid)
            _, status = os.waitpid(pid, 0)
            control = self.children.pop(pid)
            shutil.rmtree(self.folders.pop(pid), ignore_errors=True)
            with control, suppress(OSError):
                send(control, code=os.waitstatus_to_exitcode(status))


def _kill_group(pid: int) -> None:
    # Before its setsid the child has no group yet: then the process itself is enough.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _read_file(request: Request, channel: socket.socket, source: int, spool: int) -> None:
    """The child's whole life: walls up, file read, outcome told."""
    os.setsid()
    isolation.die_with_parent(_SERVER_PID)
    isolation.give_up_privileges()
    _be_silent()
    os.nice(5)
    isolation.apply_limits(request.limits)
    outcome = _outcome(request, channel, source, spool)
    with suppress(OSError):
        send(channel, **outcome)


def _outcome(
    request: Request, channel: socket.socket, source: int, spool: int
) -> dict[str, object]:
    try:
        return {"end": _run(request, channel, source, spool).to_json()}
    except Unreadable as refused:
        return {"reason": refused.failure.reason.value, "detail": refused.failure.detail}
    except MemoryError:
        return {"reason": Reason.OUT_OF_MEMORY.value}
    except RecursionError:
        return {"reason": Reason.CORRUPT.value, "detail": "The file is nested too deeply."}
    except OSError as error:
        return {"reason": _reason_of(error).value}
    except Exception as error:  # the parser's own faults: named by their class alone
        return {"reason": Reason.CRASHED.value, "detail": type(error).__name__}


def _reason_of(error: OSError) -> Reason:
    named = {
        errno.ENOSPC: Reason.OUT_OF_SPACE,
        errno.EDQUOT: Reason.OUT_OF_SPACE,
        errno.EFBIG: Reason.TOO_LARGE,
        errno.ENOMEM: Reason.OUT_OF_MEMORY,
    }
    return named.get(error.errno or 0, Reason.CORRUPT)


def _run(request: Request, channel: socket.socket, source: int, spool: int) -> State:
    reader = reader_for(request.media_type)
    if reader is None:
        raise Unreadable(Reason.UNSUPPORTED_TYPE)
    reading = Reading(
        SourceFile(
            f"/dev/fd/{source}",
            request.media_type,
            request.charset,
            request.is_web_page,
            request.skip_until,
        ),
        request.limits,
        request.recognition,
    )
    with open(spool, "ab", closefd=False) as stream:
        run = Run(
            reader, reading, stream, request.state, lambda s: send(channel, state=s.to_json())
        )
        return run.finish()


def _be_silent() -> None:
    """Parsers print words of the file on their error stream."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


_SERVER_PID = os.getpid()


def main() -> None:
    """Serve on the socket whose descriptor is the only argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    isolated = isolation.leave_network()
    isolation.refuse_sockets()
    pdfium.warm_up()
    # Frozen objects are not touched by collections in the children: their pages stay shared.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_SELDOM)
    requests = socket.socket(fileno=int(sys.argv[1]))
    send(requests, ready=True, network_isolated=isolated)
    server = _Server(requests, wake_read)
    try:
        server.serve()
    finally:
        server.end_all()


if __name__ == "__main__":
    main()
