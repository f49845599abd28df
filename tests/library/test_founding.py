"""A fresh install gets everything its owner starts with, or nothing."""

import pytest

from apps.accounts.actions import AccountDraft, ClaimUsed
from apps.accounts.claims import ClaimState, claim_state, issue_claim
from apps.accounts.models import User
from apps.common.errors import Invalid
from apps.library.access import references_table_for
from apps.library.founding import found_install
from apps.vaults.models import Vault
from apps.vaults.roles import VaultRole, WorkspaceRole
from tests.support.cast import PASSWORD

DRAFT = AccountDraft("Neus", "neus@example.org", PASSWORD, "ca")


def test_the_owner_gets_a_vault_a_workspace_and_its_references(db):
    founded = found_install(issue_claim(), DRAFT, "Arxiu")
    actor = founded.actor
    assert (actor.vault_name, actor.vault_role) == ("Arxiu", VaultRole.OWNER)
    assert actor.workspace_role is WorkspaceRole.EDITOR
    assert references_table_for(actor).fields.count() == 8
    assert founded.owner.language == "ca"


def test_a_refused_claim_makes_nothing(db):
    token = issue_claim()
    with pytest.raises(ClaimUsed):
        found_install("guess", DRAFT)
    with pytest.raises(Invalid):
        found_install(token, AccountDraft("Neus", "neus@example.org", "short"))
    assert (User.objects.count(), Vault.objects.count()) == (0, 0)
    assert claim_state(token) is ClaimState.OPEN


def test_a_failure_half_way_leaves_the_link_open(db, monkeypatch):
    token = issue_claim()

    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr("apps.library.founding.create_references_table", fail)
    with pytest.raises(RuntimeError):
        found_install(token, DRAFT)
    assert (User.objects.count(), Vault.objects.count()) == (0, 0)
    assert claim_state(token) is ClaimState.OPEN
