"""Making vaults, workspaces and memberships."""

from django.db import transaction

from apps.accounts.models import User
from apps.vaults import audit
from apps.vaults.models import Membership, Vault, Workspace, WorkspaceMembership
from apps.vaults.roles import VaultRole, WorkspaceRole


@transaction.atomic
def create_vault(name: str, workspace_name: str, *, owner: User) -> Workspace:
    """A new vault with its first workspace; the owner edits in it."""
    vault = Vault.objects.create(name=name)
    workspace = Workspace.objects.create(vault=vault, name=workspace_name)
    join_workspace(workspace, owner, VaultRole.OWNER, WorkspaceRole.EDITOR)
    audit.record(
        "vault_created",
        vault_id=vault.id,
        actor_id=owner.id,
        object_kind="vault",
        object_id=vault.id,
    )
    return workspace


@transaction.atomic
def join_workspace(
    workspace: Workspace, user: User, vault_role: VaultRole, workspace_role: WorkspaceRole
) -> None:
    """Makes the person a member of the vault and of the workspace, or changes their roles."""
    Membership.objects.update_or_create(
        vault_id=workspace.vault_id, user=user, defaults={"role": vault_role}
    )
    WorkspaceMembership.objects.update_or_create(
        workspace=workspace, user=user, defaults={"role": workspace_role}
    )
