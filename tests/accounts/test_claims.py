"""A fresh install becomes somebody's once, by a link that only its starter has seen."""

import re
import threading

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from apps.accounts.actions import AccountDraft, ClaimUsed, claim_install
from apps.accounts.claims import ClaimState, claim_state, issue_claim
from apps.accounts.models import InstallClaim, User
from apps.common.errors import Invalid
from tests.support.cast import PASSWORD, person

pytestmark = pytest.mark.everywhere
DRAFT = AccountDraft("Neus", "neus@example.org", PASSWORD)


def _printed_link(capsys, *arguments: str) -> str:
    call_command("welcome_link", *arguments)
    return capsys.readouterr().out


def test_the_command_prints_a_link_that_opens_the_install(db, capsys):
    link = _printed_link(capsys, "--base-url", "http://localhost:8000/")
    match = re.fullmatch(r"http://localhost:8000/welcome\?token=([\w-]{43})\n", link)
    assert match
    assert claim_state(match[1]) is ClaimState.OPEN


def test_the_command_prints_nothing_once_there_is_a_user(db, capsys):
    person("Neus")
    assert _printed_link(capsys) == ""


def test_the_token_is_not_in_the_database(db):
    token = issue_claim()
    assert token not in str(InstallClaim.objects.values())


def test_a_newer_link_makes_the_earlier_one_worthless(db):
    first, second = issue_claim(), issue_claim()
    assert (claim_state(first), claim_state(second)) == (ClaimState.UNKNOWN, ClaimState.OPEN)
    with pytest.raises(ClaimUsed):
        claim_install(first, DRAFT)
    assert claim_install(second, DRAFT).check_password(PASSWORD)


@pytest.mark.parametrize("token", ["", "guess", "\x00", "\ud800", "x" * 100_000])
def test_nobody_claims_an_install_without_its_token(db, token):
    issue_claim()
    assert claim_state(token) is ClaimState.UNKNOWN
    with pytest.raises(ClaimUsed):
        claim_install(token, DRAFT)
    assert not User.objects.exists()


def test_a_link_works_once_and_then_says_so(db):
    token = issue_claim()
    claim_install(token, DRAFT)
    assert claim_state(token) is ClaimState.USED
    with pytest.raises(ClaimUsed):
        claim_install(token, AccountDraft("Otto", "otto@example.org", PASSWORD))
    assert User.objects.count() == 1


def test_an_open_link_is_worthless_once_somebody_has_an_account(db):
    token = issue_claim()
    person("Neus")
    assert claim_state(token) is ClaimState.UNKNOWN
    with pytest.raises(ClaimUsed):
        claim_install(token, DRAFT)


@pytest.mark.parametrize(
    "draft, field",
    [
        (AccountDraft(" \u202e", "a@example.org", PASSWORD), "name"),
        (AccountDraft("Neus", "no address", PASSWORD), "email"),
        (AccountDraft("Neus", "a@example.org\x00", PASSWORD), "email"),
        (AccountDraft("Neus", "a@example.org", "short"), "password"),
        (AccountDraft("Neus", "a@example.org", "passwordpassword\x00"), "password"),
        (AccountDraft("Neus", "a@example.org", "x" * 1001), "password"),
        (AccountDraft("Neus", "neus.puig@example.org", "neus.puig@example.org"), "password"),
        (AccountDraft("Neus", "a@example.org", PASSWORD, "xx"), "language"),
    ],
)
def test_an_unusable_account_names_the_field_and_leaves_the_link_open(db, draft, field):
    token = issue_claim()
    with pytest.raises(Invalid) as caught:
        claim_install(token, draft)
    assert set(caught.value.fields) == {field}
    assert claim_state(token) is ClaimState.OPEN


def test_of_two_claims_at_once_one_wins(transactional_db):
    token = issue_claim()
    start, outcomes = threading.Barrier(2), []

    def claim(number: int) -> None:
        draft = AccountDraft(f"Person {number}", f"p{number}@example.org", PASSWORD)
        start.wait()
        try:
            claim_install(token, draft)
            outcomes.append("owner")
        except ClaimUsed:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["owner", "refused"]
    assert User.objects.count() == 1


def test_what_fails_after_the_claim_gives_the_link_back(db):
    token = issue_claim()
    with transaction.atomic():
        claim_install(token, DRAFT)
        transaction.set_rollback(True)
    assert claim_state(token) is ClaimState.OPEN
