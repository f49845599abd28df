"""Which process holds a lease, and whether it is certainly gone.

A lease ends by the database's clock. A worker killed on this very machine need not be
waited for that long: its name tells the running kernel, the process-number space, the
number and the start time of the process, so that nobody else is ever taken for it. Where
the system gives no such facts nothing is certain, and the lease's end decides.
"""

import os
import socket
from functools import cache
from pathlib import Path

_UNKNOWN = "-"
_DEAD = {"Z", "X"}  # killed, but its parent has not asked how it ended
_START_TIME_FIELD = 19  # of /proc/<pid>/stat counted after the command's closing bracket, proc(5)


def this_process() -> str:
    """The name under which this process takes leases, ≤120 characters."""
    return f"{socket.gethostname()[:40]}:{_space()}:{os.getpid()}:{_started(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the process that took a lease as `owner` certainly runs no more."""
    parts = owner.split("#", maxsplit=1)[0].rsplit(":", 3)
    if len(parts) != 4 or _UNKNOWN in {parts[1], parts[3]}:
        return False
    space, number, started = parts[1:]
    return space == _space() and _runs_no_more(int(number), started)


def _runs_no_more(number: int, started: str) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it is there and belongs to somebody else
        return False
    return _started(number) not in {started, _UNKNOWN}


@cache
def _space() -> str:
    """The running kernel and the process-number space: within both a pid means one process."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}.{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return _UNKNOWN


def _started(number: int) -> str:
    """When the process started, in clock ticks since the machine did."""
    try:
        line = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _UNKNOWN
    facts = line.rpartition(")")[2].split()
    return "dead" if facts[0] in _DEAD else facts[_START_TIME_FIELD]
