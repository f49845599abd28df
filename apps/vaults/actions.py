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
    audit.record(
        "vault_created",
        vault_id=vault.id,
        actor_id=owner.id,
        object_kind="vault",
        object_id=vault.id,
    )
    workspace = create_workspace(vault, workspace_name, by=owner)
    join_workspace(workspace, owner, VaultRole.OWNER, WorkspaceRole.EDITOR)
    return workspace


@transaction.atomic
def create_workspace(vault: Vault, name: str, *, by: User) -> Workspace:
    """One more workspace of a vault. Nobody belongs to it yet, not even who made it."""
    workspace = Workspace.objects.create(vault=vault, name=name)
    audit.record(
        "workspace_created",
        vault_id=vault.id,
        actor_id=by.id,
        object_kind="workspace",
        object_id=workspace.id,
    )
    return workspace


@transaction.atomic
def join_workspace(
    workspace: Workspace, user: User, vault_role: VaultRole, workspace_role: WorkspaceRole
) -> None:
    """Makes the person a member of the vault and of the workspace, or changes their roles."""
    join_vault(workspace.vault, user, vault_role)
    WorkspaceMembership.objects.update_or_create(
        workspace=workspace, user=user, defaults={"role": workspace_role}
    )


@transaction.atomic
def join_vault(vault: Vault, user: User, role: VaultRole) -> None:
    """Makes the person a member of the vault only, or changes their role; it opens no workspace."""
    Membership.objects.update_or_create(vault=vault, user=user, defaults={"role": role})


@transaction.atomic
def leave_vault(vault: Vault, user: User) -> None:
    """Takes away every right in the vault; what the person made stays where it is."""
    WorkspaceMembership.objects.filter(workspace__vault=vault, user=user).delete()
    Membership.objects.filter(vault=vault, user=user).delete()
