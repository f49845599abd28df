"""May this actor do that with a notebook, and which notebooks may they see."""

import uuid

from django.db.models import Q
from django.utils.translation import gettext as _

from apps.common.errors import Forbidden, NotFound
from apps.notebooks.models import Notebook
from apps.notebooks.models.notebook import NotebookQuerySet
from apps.notebooks.values import Visibility
from apps.vaults.actor import Actor
from apps.vaults.roles import Capability, WorkspaceRole


def notebooks_visible_to(actor: Actor) -> NotebookQuerySet:
    """The notebooks an actor may find: those of the workspace, and private ones they created.

    A private notebook is invisible to everybody else, vault owners and staff included.
    """
    return Notebook.objects.filter(
        Q(visibility=Visibility.WORKSPACE) | Q(created_by=actor.user_id),
        workspace_id=actor.workspace_id,
        vault_id=actor.vault_id,
    )


def notebook_for(actor: Actor, notebook_id: uuid.UUID, capability: Capability) -> Notebook:
    """The notebook, with its active revision and creator loaded.

    Raises NotFound when the actor may not see it, Forbidden when they may see it but lack
    the capability.
    """
    notebook = (
        notebooks_visible_to(actor)
        .select_related("active_revision", "created_by")
        .filter(id=notebook_id)
        .first()
    )
    if notebook is None:
        raise NotFound
    if not may(actor, notebook, capability):
        raise Forbidden(_("You may read this notebook, but not change it or ask in it."))
    return notebook


def may(actor: Actor, notebook: Notebook, capability: Capability) -> bool:
    """Whether an actor who sees the notebook also has the capability on it."""
    if notebook.created_by_id == actor.user_id:
        return True
    if capability is Capability.NOTEBOOK_CHAT:
        return actor.workspace_role is WorkspaceRole.EDITOR
    return capability is Capability.NOTEBOOK_READ


def notebook_of_job(key: str) -> Notebook | None:
    """The notebook a job works for, for the worker alone; nothing when it was deleted."""
    return Notebook.objects.select_related("active_revision", "index_space").filter(id=key).first()
