"""The bench itself: its measures, and its verdict on a collection made here."""

import json
from pathlib import Path

import pytest

from bench.retrieval import auroc, main, ndcg, recall


def _collection(folder: Path, right: str) -> Path:
    home = folder / "morph-en"
    home.mkdir()
    corpus = [
        {"id": "d0", "title": "", "text": "The owner keeps the notebooks in order."},
        {"id": "d1", "title": "On rain", "text": "It has been raining for days and days."},
    ]
    lines = "\n".join(json.dumps(row) for row in corpus)
    (home / "corpus.jsonl").write_text(lines, "utf-8")
    (home / "queries.jsonl").write_text('{"id": "q0", "text": "notebook owner"}', "utf-8")
    (home / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\nq0\t{right}\t1\n", "utf-8")
    return folder


@pytest.mark.parametrize("right, code, verdict", [("d0", 0, "met"), ("d1", 1, "NOT MET")])
def test_the_bench_fails_below_a_floor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], right: str, code: int, verdict: str
) -> None:
    assert main(["--data", str(_collection(tmp_path, right))]) == code
    assert verdict in capsys.readouterr().out


def test_the_bench_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--data", str(_collection(tmp_path, "d0")), "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["collections"][0]["ndcg10"] == 1.0


def test_the_bench_says_when_there_is_nothing_to_measure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(tmp_path)]) == 2
    assert "No collection" in capsys.readouterr().err


def test_measures_are_those_of_the_textbook() -> None:
    assert ndcg(["x", "a"], frozenset({"a"}), 10) == pytest.approx(0.6309297)
    assert recall(["a", "x", "b"], frozenset({"a", "b"}), 2) == 0.5
    assert auroc([3.0, 2.0], [2.0, 1.0]) == 0.875
