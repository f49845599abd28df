"""How well questions find their passages, against the floors of the project.

`python -m bench.retrieval --data DIR [--json]` reads collections (corpus.jsonl, queries.jsonl,
qrels.tsv in one folder each), indexes them with the code that serves questions, and prints
nDCG@10 and R@50 against the floors. Exits 1 when one is missed.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import log2
from pathlib import Path

import numpy as np

from apps.retrieval.analysis import detect_language, query_terms
from apps.retrieval.postings import build_segment, encode_pages, page_bits, stored_size
from apps.retrieval.ranking import Member, Ranking, SegmentEntry, rank
from bench.figures import Figure, report

DEPTH = 50
VERSION = 1
OFF_TOPIC_FLOOR = 0.95


@dataclass(frozen=True, slots=True)
class Floor:
    """The least a collection must reach; recall only where the project names one."""

    ndcg10: float
    recall50: float | None = None
    recall10: float | None = None


FLOORS = {
    "cranfield-en": Floor(0.375),
    "cisi-en": Floor(0.385),
    "npl-en": Floor(0.415),
    "squad2-en": Floor(0.90, recall50=0.99),
    "squad2-pt": Floor(0.875),
    "xquad-en": Floor(0.97),
    "xquad-es": Floor(0.97),
    "laws-nl": Floor(0.54, recall50=0.89),
    "laws-ca": Floor(0.355),
    **{f"morph-{code}": Floor(0.93, recall10=1.0) for code in ("nl", "ca", "pt", "es", "en")},
}


@dataclass(frozen=True, slots=True)
class Collection:
    """A test collection in memory: texts by position, questions, and what is right for each."""

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]
    right: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Index:
    """A collection's postings, encoded as they are stored."""

    collection: Collection
    language: str
    entry: SegmentEntry
    pages: dict[int, bytes]
    index_ms_per_100: float
    bytes_per_chunk: float

    def search(self, question: str, limit: int = DEPTH) -> Ranking:
        """Rank the collection for a question."""
        terms = query_terms(question, [self.language])
        return rank([self.entry], [VERSION], terms, self._read, limit=limit)

    def _read(self, slots: Sequence[int]) -> Iterable[tuple[int, int, bytes]]:
        return [(s, self.entry.segment_id, self.pages[s]) for s in slots if s in self.pages]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: means over all questions and over the half not used for tuning.

    Constants are tuned on every second question, from the second on; the others are held out.
    """

    name: str
    language: str
    questions: int
    ndcg10: float
    ndcg10_held_out: float
    recall50: float
    recall10: float
    floor: Floor
    index_ms_per_100: float
    bytes_per_chunk: float


def load(folder: Path) -> Collection:
    """Read one collection; a text is its title, when it has one, and its body."""
    corpus = _json_lines(folder / "corpus.jsonl")
    right: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        question, passage, score = line.split("\t")
        if int(score) > 0:
            right[question].add(passage)
    return Collection(
        name=folder.name,
        ids=tuple(row["id"] for row in corpus),
        texts=tuple(f"{row['title']}\n{row['text']}".strip() for row in corpus),
        questions=tuple((q["id"], q["text"]) for q in _json_lines(folder / "queries.jsonl")),
        right={question: frozenset(passages) for question, passages in right.items()},
    )


def index(collection: Collection) -> Index:
    """Build the postings of a collection, its language detected as for a source."""
    start = time.perf_counter()
    language = detect_language("\n".join(collection.texts[:50]))
    segment = build_segment(collection.texts, language)
    bits = page_bits(stored_size(segment))
    pages = dict(encode_pages(segment, bits))
    spent = time.perf_counter() - start
    size = sum(map(len, pages.values())) + 4 * segment.chunk_count
    entry = SegmentEntry(
        segment_id=1,
        page_bits=bits,
        members=(Member(VERSION, 0, 0, segment.chunk_count),),
        word_lengths=segment.word_lengths,
        gram_lengths=segment.gram_lengths,
    )
    count = segment.chunk_count
    return Index(collection, language, entry, pages, spent * 1e5 / count, size / count)


def measure(built: Index) -> Row:
    """Ask every question that has right passages and give the means."""
    collection = built.collection
    gains: list[tuple[float, float, float]] = []
    for question, text in _answerable(collection):
        ranking = built.search(text)
        found = [collection.ids[chunk.ordinal] for chunk in ranking.chunks]
        right = collection.right[question]
        gains.append((ndcg(found, right, 10), recall(found, right, 50), recall(found, right, 10)))
    table = np.array(gains)
    return Row(
        name=collection.name,
        language=built.language,
        questions=len(gains),
        ndcg10=float(table[:, 0].mean()),
        ndcg10_held_out=float(table[::2, 0].mean()),
        recall50=float(table[:, 1].mean()),
        recall10=float(table[:, 2].mean()),
        floor=FLOORS.get(collection.name, Floor(0.0)),
        index_ms_per_100=built.index_ms_per_100,
        bytes_per_chunk=built.bytes_per_chunk,
    )


def ndcg(found: Sequence[str], right: frozenset[str], depth: int) -> float:
    """Normalised discounted cumulative gain with binary relevance (Järvelin, Kekäläinen 2002)."""
    gain = sum(1 / log2(at + 2) for at, item in enumerate(found[:depth]) if item in right)
    return gain / sum(1 / log2(at + 2) for at in range(min(depth, len(right))))


def recall(found: Sequence[str], right: frozenset[str], depth: int) -> float:
    """The part of the right passages among the first `depth`."""
    return len(right.intersection(found[:depth])) / len(right)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive scores above a negative; ties count half (Mann–Whitney)."""
    ordered = np.sort(np.array(negative))
    values = np.array(positive)
    below = np.searchsorted(ordered, values, side="left")
    not_above = np.searchsorted(ordered, values, side="right")
    return float((below + not_above).sum() / 2 / (len(values) * len(ordered)))


