"""How long a reader waits for the selector of a library with many records.

`python -m bench.selector [--records 100000]` makes a SQLite database of its own and removes it;
with `DATABASE_URL` it fills the empty database named there and leaves it filled.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.figures import Figure, report

ROOT = Path(__file__).resolve().parent.parent
FULL_SIZE = 100_000
P95_MS = 150.0


def main(argv: Sequence[str] | None = None) -> int:
    """Measures each kind of question, prints the figures, gives 0 when they are met."""
    parser = argparse.ArgumentParser(prog="./run bench selector", description=__doc__)
    parser.add_argument("--records", type=int, default=FULL_SIZE, help="records in the table")
    records = parser.parse_args(argv).records
    with tempfile.TemporaryDirectory(prefix="qsel-") as folder:
        measured = _measure(Path(folder), records)
    database = "PostgreSQL" if os.environ.get("DATABASE_URL") else "SQLite"
    figures = [
        Figure(f"{name} p95, {records:,} records, {database}", p95, "ms", at_most=P95_MS)
        for name, (_p50, p95) in measured.items()
    ]
    return report("selector", figures, record=records >= FULL_SIZE)


def _measure(data: Path, records: int) -> Mapping[str, tuple[float, float]]:
    """p50 and p95 in milliseconds by kind of question."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "QUADERN_DATA": str(data),
        "QUADERN_LOG_LEVEL": "WARNING",
    }
    _django(environment, "migrate", "--verbosity", "0")
    call = f"from bench.support.catalogue_at_scale import measure; measure({records})"
    printed = _django(environment, "shell", "--no-imports", "-c", call)
    measured: dict[str, tuple[float, float]] = json.loads(printed.splitlines()[-1])
    return measured


def _django(environment: Mapping[str, str], *words: str) -> str:
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
