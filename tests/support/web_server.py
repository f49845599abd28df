"""The product as people meet it: Daphne, a worker and Valkey on data of their own."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from django.conf import settings

from tests.support.cast import PASSWORD
from tests.support.valkey import ValkeyServer

ROOT = Path(settings.BASE_DIR)
_PATIENCE_SECONDS = 60
_APPLICATION = "config.asgi:application"
_WORKER = [
    *("celery", "-q", "-A", "config.celery", "worker", "--pool", "threads", "--concurrency", "2"),
    *("--queues", "ingest,analysis,default", "--without-gossip", "--without-mingle"),
    *("--without-heartbeat", "--loglevel", "INFO"),
]

# There is no page for invitations yet: the product's own action lets people in.
_ADD_PERSON = """
from apps.accounts.models import User
from apps.vaults.actions import join_workspace
from apps.vaults.models import Workspace
from apps.vaults.roles import VaultRole, WorkspaceRole
person = User.objects.create_user("{address}", "{password}", name="{name}", language="{language}")
join_workspace(Workspace.objects.get(), person, VaultRole.MEMBER, WorkspaceRole("{role}"))
"""


class Site:
    """A running install; `url` is where it is reached."""

    def __init__(self, folder: Path, valkey: ValkeyServer) -> None:
        self.folder = folder
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = _environment(folder, valkey)
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self.manage("migrate", "-v0")
        self.manage("collectstatic", "--no-input", "-v0")
        self._run("daphne", "daphne", "-b", "127.0.0.1", "-p", str(self.port), _APPLICATION)
        self._run("worker", *_WORKER)
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not self._answers():
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.1)

    def stop(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(15)

    def manage(self, *words: str) -> str:
        """What a management command prints."""
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *words],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def welcome_path(self) -> str:
        """The one-time address of the fresh install, without the host."""
        match = re.search(r"/welcome\?token=\S+", self.manage("welcome_link"))
        assert match, "a fresh install prints its link"
        return match.group()

    def add_person(self, name: str, *, role: str, language: str = "en") -> str:
        """Somebody more in the owner's workspace, as `editor` or `reader`; gives their address."""
        address = f"{name.lower()}@example.org"
        self.manage("shell", "-v0", "-c", _ADD_PERSON.format(**locals(), password=PASSWORD))
        return address

    def log(self) -> str:
        """The end of what the processes said."""
        return "\n".join(path.read_text()[-4000:] for path in self.folder.glob("*.log"))

    def _run(self, name: str, *words: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)

    def _answers(self) -> bool:
        assert all(process.poll() is None for process in self._processes), self.log()
        try:
            with urlopen(f"{self.url}/healthz", timeout=2) as response:
                return bool(response.status == 200)
        except (URLError, OSError):
            return False


def _environment(folder: Path, valkey: ValkeyServer) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "QUADERN_DATA": str(folder / "data"),
        "REDIS_URL": valkey.url,
        "DATABASE_URL": "",
        "PYTHONWARNINGS": "ignore",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def site(valkey_process: ValkeyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A fresh install without anybody, for the whole run."""
    running = Site(tmp_path_factory.mktemp("site"), valkey_process)
    try:
        running.start()
        yield running
    finally:
        running.stop()