def off_topic(home: Index, strange: Collection) -> float:
    """How well coverage tells a collection's own questions from another's."""
    own = [home.search(text, 1).coverage for _, text in _answerable(home.collection)]
    other = [home.search(text, 1).coverage for _, text in strange.questions]
    return auroc(own, other)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; give 0 when every floor is met, 1 when not, 2 without data."""
    options = _options(argv)
    folders = [options.data / name for name in FLOORS if (options.data / name).is_dir()]
    if not folders:
        print(f"No collection found in {options.data}.", file=sys.stderr)
        return 2
    built = {folder.name: index(load(folder)) for folder in folders}
    rows = [measure(one) for one in built.values()]
    refusal = _refusal(built)
    figures = _figures(rows, refusal)
    if options.json:
        print(_as_json(rows, refusal))
        return 0 if all(figure.is_met for figure in figures) else 1
    print(_as_table(rows), end="\n\n")
    return report("retrieval", figures, record=len(rows) == len(FLOORS))


def _figures(rows: Sequence[Row], refusal: float | None) -> list[Figure]:
    """Every number that has a floor, with it."""
    figures: list[Figure] = []
    for row in rows:
        figures.append(Figure(f"{row.name} nDCG@10", row.ndcg10, at_least=row.floor.ndcg10))
        if row.floor.recall50 is not None:
            figures.append(Figure(f"{row.name} R@50", row.recall50, at_least=row.floor.recall50))
        if row.floor.recall10 is not None:
            figures.append(Figure(f"{row.name} R@10", row.recall10, at_least=row.floor.recall10))
    if refusal is not None:
        figures.append(Figure("off-topic refusal AUROC", refusal, at_least=OFF_TOPIC_FLOOR))
    return figures


def _refusal(built: dict[str, Index]) -> float | None:
    if "squad2-en" not in built or "cranfield-en" not in built:
        return None
    return off_topic(built["squad2-en"], built["cranfield-en"].collection)


def _answerable(collection: Collection) -> list[tuple[str, str]]:
    return [(key, text) for key, text in collection.questions if key in collection.right]


def _as_table(rows: Sequence[Row]) -> str:
    head = (
        f"{'collection':<14}{'lang':>5}{'asked':>7}{'nDCG@10':>9}{'held out':>9}{'floor':>7}"
        f"{'R@50':>7}{'R@10':>7}{'ms/100':>8}{'B/chunk':>9}"
    )
    return "\n".join([head, *map(_as_line, rows)])


def _as_line(row: Row) -> str:
    return (
        f"{row.name:<14}{row.language:>5}{row.questions:>7}{row.ndcg10:>9.3f}"
        f"{row.ndcg10_held_out:>9.3f}{row.floor.ndcg10:>7.3f}{row.recall50:>7.3f}"
        f"{row.recall10:>7.3f}{row.index_ms_per_100:>8.0f}{row.bytes_per_chunk:>9.0f}"
    )


def _as_json(rows: Sequence[Row], refusal: float | None) -> str:
    table = [asdict(row) for row in rows]
    return json.dumps({"collections": table, "off_topic_auroc": refusal}, indent=2)


def _json_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench retrieval", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the collections")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
