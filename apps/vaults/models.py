"""The tenant and its rooms: vaults, workspaces and who belongs to them."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models

from apps.accounts.models import User
from apps.vaults.roles import VaultRole, WorkspaceRole


class Vault(models.Model):
    """A tenant. Everything below belongs to exactly one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Workspace(models.Model):
    """A room of a vault, with its own tables and notebooks."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    vault = models.ForeignKey(Vault, models.CASCADE, related_name="workspaces")
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["vault", "name"], name="workspace_names_differ")
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's part in a vault."""

    vault = models.ForeignKey(Vault, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=6, choices=[(role, role) for role in VaultRole])
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["vault", "user"], name="one_membership_per_vault")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.vault_id}"


class WorkspaceMembershipQuerySet(models.QuerySet["WorkspaceMembership"]):
    """Workspace memberships with the facts of their vault."""

    def of_members(self, user: User) -> "WorkspaceMembershipQuerySet":
        """Those of `user` whose vault they belong to as well, each with `vault_role`."""
        # One `.filter()` on the vault's memberships: chaining would join them twice and
        # take somebody else's role for theirs.
        return (
            self.filter(user=user, workspace__vault__memberships__user=user)
            .annotate(vault_role=models.F("workspace__vault__memberships__role"))
            .select_related("workspace__vault")
        )


class WorkspaceMembership(models.Model):
    """A person's part in a workspace; worth nothing without a membership in its vault."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="workspace_memberships"
    )
    role = models.CharField(max_length=6, choices=[(role, role) for role in WorkspaceRole])
    created_at = models.DateTimeField(auto_now_add=True)

    objects = WorkspaceMembershipQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "user"], name="one_membership_per_workspace"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} in {self.workspace_id}"


class AuditRecord(models.Model):
    """One line of a vault's append-only log, written in the transaction of what it tells."""

    vault = models.ForeignKey(Vault, models.CASCADE, related_name="audit_records")
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    action = models.CharField(max_length=60)
    object_kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    detail = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["vault", "-created_at"], name="audit_by_vault")]

    def __str__(self) -> str:
        return f"{self.action} {self.object_kind} {self.object_id}"
