"""What records hold to read: their attachments and links, and nothing else of them."""

import uuid
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from apps.library import storage
from apps.library.models import Attachment, Link, StoredFile


@dataclass(frozen=True, slots=True)
class Holding:
    """One attachment or one link of a record; `sha256` and `stored_file_id` only of files."""

    resource_id: uuid.UUID
    resource_title: str
    attachment_id: uuid.UUID | None
    link_id: uuid.UUID | None
    filename: str
    url: str
    stored_file_id: int | None
    sha256: str


def holdings_of(resource_ids: Collection[uuid.UUID]) -> list[Holding]:
    """All live attachments and links of these live records, in a stable order. Two queries."""
    attachments = Attachment.objects.filter(
        resource_id__in=resource_ids,
        deleted_at__isnull=True,
        resource__deleted_at__isnull=True,
        resource__is_template=False,
    ).select_related("resource", "stored_file")
    links = Link.objects.filter(
        resource_id__in=resource_ids,
        deleted_at__isnull=True,
        resource__deleted_at__isnull=True,
        resource__is_template=False,
    ).select_related("resource")
    held = [_of_attachment(row) for row in attachments] + [_of_link(row) for row in links]
    return sorted(
        held, key=lambda one: (one.resource_title, str(one.resource_id), one.filename, one.url)
    )


def _of_attachment(row: Attachment) -> Holding:
    return Holding(
        resource_id=row.resource_id,
        resource_title=row.resource.title,
        attachment_id=row.id,
        link_id=None,
        filename=row.filename,
        url="",
        stored_file_id=row.stored_file_id,
        sha256=row.stored_file.sha256,
    )


def _of_link(row: Link) -> Holding:
    return Holding(
        resource_id=row.resource_id,
        resource_title=row.resource.title,
        attachment_id=None,
        link_id=row.id,
        filename="",
        url=row.url,
        stored_file_id=None,
        sha256="",
    )


def stored_file(stored_file_id: int) -> StoredFile:
    """The row of a stored file."""
    return StoredFile.objects.get(id=stored_file_id)


def local_copy(stored: StoredFile) -> AbstractContextManager[Path]:
    """A readable path with the bytes of a stored file, for as long as the context lasts."""
    return storage.local_copy(stored)


def keep_file(vault_id: uuid.UUID, path: Path, filename: str) -> StoredFile:
    """Keeps the bytes of a local file under their hash; the same content is kept once."""
    with path.open("rb") as source:
        return storage.store_file(vault_id, iter(lambda: source.read(1 << 20), b""), filename)
