"""A whole Quadern on a data folder of its own: what `./run serve` starts, and nothing else."""

import os
import re
import signal
import socket
import subprocess
import threading
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parent.parent.parent
_OPEN = re.compile(r"Quadern is open: (\S+)")
_START_SECONDS = 180.0
_STOP_SECONDS = 30.0
# What a developer may have set must not decide where a bench writes or what it talks to.
_OWN = ("QUADERN_DATA", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")


class House:
    """A running install on an empty database; `link` is its one-time welcome address."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._port = _free_port()
        self._lines: deque[str] = deque(maxlen=400)
        self._opened = threading.Event()
        self.link = ""

    @property
    def origin(self) -> str:
        """Where it is reached."""
        return f"http://localhost:{self._port}"

    def __enter__(self) -> Self:
        environment = {name: value for name, value in os.environ.items() if name not in _OWN}
        self._process = subprocess.Popen(
            [str(ROOT / "run"), "serve", "--port", str(self._port), "--data", str(self._data)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        threading.Thread(target=self._listen, name="house", daemon=True).start()
        if not self._opened.wait(_START_SECONDS) or not self.link:
            self._stop()
            raise RuntimeError(f"Quadern did not open:\n{self.last_words()}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def last_words(self) -> str:
        """The last lines that its processes printed."""
        return "".join(self._lines)

    def _listen(self) -> None:
        """Reads all that is printed, so that nobody in the house waits for a full pipe."""
        for line in self._process.stdout or ():
            self._lines.append(line)
            found = _OPEN.search(line)
            if found:
                self.link = found.group(1)
                self._opened.set()
        self._opened.set()

    def _stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
