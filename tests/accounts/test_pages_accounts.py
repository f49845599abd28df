"""Signing in, the profile, and the welcome page."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.claims import issue_claim
from apps.accounts.models import User
from apps.notebooks.models import Notebook
from tests.support.cast import PASSWORD, Cast, client_of

FOUNDER = {
    "name": "Clara",
    "email": "clara@example.org",
    "password": PASSWORD,
    "vault_name": "Riu Obert",
}


def _welcome(client: Client, token: str | None, **facts: str) -> object:
    return client.post(reverse("welcome"), {**FOUNDER, "token": token or "", **facts})


@pytest.mark.django_db
def test_the_link_makes_the_owner_and_signs_them_in(client: Client) -> None:
    token = issue_claim()
    assert client.get(reverse("welcome"), {"token": token}).status_code == 200
    assert _welcome(client, token, start="empty").status_code == 302  # type: ignore[attr-defined]
    assert b"Three steps" in client.get(reverse("home")).content


@pytest.mark.django_db
def test_the_link_loads_the_demo_when_that_is_pressed(client: Client) -> None:
    _welcome(client, issue_claim(), start="demo")
    assert Notebook.objects.count() == 3


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change, word",
    [
        ({"password": "short"}, "12 characters"),
        ({"email": "not an address"}, "valid email"),
        ({"name": " "}, "required"),
    ],
)
def test_a_founder_is_told_what_to_change(
    client: Client, change: dict[str, str], word: str
) -> None:
    response = _welcome(client, issue_claim(), **change)
    assert word in response.content.decode()  # type: ignore[attr-defined]
    assert not User.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_made_up_link_opens_nothing(client: Client, method: str) -> None:
    response = getattr(client, method)(reverse("welcome"), {**FOUNDER, "token": "made-up"})
    assert response.status_code == 410
    assert b"does not open anything" in response.content
    assert not User.objects.exists()


def test_a_used_link_leads_to_signing_in(cast: Cast, client: Client) -> None:
    response = client.get(reverse("welcome"), {"token": "whatever"})
    assert response.status_code == 410
    assert b"has been used" in response.content


def test_signing_in_goes_where_one_was_going(cast: Cast, client: Client) -> None:
    address = f"{reverse('sign_in')}?next=/library"
    response = client.post(address, {"username": cast.clara.email, "password": PASSWORD})
    assert response.headers["Location"] == "/library"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "/\\evil.example"])
def test_signing_in_never_leaves_the_site(cast: Cast, client: Client, target: str) -> None:
    facts = {"username": cast.clara.email, "password": PASSWORD, "next": target}
    assert client.post(reverse("sign_in"), facts).headers["Location"] == reverse("home")


def test_a_wrong_password_is_told_beside_the_form(cast: Cast, client: Client) -> None:
    facts = {"username": cast.clara.email, "password": "not this one"}
    response = client.post(reverse("sign_in"), facts)
    assert response.status_code == 400
    assert b"do not belong together" in response.content
    assert b"not this one" not in response.content


def test_too_many_wrong_tries_are_answered_with_429(cast: Cast, client: Client) -> None:
    facts = {"username": cast.clara.email, "password": "wrong"}
    codes = [client.post(reverse("sign_in"), facts).status_code for _ in range(12)]
    assert codes[-1] == 429


@pytest.mark.parametrize("name", ["home", "library", "notebooks", "profile"])
def test_strangers_are_sent_to_sign_in(client: Client, name: str) -> None:
    response = client.get(reverse(name))
    assert response.status_code == 302
    assert response.headers["Location"].startswith(reverse("sign_in"))


@pytest.mark.django_db
def test_a_stranger_keeps_the_language_they_chose(client: Client) -> None:
    client.get(reverse("sign_in"), {"language": "ca", "next": "/library"})
    page = client.get(reverse("sign_in")).content.decode()
    assert '<html lang="ca"' in page
    assert "Obre els teus quaderns" in page


def test_the_profile_keeps_language_and_theme(cast: Cast) -> None:
    client = client_of(cast.lola)
    client.post(reverse("profile"), {"name": "Lola P.", "language": "ca", "theme": "dark"})
    page = client.get(reverse("profile")).content.decode()
    assert 'data-theme="dark"' in page
    assert '<html lang="ca"' in page
    assert "Lola P." in page


def test_the_profile_refuses_an_unknown_language(cast: Cast) -> None:
    facts = {"name": "Lola", "language": "tlh", "theme": "dark"}
    client_of(cast.lola).post(reverse("profile"), facts)
    cast.lola.refresh_from_db()
    assert cast.lola.language == "en"


def test_somebody_without_a_workspace_gets_a_page_not_a_fault(cast: Cast) -> None:
    response = client_of(cast.ona).get(reverse("home"))
    assert response.status_code == 404
    assert b"nothing here that you can see" in response.content
