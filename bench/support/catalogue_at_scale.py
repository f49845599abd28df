"""A References table with many records, and how long its selector takes for a reader."""

import json
import random
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from itertools import islice, product

from django.utils import translation

from apps.accounts.models import User
from apps.library.actions import create_references_table
from apps.library.models import Facet, Link, Resource, Table
from apps.library.queries import selector_page
from apps.library.tables import LINKS, evidence_field
from apps.vaults.actions import create_vault, join_workspace
from apps.vaults.actor import Actor, actor_for
from apps.vaults.roles import VaultRole, WorkspaceRole

AUTHORS, TAGS, BATCH, ROUNDS = 5_000, 300, 5_000, 25
_SYLLABLES = ("ai", "ber", "cal", "dor", "en", "fra", "gos", "hi", "lum", "mar", "nét", "pol", "ri")
WORDS = tuple("".join(parts) for parts in product(_SYLLABLES, repeat=3))


def measure(records: int) -> None:
    """Fills the present database and prints p50 and p95 of each kind of question as JSON."""
    reader = _reader_of(records)
    with translation.override("ca"):
        print(json.dumps({name: _times(ask) for name, ask in _questions(reader, records).items()}))


def _reader_of(records: int) -> Actor:
    """Somebody who only reads, in a workspace with this many records."""
    owner = User.objects.create_user("owner@example.org", name="Owner")
    reader = User.objects.create_user("reader@example.org", name="Reader")
    workspace = create_vault("Vault", "Workspace", owner=owner)
    join_workspace(workspace, reader, VaultRole.MEMBER, WorkspaceRole.READER)
    _fill(create_references_table(workspace), records)
    return actor_for(reader)


def _fill(table: Table, records: int) -> None:
    field = evidence_field(table, LINKS)
    made = _records(table, records)
    while batch := list(islice(made, BATCH)):
        Resource.objects.bulk_create(batch)
        Facet.objects.bulk_create(facet for record in batch for facet in _facets(record))
        Link.objects.bulk_create(
            Link(resource=record, field=field, url=f"https://example.org/{record.id}")
            for record in batch
            if record.has_sources
        )


def _records(table: Table, count: int) -> Iterator[Resource]:
    dice = random.Random(17)
    kinds = Resource.Kind.values
    for number in range(count):
        record = Resource(
            id=uuid.UUID(int=dice.getrandbits(128), version=4),
            table=table,
            title=" ".join(dice.choices(WORDS, k=dice.randint(3, 9))).capitalize(),
            kind=dice.choice(kinds),
            authors=[f"Author {min(int(dice.expovariate(0.002)), AUTHORS)}"],
            tags=[f"tag {min(int(dice.expovariate(0.02)), TAGS)}" for _ in range(2)],
            year=dice.randint(1950, 2026),
            has_sources=number % 20 != 0,
        )
        record.prepare_lookup()
        yield record


def _facets(record: Resource) -> list[Facet]:
    names = Facet.Name
    values = {(names.KIND, record.kind)}
    values |= {(names.AUTHOR, author) for author in record.authors}
    values |= {(names.TAG, tag) for tag in record.tags}
    return [
        Facet(
            table_id=record.table_id,
            resource=record,
            name=name,
            value=value,
            is_offered=record.has_sources,
        )
        for name, value in sorted(values)
    ]


def _questions(reader: Actor, records: int) -> dict[str, Callable[[], object]]:
    last = max(1, records * 19 // 20 // 200)
    word = WORDS[7]
    return {
        "first page": lambda: selector_page(reader, page_size=200),
        "last page": lambda: selector_page(reader, page=last, page_size=200),
        "one word": lambda: selector_page(reader, q=word),
        "three words": lambda: selector_page(reader, q=" ".join(WORDS[3:6])),
        "no match": lambda: selector_page(reader, q="zzzzqqqq"),
        "one kind": lambda: selector_page(reader, kind="report"),
        "kind, tag and word": lambda: selector_page(reader, q=word, kind="law", tag="tag 3"),
        "one author": lambda: selector_page(reader, author="Author 40"),
    }


def _times(ask: Callable[[], object]) -> tuple[float, float]:
    """p50 and p95 in milliseconds, after one question that warms the caches."""
    ask()
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]
