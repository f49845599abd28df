"""What people do with notebooks. Takes loaded, authorized objects; checks their state."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.common.errors import Conflict, Invalid
from apps.jobs import actions as jobs
from apps.jobs.values import CancelOutcome
from apps.library import access as library_access
from apps.notebooks import index, revisions
from apps.notebooks.models import (
    IndexSpace,
    Notebook,
    NotebookResource,
    Revision,
    RevisionPin,
    RevisionSource,
    SourceState,
)
from apps.notebooks.values import (
    INGEST,
    ConversationMode,
    GroundingPolicy,
    SourceStatus,
    Visibility,
)
from apps.vaults import access as vault_access
from apps.vaults import audit
from apps.vaults.actor import Actor
from apps.vaults.roles import Capability

MAX_RESOURCES_PER_REQUEST = 1000
MAX_TITLE = 160
MIN_SECONDS_BETWEEN_CHECKS = 60


@dataclass(frozen=True, slots=True)
class NotebookDraft:
    """What a new notebook is made from."""

    title: str
    visibility: Visibility
    conversation_mode: ConversationMode
    resource_ids: Sequence[uuid.UUID]


def create_notebook(actor: Actor, draft: NotebookDraft) -> Notebook:
    """A new notebook whose resources are waiting to be read.

    Raises Forbidden for readers, Invalid for a missing title or unusable resources.
    """
    vault_access.require(actor, Capability.NOTEBOOK_CREATE)
    table = library_access.references_table_for(actor, Capability.LIBRARY_READ)
    title = _usable_title(draft.title)
    resource_ids = _usable_resources(actor, draft.resource_ids)
    with transaction.atomic():
        notebook = Notebook.objects.create(
            vault_id=actor.vault_id,
            workspace_id=actor.workspace_id,
            table=table,
            title=title,
            visibility=draft.visibility,
            conversation_mode=draft.conversation_mode,
            created_by_id=actor.user_id,
        )
        IndexSpace.objects.create(notebook=notebook)
        _join(notebook, resource_ids, by=actor)
        _audit("notebook_created", notebook, actor, resources=len(resource_ids))
        enqueue_refresh(notebook)
    return notebook


def add_resources(notebook: Notebook, resource_ids: Sequence[uuid.UUID], *, by: Actor) -> int:
    """Puts more resources in, those already there once; gives how many are new.

    Raises Conflict when the vault's References table is no longer the notebook's own.
    """
    table = library_access.references_table_for(by, Capability.LIBRARY_READ)
    if table.id != notebook.table_id:
        raise Conflict(
            _("This notebook belongs to another table than the one configured now."),
            code="other_table",
        )
    usable = _usable_resources(by, resource_ids)
    with transaction.atomic():
        Notebook.objects.select_for_update().get(id=notebook.id)
        added = _join(notebook, usable, by=by)
        _audit("resources_added", notebook, by, resources=added)
        enqueue_refresh(notebook)
    return added


def remove_resource(notebook: Notebook, resource_id: uuid.UUID, *, by: Actor) -> None:
    """Takes a resource out at once; absent ones are Invalid so that a slip is seen."""
    with transaction.atomic():
        Notebook.objects.select_for_update().get(id=notebook.id)
        removed, _kinds = notebook.members.filter(resource_id=resource_id).delete()
        if not removed:
            raise Invalid(_("This resource is not in the notebook."), code="not_a_member")
        SourceState.objects.filter(notebook=notebook, source__resource_id=resource_id).delete()
        _audit("resource_removed", notebook, by, resource=str(resource_id))
        enqueue_refresh(notebook)


def refresh(notebook: Notebook, *, by: Actor) -> None:
    """Compares every source with the active revision, soon; triggers merge into one run."""
    with transaction.atomic():
        _audit("refresh_requested", notebook, by)
        enqueue_refresh(notebook)


def check_freshness(notebook: Notebook) -> None:
    """Queues a comparison when the last one is over a minute ago; for openings and questions."""
    last = notebook.last_checked_at
    if last is None or timezone.now() - last < timedelta(seconds=MIN_SECONDS_BETWEEN_CHECKS):
        return
    with transaction.atomic():
        enqueue_refresh(notebook)


def retry_resource(notebook: Notebook, resource_id: uuid.UUID) -> None:
    """Reads one resource again, whatever its fingerprints say, and reuses all others."""
    with transaction.atomic():
        asked = notebook.members.filter(resource_id=resource_id).update(state=SourceStatus.PENDING)
        if not asked:
            raise Invalid(_("This resource is not in the notebook."), code="not_a_member")
        enqueue_refresh(notebook, force=resource_id)


def cancel_refresh(notebook: Notebook) -> None:
    """Asks the running or waiting work to stop; Conflict when nothing runs or waits."""
    if jobs.request_cancel(INGEST, str(notebook.id)) is CancelOutcome.OVER:
        raise Conflict(_("Nothing is being read right now."), code="nothing_runs")


def change_settings(notebook: Notebook, changes: dict[str, str], *, by: Actor) -> Notebook:
    """Changes title, visibility, conversation mode or grounding policy."""
    with transaction.atomic():
        locked = Notebook.objects.select_for_update().get(id=notebook.id)
        before = {name: getattr(locked, name) for name in changes}
        for name, value in changes.items():
            setattr(locked, name, _SETTINGS[name](value))
        locked.save(update_fields=[*changes, "updated_at"])
        if "visibility" in changes:
            _audit("visibility_changed", locked, by, before=before["visibility"])
    return locked


def delete_notebook(notebook: Notebook, *, by: Actor) -> None:
    """Removes the notebook with all that was derived for it; original records stay.

    What conversations hold is removed by their own rows' cascade.
    """
    jobs.request_cancel(INGEST, str(notebook.id))
    with transaction.atomic():
        locked = Notebook.objects.select_for_update().get(id=notebook.id)
        held = RevisionSource.objects.filter(revision__notebook=locked)
        version_ids = set(held.values_list("version_id", flat=True))
        index.drop_segments(locked.index_space.pk, sorted(version_ids))
        RevisionPin.objects.filter(revision__notebook=locked).delete()
        held.delete()
        Notebook.objects.filter(id=locked.id).update(active_revision=None)
        Revision.objects.filter(notebook=locked).delete()
        _audit("notebook_deleted", locked, by)
        locked.delete()
    revisions.remove_orphaned_versions(version_ids)


def enqueue_refresh(notebook: Notebook, *, force: uuid.UUID | None = None) -> None:
    """Puts the run into the queue; call inside the transaction of what made it needed.

    `force` names a resource to read again even if it looks unchanged. Runs that merge keep
    each other's.
    """
    payload = {"force": [str(force)]} if force else {}
    jobs.enqueue(INGEST, str(notebook.id), payload, vault_id=notebook.vault_id)


def _usable_title(title: str) -> str:
    clean = " ".join(title.split())
    if not 1 <= len(clean) <= MAX_TITLE:
        raise Invalid(
            _("A notebook needs a title."),
            fields={"title": [_("From 1 to %(most)s characters.") % {"most": MAX_TITLE}]},
        )
    return clean


_SETTINGS = {
    "title": _usable_title,
    "visibility": Visibility,
    "conversation_mode": ConversationMode,
    "grounding_policy": GroundingPolicy,
}


def _usable_resources(actor: Actor, wanted: Sequence[uuid.UUID]) -> list[uuid.UUID]:
    """The wanted ids in order, each once; Invalid unless all are records with something to read."""
    ids = list(dict.fromkeys(wanted))
    if not 1 <= len(ids) <= MAX_RESOURCES_PER_REQUEST:
        raise Invalid(
            _("Choose from 1 to %(most)s records.") % {"most": MAX_RESOURCES_PER_REQUEST},
            fields={"resource_ids": [_("Choose at least one record.")]},
        )
    usable = library_access.resources_visible_to(actor).filter(id__in=ids, has_sources=True)
    if usable.count() != len(ids):
        raise Invalid(
            _("Some of these records are gone or have nothing to read."),
            fields={"resource_ids": [_("Look at the selection again.")]},
        )
    return ids


def _join(notebook: Notebook, resource_ids: Sequence[uuid.UUID], *, by: Actor) -> int:
    present = set(notebook.members.values_list("resource_id", flat=True))
    new = [resource_id for resource_id in resource_ids if resource_id not in present]
    NotebookResource.objects.bulk_create(
        NotebookResource(notebook=notebook, resource_id=resource_id, added_by_id=by.user_id)
        for resource_id in new
    )
    return len(new)


def _audit(action: str, notebook: Notebook, actor: Actor, **detail: object) -> None:
    audit.record(
        action,
        vault_id=notebook.vault_id,
        actor_id=actor.user_id,
        object_kind="notebook",
        object_id=notebook.id,
        **detail,
    )
