"""The cast of the tests: who they are and what they may do, so that a test reads as a sentence.

Neus owns the vault and edits in its workspace. Clara edits there and creates notebooks, Enric
edits, Lola only reads. Víctor edits in another workspace of the same vault. Ona is an admin of
the vault and staff, and belongs to no workspace. Otto owns another vault.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.core.cache import cache
from django.test import Client

from apps.accounts.models import User
from apps.library.actions import create_references_table
from apps.library.models import Table
from apps.vaults.actions import create_vault, create_workspace, join_vault, join_workspace
from apps.vaults.actor import Actor, actor_for
from apps.vaults.models import Vault, Workspace
from apps.vaults.roles import VaultRole, WorkspaceRole

PASSWORD = "quiet desk, white pages"


@dataclass(frozen=True, slots=True)
class Cast:
    """The people and their places. `anonymous` is nobody: `client_of(None)`."""

    neus: User
    clara: User
    enric: User
    lola: User
    victor: User
    ona: User
    otto: User
    workspace: Workspace
    victors_workspace: Workspace
    ottos_workspace: Workspace
    references: Table
    ottos_references: Table

    @property
    def vault(self) -> Vault:
        """The vault where nearly everybody is."""
        return self.workspace.vault

    @property
    def ottos_vault(self) -> Vault:
        """The other vault."""
        return self.ottos_workspace.vault

    @property
    def people(self) -> dict[str, User | None]:
        """Everybody by name, nobody included."""
        return {**self.users, "anonymous": None}

    @property
    def users(self) -> dict[str, User]:
        """Everybody with an account, by name."""
        names = ("neus", "clara", "enric", "lola", "victor", "ona", "otto")
        return {name: getattr(self, name) for name in names}

    @property
    def actors(self) -> dict[str, Actor]:
        """Everybody who can act somewhere: all with an account but Ona, who has no workspace."""
        return {name: actor_for(user) for name, user in self.users.items() if name != "ona"}


def client_of(person: User | None) -> Client:
    """A browser in which the person is signed in, or nobody for `None`."""
    client = Client()
    if person is not None:
        client.force_login(person)
    return client


def person(name: str, **facts: object) -> User:
    """A new person called `name`, who can sign in with `PASSWORD`."""
    address = f"{name.lower().replace('í', 'i')}@example.org"
    return User.objects.create_user(address, PASSWORD, name=name, **facts)


def build_cast() -> Cast:
    """Everybody and their places, made by the same actions as in real life."""
    neus, clara, enric, lola = person("Neus"), person("Clara"), person("Enric"), person("Lola")
    victor, ona, otto = person("Víctor"), person("Ona", is_staff=True), person("Otto")
    workspace = create_vault("Arxiu", "Sala gran", owner=neus)
    join_workspace(workspace, clara, VaultRole.MEMBER, WorkspaceRole.EDITOR)
    join_workspace(workspace, enric, VaultRole.MEMBER, WorkspaceRole.EDITOR)
    join_workspace(workspace, lola, VaultRole.MEMBER, WorkspaceRole.READER)
    side_room = create_workspace(workspace.vault, "Sala petita", by=neus)
    join_workspace(side_room, victor, VaultRole.MEMBER, WorkspaceRole.EDITOR)
    join_vault(workspace.vault, ona, VaultRole.ADMIN)
    elsewhere = create_vault("Otto's vault", "Otto's room", owner=otto)
    return Cast(
        neus=neus,
        clara=clara,
        enric=enric,
        lola=lola,
        victor=victor,
        ona=ona,
        otto=otto,
        workspace=workspace,
        victors_workspace=side_room,
        ottos_workspace=elsewhere,
        references=create_references_table(workspace),
        ottos_references=create_references_table(elsewhere),
    )


@pytest.fixture
def cast(db: None) -> Iterator[Cast]:
    """Everybody, in a database of their own."""
    cache.clear()
    yield build_cast()
    cache.clear()
