"""Roles and what each may do. Pure."""

from enum import StrEnum


class VaultRole(StrEnum):
    """A person's part in a vault."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"


class WorkspaceRole(StrEnum):
    """A person's part in a workspace."""

    EDITOR = "editor"
    READER = "reader"


class Capability(StrEnum):
    """Something an actor may want to do with an object that they can see."""

    LIBRARY_READ = "library_read"
    LIBRARY_WRITE = "library_write"
    NOTEBOOK_CREATE = "notebook_create"
    NOTEBOOK_READ = "notebook_read"
    NOTEBOOK_CHAT = "notebook_chat"
    NOTEBOOK_MANAGE = "notebook_manage"


WORKSPACE_CAPABILITIES: dict[WorkspaceRole, frozenset[Capability]] = {
    WorkspaceRole.EDITOR: frozenset(
        {Capability.LIBRARY_READ, Capability.LIBRARY_WRITE, Capability.NOTEBOOK_CREATE}
    ),
    WorkspaceRole.READER: frozenset({Capability.LIBRARY_READ}),
}
