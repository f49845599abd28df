"""The life of a revision: begun as a draft, filled, activated in one transaction, pinned, pruned."""

import uuid
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.utils import timezone

from apps.notebooks import index
from apps.notebooks.models import (
    Chunk,
    Fingerprint,
    Notebook,
    NotebookResource,
    Revision,
    RevisionPin,
    RevisionSource,
    SourceVersion,
)
from apps.notebooks.values import RevisionState

Guard = Callable[[], None]


class NotActivatable(Exception):
    """The draft must not become active: another took its place, or its counts differ."""


def begin(notebook_id: uuid.UUID, *, job_id: int, fence: int) -> Revision:
    """The draft to work on: the one a killed worker left, when it still fits, or a new one.

    A draft fits when it was begun by the same job and the active revision has not moved since.
    """
    with transaction.atomic():
        notebook = Notebook.objects.select_for_update().get(id=notebook_id)
        draft = notebook.revisions.filter(state=RevisionState.BUILDING).first()
        if draft is not None and _fits(draft, notebook, job_id):
            draft.fence = fence
            draft.save(update_fields=["fence"])
            return draft
        if draft is not None:
            _close(draft, RevisionState.FAILED, {"reason": "abandoned"})
        return Revision.objects.create(
            notebook=notebook, base=notebook.active_revision, job_id=job_id, fence=fence
        )


def _fits(draft: Revision, notebook: Notebook, job_id: int) -> bool:
    return draft.job_id == job_id and draft.base_id == notebook.active_revision_id


def held_sources(draft: Revision) -> dict[uuid.UUID, int]:
    """The sources the draft already holds, each with the id of its version."""
    return dict(draft.entries.values_list("source_id", "version_id"))


def add(draft: Revision, source_id: uuid.UUID, version_id: int) -> None:
    """Puts a complete, indexed version of a source into the draft."""
    RevisionSource.objects.update_or_create(
        revision=draft, source_id=source_id, defaults={"version_id": version_id}
    )


def drop(draft: Revision, source_ids: set[uuid.UUID]) -> None:
    """Takes sources out of the draft again."""
    draft.entries.filter(source_id__in=source_ids).delete()


def is_unchanged(draft: Revision) -> bool:
    """Whether the draft holds exactly what the revision it was begun from holds."""
    if draft.base_id is None:
        return False
    return held_sources(draft) == dict(
        RevisionSource.objects.filter(revision_id=draft.base_id).values_list(
            "source_id", "version_id"
        )
    )


def activate(draft: Revision, *, assert_lease: Guard, report: dict[str, Any]) -> Revision:
    """Makes the draft the notebook's active revision, all of it at once or not at all.

    `assert_lease` raises when this worker has lost the job or was told to stop; it is asked
    inside the transaction. Raises NotActivatable when the active revision moved meanwhile or
    when stored or indexed chunks are fewer or more than the versions say.
    """
    with transaction.atomic():
        notebook = Notebook.objects.select_for_update().get(id=draft.notebook_id)
        assert_lease()
        draft.refresh_from_db()
        if draft.state != RevisionState.BUILDING or draft.base_id != notebook.active_revision_id:
            raise NotActivatable("the active revision moved")
        totals = _counted(draft, notebook)
        notebook.last_revision_number += 1
        notebook.active_revision = draft
        notebook.last_checked_at = timezone.now()
        draft.number = notebook.last_revision_number
        draft.source_count = totals["sources"]
        draft.chunk_count = totals["chunks"]
        draft.word_count = totals["words"]
        draft.state = RevisionState.COMPLETE
        draft.report = report
        draft.finished_at = timezone.now()
        draft.save()
        notebook.save(
            update_fields=[
                "last_revision_number",
                "active_revision",
                "last_checked_at",
                "updated_at",
            ]
        )
    return draft


def _counted(draft: Revision, notebook: Notebook) -> dict[str, int]:
    """The totals of the draft; raises NotActivatable when what is stored disagrees with them."""
    totals = draft.entries.aggregate(
        sources=Count("id"),
        chunks=Sum("version__chunk_count", default=0),
        words=Sum("version__word_count", default=0),
        incomplete=Count("id", filter=Q(version__completed_at__isnull=True)),
    )
    version_ids = list(draft.entries.values_list("version_id", flat=True))
    stored = Chunk.objects.filter(version_id__in=draft.entries.values("version_id")).count()
    indexed = index.indexed_count(notebook.index_space.pk, version_ids)
    if totals["incomplete"] or not stored == indexed == totals["chunks"]:
        raise NotActivatable(f"{totals['chunks']} chunks said, {stored} stored, {indexed} indexed")
    return totals


