"""How the sources of a notebook stand: written while it is being read."""

import uuid
from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from apps.notebooks.models import NotebookResource, SourceState
from apps.notebooks.values import SourceStatus, resource_status

DETAIL_LIMIT = 500


def expect_sources(notebook_id: uuid.UUID, source_ids: Collection[uuid.UUID]) -> None:
    """Makes the missing rows as pending and removes those of sources that are gone."""
    rows = SourceState.objects.filter(notebook_id=notebook_id)
    rows.exclude(source_id__in=source_ids).delete()
    known = set(rows.values_list("source_id", flat=True))
    SourceState.objects.bulk_create(
        (
            SourceState(notebook_id=notebook_id, source_id=source_id)
            for source_id in source_ids
            if source_id not in known
        ),
        ignore_conflicts=True,
    )


def mark_reading(notebook_id: uuid.UUID, source_id: uuid.UUID) -> None:
    """The source is in hand."""
    _write(notebook_id, source_id, {"state": SourceStatus.INDEXING})


def mark_available(notebook_id: uuid.UUID, source_id: uuid.UUID, version_id: int) -> None:
    """The source is in the draft at this version."""
    _write(
        notebook_id,
        source_id,
        {
            "state": SourceStatus.AVAILABLE,
            "reason": "",
            "detail": "",
            "version_id": version_id,
            "last_checked_at": timezone.now(),
        },
    )


def mark_failed(
    notebook_id: uuid.UUID,
    source_id: uuid.UUID,
    *,
    reason: str,
    detail: str,
    kept_version_id: int | None,
) -> None:
    """The source could not be read: stale when an older version stays in use, else error."""
    _write(
        notebook_id,
        source_id,
        {
            "state": SourceStatus.STALE if kept_version_id else SourceStatus.ERROR,
            "reason": reason,
            "detail": detail[:DETAIL_LIMIT],
            "version_id": kept_version_id,
            "last_checked_at": timezone.now(),
        },
    )


def mark_interrupted(notebook_id: uuid.UUID) -> None:
    """After a run that was stopped: what was in hand waits again, or stays as it was in use."""
    in_hand = SourceState.objects.filter(notebook_id=notebook_id, state=SourceStatus.INDEXING)
    resource_ids = set(in_hand.values_list("source__resource_id", flat=True))
    in_hand.filter(version__isnull=False).update(state=SourceStatus.AVAILABLE)
    in_hand.filter(version__isnull=True).update(state=SourceStatus.PENDING)
    for resource_id in resource_ids:
        _summarise(notebook_id, resource_id)


def _write(notebook_id: uuid.UUID, source_id: uuid.UUID, values: dict[str, object]) -> None:
    with transaction.atomic():
        # The row is gone when the resource was removed meanwhile; then there is nothing to say.
        row = SourceState.objects.select_related("source").filter(
            notebook_id=notebook_id, source_id=source_id
        )
        state = row.first()
        if state is None:
            return
        row.update(**values)
        _summarise(notebook_id, state.source.resource_id)


def _summarise(notebook_id: uuid.UUID, resource_id: uuid.UUID) -> None:
    states = SourceState.objects.filter(
        notebook_id=notebook_id, source__resource_id=resource_id
    ).values_list("state", flat=True)
    status = resource_status([SourceStatus(state) for state in states])
    member = NotebookResource.objects.filter(notebook_id=notebook_id, resource_id=resource_id)
    changes: dict[str, object] = {"state": status}
    if status is not SourceStatus.INDEXING:
        changes["last_checked_at"] = timezone.now()
    member.update(**changes)
