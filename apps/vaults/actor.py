"""Who is asking, in which vault and workspace: resolved once per request."""

import uuid
from dataclasses import dataclass

from apps.accounts.models import User
from apps.common.errors import NotFound
from apps.vaults.models import WorkspaceMembership
from apps.vaults.roles import WORKSPACE_CAPABILITIES, Capability, VaultRole, WorkspaceRole


@dataclass(frozen=True, slots=True)
class Actor:
    """A signed-in person acting in exactly one workspace of one vault."""

    user_id: uuid.UUID
    name: str
    language: str
    vault_id: uuid.UUID
    vault_name: str
    workspace_id: uuid.UUID
    workspace_name: str
    vault_role: VaultRole
    workspace_role: WorkspaceRole

    def may(self, capability: Capability) -> bool:
        """Whether the role in the workspace alone gives the capability."""
        return capability in WORKSPACE_CAPABILITIES[self.workspace_role]


def actor_for(user: User, workspace_id: uuid.UUID | None = None) -> Actor:
    """The actor that a person is in a workspace, the one they joined first when none is named.

    One query. Raises NotFound when the person does not belong to that workspace, to its
    vault, or to any at all.
    """
    memberships = WorkspaceMembership.objects.of_members(user)
    if workspace_id is not None:
        memberships = memberships.filter(workspace_id=workspace_id)
    membership = memberships.order_by("created_at", "id").first()
    if membership is None:
        raise NotFound
    workspace = membership.workspace
    return Actor(
        user_id=user.id,
        name=user.name,
        language=user.language,
        vault_id=workspace.vault_id,
        vault_name=workspace.vault.name,
        workspace_id=workspace.id,
        workspace_name=workspace.name,
        # Annotated by `of_members`.
        vault_role=VaultRole(membership.vault_role),  # type: ignore[attr-defined]
        workspace_role=WorkspaceRole(membership.role),
    )
