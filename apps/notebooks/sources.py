"""The sources of a notebook now, with what was last seen of each."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Coalesce
from django.utils import timezone

from apps.library.holdings import Holding, holdings_of
from apps.notebooks.models import (
    FailedReading,
    Fingerprint,
    Notebook,
    NotebookResource,
    Source,
    SourceVersion,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was last seen of a source, and the version that came out of it.

    `content_hash` is that of the file's bytes, or of a web page's text; `body_sha256` is
    that of the bytes the version was read from.
    """

    version_id: int
    content_hash: str
    body_sha256: str
    extractor: str
    etag: str
    last_modified: str
    checks_since_full: int
    checked_at: datetime


@dataclass(frozen=True, slots=True)
class Fault:
    """A lasting fault of a source: what its file was, and which readers had tried."""

    content_hash: str
    readers: str
    reason: str
    detail: str
    failed_at: datetime


@dataclass(frozen=True, slots=True)
class MemberSource:
    """A source that belongs to a notebook now."""

    id: uuid.UUID
    holding: Holding
    seen: Seen | None
    fault: Fault | None

    @property
    def is_link(self) -> bool:
        """Whether it is a web address."""
        return self.holding.link_id is not None


def member_sources(notebook: Notebook) -> list[MemberSource]:
    """Every attachment and link of the notebook's resources, each with its lasting identity.

    Makes the Source rows that are missing. A constant number of queries.
    """
    members = NotebookResource.objects.filter(notebook=notebook)
    held = holdings_of(list(members.values_list("resource_id", flat=True)))
    ids = _identities(notebook.vault_id, held)
    seen, faults = _seen(ids.values()), _faults(ids.values())
    return [_member(ids[_place(one)], one, seen, faults) for one in held]


def _member(
    source_id: uuid.UUID,
    holding: Holding,
    seen: dict[uuid.UUID, Seen],
    faults: dict[uuid.UUID, Fault],
) -> MemberSource:
    return MemberSource(source_id, holding, seen.get(source_id), faults.get(source_id))


def _place(holding: Holding) -> uuid.UUID:
    place = holding.attachment_id or holding.link_id
    if place is None:
        raise ValueError("a holding is an attachment or a link")
    return place


def _identities(vault_id: uuid.UUID, held: list[Holding]) -> dict[uuid.UUID, uuid.UUID]:
    """The Source id of each attachment and link, made where it is missing."""
    known = _known(held)
    missing = [one for one in held if _place(one) not in known]
    if not missing:
        return known
    # Another notebook may be making the same rows; the unique columns decide who was first.
    Source.objects.bulk_create(
        (
            Source(
                vault_id=vault_id,
                resource_id=one.resource_id,
                attachment_id=one.attachment_id,
                link_id=one.link_id,
            )
            for one in missing
        ),
        ignore_conflicts=True,
    )
    return _known(held)


def _known(held: list[Holding]) -> dict[uuid.UUID, uuid.UUID]:
    resources = {one.resource_id for one in held}
    rows = Source.objects.filter(resource_id__in=resources).annotate(
        place=Coalesce("attachment_id", "link_id")
    )
    return dict(rows.values_list("place", "id"))


def _seen(source_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, Seen]:
    prints = Fingerprint.objects.filter(source_id__in=source_ids).select_related(
        "version__stored_file"
    )
    return {one.source_id: _as_seen(one) for one in prints}


def _faults(source_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, Fault]:
    rows = FailedReading.objects.filter(source_id__in=source_ids)
    return {
        row.source_id: Fault(row.content_hash, row.readers, row.reason, row.detail, row.failed_at)
        for row in rows
    }


def _as_seen(fingerprint: Fingerprint) -> Seen:
    return Seen(
        version_id=fingerprint.version_id,
        content_hash=fingerprint.content_hash,
        body_sha256=fingerprint.version.stored_file.sha256,
        extractor=fingerprint.version.extractor,
        etag=fingerprint.etag,
        last_modified=fingerprint.last_modified,
        checks_since_full=fingerprint.checks_since_full,
        checked_at=fingerprint.checked_at,
    )


def remember(
    source_id: uuid.UUID,
    version: SourceVersion,
    *,
    etag: str = "",
    last_modified: str = "",
    checks_since_full: int = 0,
) -> None:
    """Writes down what was just seen of a source; both validators are replaced together."""
    forget_fault(source_id)
    Fingerprint.objects.update_or_create(
        source_id=source_id,
        defaults={
            "version": version,
            "content_hash": version.content_hash,
            "etag": etag[:300],
            "last_modified": last_modified[:100],
            "checks_since_full": checks_since_full,
            "checked_at": timezone.now(),
        },
    )


def remember_fault(source: MemberSource, *, readers: str, reason: str, detail: str) -> None:
    """Writes down a lasting fault, so that the next runs need not try the same again."""
    FailedReading.objects.update_or_create(
        source_id=source.id,
        defaults={
            "content_hash": source.holding.sha256,
            "readers": readers,
            "reason": reason,
            "detail": detail[:500],
            "failed_at": timezone.now(),
        },
    )


def forget_fault(source_id: uuid.UUID) -> None:
    """The source could be read after all."""
    FailedReading.objects.filter(source_id=source_id).delete()


def remember_unchanged(source_id: uuid.UUID) -> None:
    """Writes down that a source was asked and had not changed."""
    fingerprint = Fingerprint.objects.get(source_id=source_id)
    fingerprint.checks_since_full += 1
    fingerprint.checked_at = timezone.now()
    fingerprint.save(update_fields=["checks_since_full", "checked_at"])
