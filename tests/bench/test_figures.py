"""Figures are compared with their bounds and kept one row each."""

from pathlib import Path

import pytest

from bench.figures import Figure, report, write

CIRCUMSTANCES = "2026-11-30 | abc1234 | 2 cores"


@pytest.mark.parametrize(
    "figure, met, bound",
    [
        (Figure("p95", 120.0, "ms", at_most=150), True, "≤ 150 ms"),
        (Figure("p95", 150.1, "ms", at_most=150), False, "≤ 150 ms"),
        (Figure("nDCG@10", 0.65, at_least=0.65), True, "≥ 0.65"),
        (Figure("nDCG@10", 0.649, at_least=0.65), False, "≥ 0.65"),
        (Figure("chunks", 50_000), True, "—"),
        (Figure("ratio", 3.0, at_least=1, at_most=2), False, "≥ 1, ≤ 2"),
    ],
)
def test_a_figure_knows_its_bound_and_whether_it_keeps_it(
    figure: Figure, met: bool, bound: str
) -> None:
    assert figure.is_met is met
    assert figure.bound == bound


def test_falling_short_gives_an_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = Figure("a", 1, at_least=1), Figure("b", 0, at_least=1)
    assert report("x", [good], record=False) == 0
    assert report("x", [good, bad], record=False) == 1
    assert "NOT MET" in capsys.readouterr().out


def test_a_new_run_takes_the_place_of_the_old_row_and_leaves_the_others(tmp_path: Path) -> None:
    page = tmp_path / "figures.md"
    write(page, "search-scale", [Figure("p50", 10, "ms"), Figure("p95", 20, "ms")], CIRCUMSTANCES)
    write(page, "retrieval", [Figure("nDCG@10", 0.7)], CIRCUMSTANCES)
    write(page, "search-scale", [Figure("p95", 15.25, "ms", at_most=20)], CIRCUMSTANCES)
    rows = [line for line in page.read_text().splitlines() if line.startswith("| ")][1:]
    assert rows == [
        "| retrieval | nDCG@10 | 0.7 | — | — | 2026-11-30 | abc1234 | 2 cores |",
        "| search-scale | p50 | 10 ms | — | — | 2026-11-30 | abc1234 | 2 cores |",
        "| search-scale | p95 | 15.25 ms | ≤ 20 ms | yes | 2026-11-30 | abc1234 | 2 cores |",
    ]
