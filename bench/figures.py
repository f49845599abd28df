"""Figures: compared with what they must reach, printed, and kept in docs/reference/figures.md."""

import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "figures.md"
_NO_BOUND = "—"
_HEAD = """# Figures

Written by `./run bench NAME`; each row is the latest recorded run of one figure.

| bench | figure | measured | to reach | met | date | commit | machine |
|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number with its unit and the bound it must keep, if there is one."""

    name: str
    value: float
    unit: str = ""
    at_least: float | None = None
    at_most: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the number keeps its bounds; true without any."""
        above = self.at_least is None or self.value >= self.at_least
        below = self.at_most is None or self.value <= self.at_most
        return above and below

    @property
    def bound(self) -> str:
        """The bounds in signs: `≥ 0.65`, `≤ 150 ms`, or a dash."""
        words = []
        if self.at_least is not None:
            words.append(f"≥ {_shown(self.at_least, self.unit)}")
        if self.at_most is not None:
            words.append(f"≤ {_shown(self.at_most, self.unit)}")
        return ", ".join(words) or _NO_BOUND

    @property
    def measured(self) -> str:
        """The number with its unit."""
        return _shown(self.value, self.unit)


def report(bench: str, figures: Sequence[Figure], *, record: bool) -> int:
    """Prints the figures and, if asked, records them; gives 0 when all bounds are kept, else 1."""
    for figure in figures:
        word = "met" if figure.is_met else "NOT MET"
        print(f"{figure.name:<52} {figure.measured:>14}   {figure.bound:<16} {word}")
    if record:
        write(PAGE, bench, figures, _circumstances())
    return 0 if all(figure.is_met for figure in figures) else 1


def write(page: Path, bench: str, figures: Sequence[Figure], circumstances: str) -> None:
    """Puts the rows of one bench in place of its earlier rows of the same names."""
    names = {figure.name for figure in figures}
    kept = [row for row in _rows(page) if not (row[0] == bench and row[1] in names)]
    new = [_cells(bench, figure, circumstances) for figure in figures]
    page.parent.mkdir(parents=True, exist_ok=True)
    rows = sorted([*kept, *new], key=lambda row: row[0])
    page.write_text(_HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows))


def _cells(bench: str, figure: Figure, circumstances: str) -> list[str]:
    bound = figure.bound
    met = bound if bound == _NO_BOUND else "yes" if figure.is_met else "no"
    return [bench, figure.name, figure.measured, bound, met, *circumstances.split(" | ")]


def _rows(page: Path) -> Iterable[list[str]]:
    if not page.exists():
        return
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] not in {"bench", "---"}:
            yield cells


def _circumstances() -> str:
    day = datetime.now(UTC).date().isoformat()
    return f"{day} | {_commit()} | {_machine()}"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores {platform.machine()}, {memory:.0f} GiB, Python {platform.python_version()}"


def _shown(value: float, unit: str) -> str:
    digits = f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"
    return f"{digits} {unit}".strip()
