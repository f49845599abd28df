"""How long until an answer: from an empty database, and from a question on a large notebook.

Real processes, real HTTP. `python -m bench.first_answer [--chunks 50000] [--questions 100]`;
`--chunks 500 --questions 10` is small enough for every build.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from bench.figures import Figure, report
from bench.support.house import House
from bench.support.person import Heard, Person
from bench.support.texts import Document, documents

DEMO = Path(__file__).resolve().parent.parent / "demo"
DEMO_FILE = "documents/ca/pla-gestio-delta.pdf"
FULL_SIZE = 50_000
CHUNKS_PER_FILE = 200
META_P95_MS = 150.0
CITATION_P95_MS = 500.0
READ_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class Asked:
    """Milliseconds from each question to its first verdict and first cited sentence."""

    metas: tuple[float, ...]
    citations: tuple[float, ...]
    cold_meta: float
    without_citation: int
    machine: float


def main(argv: Sequence[str] | None = None) -> int:
    """Measures both, prints the figures, gives 0 when they are met."""
    options = _options(argv)
    large = list(_documents(options.chunks))
    with tempfile.TemporaryDirectory(prefix="qfa-") as folder, House(Path(folder)) as house:
        person = Person(house.origin)
        try:
            first = _first_answer(person, house.link)
            ingest, chunks, notebook = _large_notebook(person, large)
            asked = _questions(person, notebook, large, options.questions)
        except Exception:
            print(house.last_words(), file=sys.stderr)
            raise
        finally:
            person.close()
    figures = _figures(first, ingest, chunks, asked)
    if options.json:
        print(json.dumps([_as_json(figure) for figure in figures], indent=2))
        return 0 if all(figure.is_met for figure in figures) else 1
    return report("first-answer", figures, record=options.chunks >= FULL_SIZE)


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run bench first-answer", description=__doc__)
    parser.add_argument("--chunks", type=int, default=FULL_SIZE, help="size of the notebook")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--json", action="store_true", help="print JSON, record nothing")
    return parser.parse_args(argv)


def _documents(chunks: int) -> Sequence[Document]:
    each = min(CHUNKS_PER_FILE, max(10, chunks // 10))
    return list(documents(-(-chunks // each), each))


def _first_answer(person: Person, link: str) -> float:
    """Seconds from opening the welcome link to a cited sentence that opens the right page."""
    wanted = _demo_question()
    begin = time.perf_counter()
    person.claim(link)
    resource = person.upload(Path(DEMO_FILE).name, (DEMO / DEMO_FILE).read_bytes())
    notebook = person.make_notebook("Delta", [resource])
    person.wait_until_read(notebook, 120)
    heard = person.ask(notebook, wanted["question"])
    took = time.perf_counter() - begin
    _must_be_cited(person, heard, wanted)
    return took


def _demo_question() -> dict[str, Any]:
    facts = json.loads((DEMO / "manifest.json").read_text("utf-8"))
    asked: list[dict[str, Any]] = facts["questions"]
    return next(one for one in asked if one["file"] == DEMO_FILE)


def _must_be_cited(person: Person, heard: Heard, wanted: dict[str, Any]) -> None:
    """A quick wrong answer is no answer: the words and the page must be the right ones."""
    opened = [person.open(citation)["locator"] for citation in heard.citations]
    places = [(locator.get("page"), locator.get("label")) for locator in opened]
    said = " ".join(heard.text.split())  # a quotation keeps the line ends of its page
    place = (wanted["page"], wanted["label"])
    if wanted["expected_substring"] not in said or place not in places:
        raise RuntimeError(f"not the right answer: {heard.text!r} from {places}")


def _large_notebook(person: Person, large: Sequence[Document]) -> tuple[float, int, str]:
    """Seconds of its reading, from the request that makes it, its chunks, and its id."""
    with ThreadPoolExecutor(4) as four:
        ids = list(four.map(lambda one: person.upload(one.filename, one.text.encode()), large))
    begin = time.perf_counter()
    notebook = person.make_notebook("Large", ids)
    person.wait_until_read(notebook, READ_SECONDS, pause=0.5)
    took = time.perf_counter() - begin
    return took, int(person.look(notebook)["revision"]["chunk_count"]), notebook


def _questions(person: Person, notebook: str, large: Sequence[Document], count: int) -> Asked:
    rounds = zip_longest(*(one.questions for one in large))
    questions = islice((one for group in rounds for one in group if one), count + 1)
    machine = _machine_seconds()
    cold, *heard = [person.ask(notebook, question) for question in questions]
    broken = [one.state for one in heard if one.state != "completed"]
    if broken:
        raise RuntimeError(f"{len(broken)} answers did not complete: {broken[0]}")
    return Asked(
        metas=tuple(1000 * one.first["acl_meta"] for one in heard),
        citations=tuple(1000 * one.first["citation"] for one in heard if one.citations),
        cold_meta=1000 * cold.first["acl_meta"],
        without_citation=sum(not one.citations for one in heard),
        machine=machine,
    )


def _machine_seconds() -> float:
    """How long this machine takes now for ten million additions: what else runs here shows."""
    begin = time.perf_counter()
    total = 0
    for number in range(10_000_000):
        total += number
    return time.perf_counter() - begin


def _figures(first: float, ingest: float, chunks: int, asked: Asked) -> list[Figure]:
    size = f"{chunks:,} chunks"
    return [
        Figure("empty database to first cited answer, demo PDF", first, "s"),
        Figure(f"reading {size} of text, in all", ingest, "s"),
        Figure(f"first acl_meta, {size}, first question ever", asked.cold_meta, "ms"),
        Figure(f"first acl_meta, {size}, p50", statistics.median(asked.metas), "ms"),
        Figure(f"first acl_meta, {size}, p95", _p95(asked.metas), "ms", at_most=META_P95_MS),
        Figure(f"first cited sentence, {size}, p50", statistics.median(asked.citations), "ms"),
        Figure(
            f"first cited sentence, {size}, p95",
            _p95(asked.citations),
            "ms",
            at_most=CITATION_P95_MS,
        ),
        Figure("ten million additions on this machine, then", asked.machine, "s"),
        Figure("questions answered without a citation", asked.without_citation, at_most=0),
    ]


def _p95(values: Sequence[float]) -> float:
    """The smallest value that at least 95 % do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-95 * len(ordered) // 100) - 1)]


def _as_json(figure: Figure) -> dict[str, object]:
    return {
        "name": figure.name,
        "value": figure.value,
        "unit": figure.unit,
        "at_most": figure.at_most,
        "met": figure.is_met,
    }


if __name__ == "__main__":
    sys.exit(main())
