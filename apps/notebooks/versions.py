"""Writing source versions: rows in short transactions, visible only when whole."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Protocol

from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.notebooks.models import Chunk, SourceVersion

ROWS_PER_WRITE = 500


class Passage(Protocol):
    """A chunk as an extractor gives it: offsets in its part, text and locator."""

    @property
    def ordinal(self) -> int: ...
    @property
    def part(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def locator(self) -> Mapping[str, Any]: ...
    @property
    def lines(self) -> Sequence[Any]: ...


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """What is known of a version besides its passages."""

    source_id: uuid.UUID
    content_hash: str
    extractor: str
    media_type: str
    language: str
    title: str
    stored_file_id: int
    page_count: int | None
    part_count: int
    chunk_count: int
    word_count: int
    notes: list[dict[str, Any]]
    fetched_at: datetime | None = None
    final_url: str = ""


def find_version(source_id: uuid.UUID, content_hash: str, extractor: str) -> SourceVersion | None:
    """The complete version of exactly this content read by exactly this extractor."""
    return SourceVersion.objects.filter(
        source_id=source_id,
        content_hash=content_hash,
        extractor=extractor,
        completed_at__isnull=False,
    ).first()


def version_of(version_id: int) -> SourceVersion:
    """A complete version by its id."""
    return SourceVersion.objects.get(id=version_id, completed_at__isnull=False)


def store_version(facts: VersionFacts, passages: Iterable[Passage]) -> SourceVersion:
    """A complete version with these passages; the one another worker finished first, if so.

    Written in short transactions of 500 rows. Until the last line the version is invisible;
    what a killed worker leaves is removed later as abandoned.
    """
    version = SourceVersion.objects.create(
        source_id=facts.source_id,
        content_hash=facts.content_hash,
        extractor=facts.extractor,
        media_type=facts.media_type,
        language=facts.language,
        title=facts.title[:300],
        stored_file_id=facts.stored_file_id,
        page_count=facts.page_count,
        part_count=facts.part_count,
        chunk_count=facts.chunk_count,
        word_count=facts.word_count,
        notes=facts.notes,
        fetched_at=facts.fetched_at,
        final_url=facts.final_url,
    )
    for batch in _batches(passages):
        Chunk.objects.bulk_create(_row(version, passage) for passage in batch)
    return _complete(version)


def _batches(passages: Iterable[Passage]) -> Iterator[list[Passage]]:
    rest = iter(passages)
    while batch := list(islice(rest, ROWS_PER_WRITE)):
        yield batch


def _row(version: SourceVersion, passage: Passage) -> Chunk:
    return Chunk(
        version=version,
        ordinal=passage.ordinal,
        part=passage.part,
        start=passage.start,
        end=passage.end,
        text=passage.text,
        locator=dict(passage.locator),
        lines=[
            [line.start, line.end, line.x0, line.y0, line.x1, line.y1] for line in passage.lines
        ],
    )


def _complete(version: SourceVersion) -> SourceVersion:
    try:
        with transaction.atomic():
            version.completed_at = timezone.now()
            version.save(update_fields=["completed_at"])
    except IntegrityError:
        first = find_version(version.source_id, version.content_hash, version.extractor)
        if first is None:
            raise
        SourceVersion.objects.filter(id=version.id).delete()
        return first
    return version


def texts_of(version_id: int) -> Iterator[tuple[int, str]]:
    """(ordinal, text) of each chunk in order, read in bounded batches."""
    rows = Chunk.objects.filter(version_id=version_id).order_by("ordinal")
    yield from rows.values_list("ordinal", "text").iterator(chunk_size=ROWS_PER_WRITE)