def conclude(draft: Revision, state: RevisionState, report: dict[str, Any]) -> None:
    """Ends a draft that does not become active; its finished versions stay for reuse."""
    with transaction.atomic():
        notebook = Notebook.objects.select_for_update().get(id=draft.notebook_id)
        current = notebook.revisions.filter(id=draft.id, state=RevisionState.BUILDING).first()
        if current is None:
            return
        _close(current, state, report)
        if state is RevisionState.UNCHANGED:
            notebook.last_checked_at = timezone.now()
            notebook.save(update_fields=["last_checked_at"])


def _close(draft: Revision, state: RevisionState, report: dict[str, Any]) -> None:
    draft.entries.all().delete()
    draft.state = state
    draft.report = report
    draft.finished_at = timezone.now()
    draft.save(update_fields=["state", "report", "finished_at"])


def pin(revision_id: int, holder_kind: RevisionPin.Holder, holder_id: uuid.UUID) -> None:
    """Keeps a revision for as long as the holder exists; call in the holder's transaction."""
    RevisionPin.objects.get_or_create(
        revision_id=revision_id, holder_kind=holder_kind, holder_id=holder_id
    )


def release(holder_kind: RevisionPin.Holder, holder_ids: list[uuid.UUID]) -> None:
    """Lets go of everything these holders pinned."""
    RevisionPin.objects.filter(holder_kind=holder_kind, holder_id__in=holder_ids).delete()


def prune(notebook_id: uuid.UUID, *, completed: int, audit: int) -> int:
    """Removes what retention does not keep; gives the number of versions that went.

    Kept: the active revision, the newest `completed` complete ones, every pinned one, the
    newest `audit` records of other runs, and a draft. A version goes when no revision holds
    it and no source would reuse it.
    """
    with transaction.atomic():
        notebook = Notebook.objects.select_for_update().get(id=notebook_id)
        old = _beyond_retention(notebook, completed, audit)
        released = set(
            RevisionSource.objects.filter(revision_id__in=old).values_list("version_id", flat=True)
        )
        RevisionSource.objects.filter(revision_id__in=old).delete()
        Revision.objects.filter(id__in=old).delete()
        _forget_segments(notebook, released)
    return remove_orphaned_versions(released)


def _beyond_retention(notebook: Notebook, completed: int, audit: int) -> list[int]:
    runs = notebook.revisions.exclude(state=RevisionState.BUILDING).order_by("-id")
    finished = runs.filter(state=RevisionState.COMPLETE)
    others = runs.exclude(state=RevisionState.COMPLETE)
    kept = set(finished.values_list("id", flat=True)[:completed])
    kept.update(others.values_list("id", flat=True)[:audit])
    kept.update(
        RevisionPin.objects.filter(revision__notebook=notebook).values_list(
            "revision_id", flat=True
        )
    )
    kept.add(notebook.active_revision_id or 0)
    # A draft remembers what it was begun from; that revision must outlive it.
    bases = notebook.revisions.filter(state=RevisionState.BUILDING).values_list(
        "base_id", flat=True
    )
    kept.update(base for base in bases if base)
    return [number for number in runs.values_list("id", flat=True) if number not in kept]


def _forget_segments(notebook: Notebook, version_ids: set[int]) -> None:
    still_held = set(
        RevisionSource.objects.filter(
            revision__notebook=notebook, version_id__in=version_ids
        ).values_list("version_id", flat=True)
    )
    index.drop_segments(notebook.index_space.pk, sorted(version_ids - still_held))


def remove_orphaned_versions(version_ids: Collection[int]) -> int:
    """Deletes those of these versions that no revision holds and no member source would reuse."""
    member = NotebookResource.objects.filter(resource_id=OuterRef("source__resource_id"))
    reusable = Fingerprint.objects.filter(version_id=OuterRef("pk"))
    orphans = (
        SourceVersion.objects.filter(id__in=version_ids, completed_at__isnull=False)
        .exclude(Exists(RevisionSource.objects.filter(version_id=OuterRef("pk"))))
        .exclude(Exists(reusable) & Exists(member))
    )
    with transaction.atomic():
        ids = list(orphans.values_list("id", flat=True))
        Fingerprint.objects.filter(version_id__in=ids).delete()
        Chunk.objects.filter(version_id__in=ids).delete()
        SourceVersion.objects.filter(id__in=ids).delete()
    return len(ids)


def remove_abandoned_versions(older_than: datetime) -> int:
    """Deletes versions whose writing was begun before `older_than` and never completed."""
    abandoned = SourceVersion.objects.filter(completed_at__isnull=True, created_at__lt=older_than)
    return abandoned.delete()[0]
