"""May this person act in that workspace, and which workspaces may they see."""

import uuid

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.common.errors import Forbidden, NotFound
from apps.vaults.actor import Actor
from apps.vaults.models import Workspace, WorkspaceMembership
from apps.vaults.roles import Capability


def workspaces_visible_to(user: User) -> list[Workspace]:
    """The workspaces a person belongs to, with their vaults, in the order they joined them."""
    memberships = WorkspaceMembership.objects.of_members(user).order_by("created_at", "id")
    return [membership.workspace for membership in memberships]


def workspace_for(user: User, workspace_id: uuid.UUID) -> Workspace:
    """The workspace with this id; NotFound unless the person belongs to it."""
    membership = (
        WorkspaceMembership.objects.of_members(user).filter(workspace_id=workspace_id).first()
    )
    if membership is None:
        raise NotFound
    return membership.workspace


def require(actor: Actor, capability: Capability) -> None:
    """Raises Forbidden unless the actor's role in the workspace gives the capability."""
    if not actor.may(capability):
        raise Forbidden(_("Your role in this workspace does not allow this."))
