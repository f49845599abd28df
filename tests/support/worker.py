"""A real Celery worker in a process group of its own, to be killed at will."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.support.valkey import ValkeyServer

ROOT = Path(settings.BASE_DIR)
PROBE_SETTINGS = "tests.support.worker_settings"
_OPTIONS = ["--pool", "threads", "--concurrency", "2", "--queues", "ingest,analysis,default"]
_QUIET = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"]


def eventually(fact: Callable[[], bool], what: str, seconds: float = 60) -> float:
    """Waits until `fact()` holds and gives how long that took; fails after `seconds`."""
    begin = time.monotonic()
    while not fact():
        assert time.monotonic() - begin < seconds, f"{what} did not happen within {seconds} s"
        time.sleep(0.05)
    return time.monotonic() - begin


class WorkerProcess:
    def __init__(
        self, broker_url: str, folder: Path, settings_module: str = PROBE_SETTINGS
    ) -> None:
        self._log = folder / "worker.log"
        self._environment = _environment(broker_url, settings_module)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "celery",
                    "-q",
                    "-A",
                    "config.celery",
                    "worker",
                    *_OPTIONS,
                    *_QUIET,
                ],
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def terminate(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, number)
            self.process.wait(30)

    def log(self) -> str:
        return self._log.read_text(errors="replace")


def _environment(broker_url: str, settings_module: str) -> dict[str, str]:
    database = connection.settings_dict
    own = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": settings_module,
        "PROBE_BROKER_URL": broker_url,
        "PYTHONWARNINGS": "ignore",
    }
    if connection.vendor == "sqlite":
        return own | {"PROBE_SQLITE_FILE": str(database["NAME"])}
    url = f"postgresql://{database['USER']}@/{database['NAME']}?host={database['HOST']}"
    return own | {"DATABASE_URL": url}


@pytest.fixture
def worker(valkey: ValkeyServer, tmp_path: Path) -> Iterator[WorkerProcess]:
    """A worker that is not started yet, on the test's database and broker."""
    process = WorkerProcess(valkey.broker_url, tmp_path)
    yield process
    process.kill()
