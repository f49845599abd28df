"""Walls around a process that reads hostile files. Linux; each wall says whether it stands."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Mapping
from typing import Any

from apps.ingestion.values import Limits

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_NETWORK_EVENTS = frozenset(
    {"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"}
)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def leave_network() -> bool:
    """Move this process into a network namespace without interfaces; False where not permitted.

    Containers often forbid it. Python code is then still refused sockets by `refuse_sockets`, and
    none of the parsers brings a network stack of its own.
    """
    try:
        libc = _libc()
        tried = (libc.unshare(flags) for flags in (_CLONE_NEWNET, _CLONE_NEWUSER | _CLONE_NEWNET))
        return any(code == 0 for code in tried)
    except (OSError, AttributeError):
        return False


def refuse_sockets() -> None:
    """From now on, Python code in this process that looks up a name or connects gets an error."""

    def hook(event: str, _arguments: tuple[Any, ...]) -> None:
        if event in _NETWORK_EVENTS:
            raise PermissionError("no network in here")

    sys.addaudithook(hook)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent ends; ends at once if it already has."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def give_up_privileges() -> None:
    """No program started from here can gain rights."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _prctl(option: int, argument: int) -> None:
    try:
        _libc().prctl(option, argument, 0, 0, 0)
    except (OSError, AttributeError):
        # Another system than Linux: the pipe's end still tells a child that nobody listens.
        return


def apply_limits(limits: Limits) -> None:
    """Bound memory, processor time, file size and open files of this process; no core dumps."""
    _bound(resource.RLIMIT_AS, limits.memory_bytes)
    _bound(resource.RLIMIT_CPU, limits.cpu_seconds)
    _bound(resource.RLIMIT_FSIZE, limits.spool_bytes)
    _bound(resource.RLIMIT_CORE, 0)
    _bound(resource.RLIMIT_NOFILE, 64)


def _bound(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (bound, bound))


def bare_environment(root: str) -> Mapping[str, str]:
    """The few variables a reader process needs: no secrets are inherited."""
    kept = {
        key: os.environ[key]
        for key in ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")
        if key in os.environ
    }
    # Text recognition with a thread for every core would take them all from the others.
    one_thread = {"OMP_THREAD_LIMIT": "1"}
    return {**kept, **one_thread, "PYTHONPATH": root, "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
