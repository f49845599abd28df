"""How long a search takes in a 50,000-chunk notebook while the table grows around it.

`python -m bench.search_scale [--chunks 1000000] [--database both]` makes databases of its own
and removes them. `--chunks 4000` is small enough for every build: the notebook and the smaller
size shrink along.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.figures import Figure, report
from tests.support import postgres

ROOT = Path(__file__).resolve().parent.parent
FULL_SIZE = 1_000_000
NOTEBOOK = 50_000
SMALL = 100_000
P50_MS, P95_MS, GROWTH = 10.0, 30.0, 1.5
WRITE_MS, BYTES_PER_CHUNK = 150.0, 3_000.0
_NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


def main(argv: Sequence[str] | None = None) -> int:
    """Measures on each database, prints the figures, gives 0 when they are met."""
    options = _options(argv)
    asked = list(_NAMES) if options.database == "both" else [options.database]
    figures = [figure for name in asked for figure in _figures(name, options.chunks)]
    return report("search-scale", figures, record=options.chunks >= FULL_SIZE)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run bench search-scale", description=__doc__)
    parser.add_argument("--chunks", type=int, default=FULL_SIZE, help="size of the whole table")
    parser.add_argument("--database", choices=[*_NAMES, "both"], default="both")
    return parser.parse_args(argv)


def _figures(database: str, chunks: int) -> list[Figure]:
    small = min(SMALL, chunks // 2)
    notebook = min(NOTEBOOK, small // 2)
    with tempfile.TemporaryDirectory(prefix="qss-") as folder, _database(database) as address:
        measured = _measure(Path(folder), address, (notebook, small, chunks))
    name = _NAMES[database]
    among = f"{notebook:,} chunks in {measured['chunks']:,.0f}, {name}"
    return [
        Figure(f"search p50, {among}", measured["p50"], "ms", at_most=P50_MS),
        Figure(f"search p95, {among}", measured["p95"], "ms", at_most=P95_MS),
        Figure(
            f"p50 against {measured['small_chunks']:,.0f} chunks, {name}",
            measured["p50"] / measured["small_p50"],
            "×",
            at_most=GROWTH,
        ),
        Figure(
            f"index 100 chunks, median, {name}", measured["write_median"], "ms", at_most=WRITE_MS
        ),
        Figure(f"reference: counting to 100,000, {name}", measured["reference"], "ms"),
        Figure(f"index 100 chunks, mean with merging, {name}", measured["write_mean"], "ms"),
        Figure(
            f"stored per chunk, {name}",
            measured["bytes_per_chunk"],
            "bytes",
            at_most=BYTES_PER_CHUNK,
        ),
    ]


@contextmanager
def _database(name: str) -> Iterator[str]:
    """The DATABASE_URL of an empty database, none for SQLite, which lives in the data folder."""
    if name == "sqlite":
        yield ""
        return
    account = "nobody" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="qsp-"))
    if account:
        shutil.chown(folder, account)
    server = postgres.PostgresServer(folder, postgres._binaries(account), account)
    try:
        server.make()
        server.start()
        yield _new_database(server)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _new_database(server: postgres.PostgresServer) -> str:
    with psycopg.connect(
        host=str(server.folder), user="postgres", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute("CREATE DATABASE quadern")
    return f"postgresql://postgres@/quadern?host={server.folder}"


def _measure(data: Path, address: str, sizes: tuple[int, int, int]) -> Mapping[str, float]:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "QUADERN_DATA": str(data),
        "DATABASE_URL": address,
        "QUADERN_LOG_LEVEL": "WARNING",
    }
    _django(environment, "migrate", "--verbosity", "0")
    call = f"from bench.support.postings_at_scale import measure; measure{sizes}"
    printed = _django(environment, "shell", "--no-imports", "-c", call)
    measured: dict[str, float] = json.loads(printed.splitlines()[-1])
    return measured


def _django(environment: Mapping[str, str], *words: str) -> str:
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
