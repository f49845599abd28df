"""One notebook among many in one database: built, asked, asked again when the table has grown.

Runs inside Django (`manage.py shell`), on whatever database the environment names; prints one
line of JSON.
"""

import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from django.db import connection

from apps.accounts.models import User
from apps.library.actions import create_references_table
from apps.library.models import Table
from apps.notebooks import index
from apps.notebooks.models import IndexSpace, Notebook, SegmentLengths
from apps.vaults.actions import create_vault
from bench.support.texts import CHARACTERS_PER_CHUNK, Document, documents

CHUNKS_PER_SOURCE = 100
_QUESTIONS = 200
_HITS = 10
_LANGUAGE = "en"
# One in between is thrown away: the first questions after a bulk load read from the disk.
_WARM_UP = 20


@dataclass(frozen=True, slots=True)
class Measured:
    """Milliseconds of a search at both sizes, and what writing and keeping the index costs.

    `reference` is how long the machine took for a fixed piece of work at the same time.
    """

    small_chunks: int
    small_p50: float
    small_p95: float
    chunks: int
    p50: float
    p95: float
    write_median: float
    write_mean: float
    bytes_per_chunk: float
    reference: float


def measure(notebook_chunks: int, small: int, chunks: int) -> None:
    """Builds a notebook of `notebook_chunks`, asks it among `small` and among `chunks` chunks."""
    texts = list(documents(max(1, notebook_chunks // CHUNKS_PER_SOURCE), CHUNKS_PER_SOURCE))
    questions = [question for document in texts for question in document.questions]
    questions = questions[:: max(1, len(questions) // _QUESTIONS)][:_QUESTIONS]
    table = _table()
    space = _space(table)
    empty = _stored_bytes()
    versions, writes = _build(space, texts)
    bytes_per_chunk = (_stored_bytes() - empty) / _chunks_stored()
    _fill(table, space, small)
    small_p50, small_p95 = _ask(space, versions, questions)
    stored_small = _chunks_stored()
    _fill(table, space, chunks)
    p50, p95 = _ask(space, versions, questions)
    reference = _reference()
    measured = Measured(
        stored_small, small_p50, small_p95, _chunks_stored(), p50, p95,
        statistics.median(writes), statistics.fmean(writes), bytes_per_chunk, reference,
    )  # fmt: skip
    print(json.dumps(asdict(measured)))


def _table() -> Table:
    owner = User.objects.create_user("bench@example.org", "a password for nobody", name="Bench")
    return create_references_table(create_vault("Bench", "Bench", owner=owner))


def _space(table: Table) -> int:
    workspace = table.workspace
    notebook = Notebook.objects.create(
        vault_id=workspace.vault_id,
        workspace=workspace,
        table=table,
        title="Bench",
        created_by=User.objects.get(),
    )
    return IndexSpace.objects.create(notebook=notebook).pk


def _build(space: int, texts: Sequence[Document]) -> tuple[list[tuple[int, str]], list[float]]:
    """The versions of the notebook, and the milliseconds that writing each took."""
    versions: list[tuple[int, str]] = []
    writes: list[float] = []
    for number, document in enumerate(texts, start=1):
        chunks = list(enumerate(_chunks(document.text)))[:CHUNKS_PER_SOURCE]
        start = time.perf_counter()
        index.write_segment(space, number, chunks, _LANGUAGE)
        writes.append((time.perf_counter() - start) * 1000)
        versions.append((number, _LANGUAGE))
    return versions, writes


def _chunks(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.rfind(" ", start, start + CHARACTERS_PER_CHUNK) + 1
        end = (
            end
            if end > start and start + CHARACTERS_PER_CHUNK < len(text)
            else start + CHARACTERS_PER_CHUNK
        )
        yield text[start:end]
        start = end


def _fill(table: Table, space: int, chunks: int) -> None:
    """Copies the notebook's segments into notebooks of others until `chunks` are stored."""
    while (missing := chunks - _chunks_stored()) > 0:
        _copy_some(space, _space(table), missing)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _copy_some(space: int, other: int, most: int) -> None:
    copied = 0
    for row in SegmentLengths.objects.filter(space_id=space).order_by("id"):
        if copied >= most:
            return
        original = row.pk
        row.pk, row.space_id = None, other
        row.save(force_insert=True)
        _copy_pages(original, space, row.pk, other)
        copied += row.chunk_count


def _copy_pages(segment: int, space: int, copy: int, other: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO notebooks_posting (space_id, slot, segment_id, page)"
            " SELECT %s, slot, %s, page FROM notebooks_posting"
            " WHERE space_id = %s AND segment_id = %s",
            [other, copy, space, segment],
        )


def _ask(
    space: int, versions: Sequence[tuple[int, str]], questions: Sequence[str]
) -> tuple[float, float]:
    """Median and 95th percentile of the milliseconds that a search takes."""
    for question in questions[:_WARM_UP]:
        index.search(space, versions, question, limit=_HITS)
    taken: list[float] = []
    for question in questions:
        start = time.perf_counter()
        index.search(space, versions, question, limit=_HITS)
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken), statistics.quantiles(taken, n=20)[-1]


def _reference() -> float:
    """Median milliseconds of counting to 100,000 in Python: how fast the machine is just now."""
    taken: list[float] = []
    for _ in range(_QUESTIONS):
        start = time.perf_counter()
        sum(number for number in range(100_000))
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def _chunks_stored() -> int:
    return sum(SegmentLengths.objects.values_list("chunk_count", flat=True))


def _stored_bytes() -> int:
    """What both tables and their indexes take, without room left by rows that went."""
    if connection.vendor == "postgresql":
        return _one_number(
            "SELECT pg_total_relation_size('notebooks_posting')"
            " + pg_total_relation_size('notebooks_segmentlengths')",
            before="VACUUM FULL notebooks_posting, notebooks_segmentlengths",
        )
    return _one_number(
        "SELECT (page_count - freelist_count) * page_size"
        " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
    )


def _one_number(statement: str, before: str = "") -> int:
    with connection.cursor() as cursor:
        if before:
            cursor.execute(before)
        cursor.execute(statement)
        return int(cursor.fetchone()[0])
