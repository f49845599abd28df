"""`./run bench start`: from a fresh clone to the printed link, again, idle memory, and the stop.

Package caches are left as they are; the figure of the specification is for warm ones.
"""

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.figures import ROOT, Figure, report

_PATIENCE_SECONDS = 600
_IDLE_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Serving:
    """A running `./run serve`, and the seconds until its link stood there."""

    process: subprocess.Popen[str]
    seconds_to_link: float


def main(argv: Sequence[str]) -> int:
    """Measures and reports; 1 when a figure falls short."""
    parser = argparse.ArgumentParser(prog="./run bench start")
    parser.add_argument("--record", action="store_true", help="write docs/reference/figures.md")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="quadern-start-") as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        figures = measure(clone)
    return report("start", figures, record=args.record)


def measure(clone: Path) -> list[Figure]:
    """Starts twice in the clone: everything is made the first time, nothing the second."""
    with serving(clone) as first:
        made = first.seconds_to_link
    with serving(clone) as second:
        time.sleep(_IDLE_SECONDS)
        memory = memory_of(second.process.pid)
        stop = seconds_to_stop(second.process)
    return [
        Figure("fresh clone to link", made, "s", at_most=90),
        Figure("link when nothing changed", second.seconds_to_link, "s", at_most=15),
        Figure("idle memory of all processes (PSS)", memory["Pss:"], "MB", at_most=350),
        Figure("idle memory of all processes (RSS)", memory["Rss:"], "MB"),
        Figure("stop of all processes", stop, "s", at_most=10),
    ]


@contextmanager
def serving(clone: Path) -> Iterator[Serving]:
    """Runs `./run serve` in the clone until the block ends."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(clone / "run"), "serve", "--port", str(_free_port())],
        env={k: v for k, v in os.environ.items() if k not in {"QUADERN_DATA", "REDIS_URL"}},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield Serving(process, _wait_for_link(process) - began)
    finally:
        seconds_to_stop(process)


def seconds_to_stop(process: subprocess.Popen[str]) -> float:
    """Asks it to stop; gives the seconds until it and its output have ended."""
    began = time.monotonic()
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=_PATIENCE_SECONDS)
    return time.monotonic() - began


def memory_of(root: int) -> dict[str, float]:
    """Proportional and resident memory in MB of a process and all below it (Linux)."""
    sums = {"Pss:": 0.0, "Rss:": 0.0}
    for pid in _family(root):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            name, *value = line.split()
            if name in sums:
                sums[name] += int(value[0]) / 1024
    return sums


def _family(root: int) -> Iterator[int]:
    yield root
    for file in Path(f"/proc/{root}/task").glob("*/children"):
        for child in file.read_text().split():
            yield from _family(int(child))


def _wait_for_link(process: subprocess.Popen[str]) -> float:
    assert process.stdout
    for line in process.stdout:
        if re.search(r"Quadern is open: http", line):
            return time.monotonic()
    raise SystemExit("./run serve ended before it printed its link")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
