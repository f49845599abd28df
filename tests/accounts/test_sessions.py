"""Signing in and out: wrong tries are counted where they belong, and nobody else is locked out."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.cache import cache
from django.http import HttpResponse

from apps.accounts.sessions import WrongPair, remember_device, sign_in
from apps.accounts.throttle import PER_ACCOUNT, PER_ADDRESS, WINDOW_SECONDS
from apps.common.errors import Throttled
from tests.support.cast import PASSWORD, client_of, person

HOME, ELSEWHERE = "203.0.113.5", "198.51.100.7"


@pytest.fixture(autouse=True)
def empty_counters(db):
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def clara():
    return person("Clara")


@pytest.fixture
def attempt(rf):
    """Tries to sign in from an address, with what a browser brings along."""

    def try_it(email, password, address=HOME, forwarded="", cookies=None):
        request = rf.post("/sign-in", REMOTE_ADDR=address, headers={"X-Forwarded-For": forwarded})
        request.COOKIES.update(cookies or {})
        request.user = AnonymousUser()
        SessionMiddleware(lambda _: HttpResponse()).process_request(request)
        return sign_in(request, email, password), request

    return try_it


def _fail(attempt, times, email="clara@example.org", **where):
    for number in range(times):
        with pytest.raises(WrongPair):
            attempt(email.format(number), "wrong", **where)


def test_the_right_pair_signs_in_whatever_the_case_of_the_address(clara, attempt):
    user, request = attempt(" CLARA@Example.org ", PASSWORD)
    assert (user, request.user) == (clara, clara)


@pytest.mark.parametrize(
    "email, password",
    [
        ("clara@example.org", "wrong"),
        ("nobody@example.org", PASSWORD),
        ("", ""),
        ("clara@example.org\x00", PASSWORD),
        ("c" * 20_000, PASSWORD),
        ("clara@example.org", "x" * 1_000_000),
        ("\ud800", "\ud800"),
    ],
)
def test_every_wrong_pair_gets_the_same_words(clara, attempt, email, password):
    with pytest.raises(WrongPair) as caught:
        attempt(email, password)
    assert str(caught.value.sentence) == "This address and password do not belong together."


def test_somebody_who_was_let_go_cannot_sign_in(clara, attempt):
    clara.is_active = False
    clara.save()
    with pytest.raises(WrongPair):
        attempt("clara@example.org", PASSWORD)


def test_guesses_at_one_account_have_to_wait_from_wherever_they_come(clara, attempt):
    for number in range(PER_ACCOUNT):
        _fail(attempt, 1, address=f"198.51.100.{number}")
    with pytest.raises(Throttled) as caught:
        attempt("clara@example.org", "wrong", address="198.51.100.200")
    assert 0 < caught.value.retry_after <= WINDOW_SECONDS


def test_guesses_from_one_address_at_many_accounts_have_to_wait(attempt):
    _fail(attempt, PER_ADDRESS, "person{}@example.org")
    with pytest.raises(Throttled):
        attempt("person50@example.org", "wrong")


def test_a_header_that_the_client_writes_gives_no_new_tries(attempt):
    for number in range(PER_ADDRESS):
        _fail(attempt, 1, f"p{number}@example.org", forwarded=f"192.0.2.{number}")
    with pytest.raises(Throttled):
        attempt("p50@example.org", "wrong", forwarded="192.0.2.200")


def test_behind_a_proxy_an_attacker_does_not_lock_out_the_others(clara, attempt, settings):
    settings.TRUSTED_PROXIES = 1
    proxy = "10.0.0.2"
    _fail(attempt, PER_ADDRESS, "p{}@example.org", address=proxy, forwarded=ELSEWHERE)
    with pytest.raises(Throttled):
        attempt("p50@example.org", "wrong", address=proxy, forwarded=f"192.0.2.9, {ELSEWHERE}")
    assert attempt("clara@example.org", PASSWORD, address=proxy, forwarded=HOME)[0] == clara


def test_a_browser_known_to_the_account_is_let_in_while_others_guess(clara, attempt):
    response = HttpResponse()
    remember_device(response, clara)
    known = {name: morsel.value for name, morsel in response.cookies.items()}
    _fail(attempt, PER_ACCOUNT)
    with pytest.raises(Throttled):
        attempt("clara@example.org", PASSWORD)
    assert attempt("clara@example.org", PASSWORD, cookies=known)[0] == clara
    _fail(attempt, PER_ACCOUNT, cookies=known)
    with pytest.raises(Throttled):
        attempt("clara@example.org", PASSWORD, cookies=known)


def test_the_mark_of_a_known_browser_is_worth_nothing_for_another_account(clara, attempt):
    response = HttpResponse()
    remember_device(response, person("Otto"))
    others = {name: morsel.value for name, morsel in response.cookies.items()}
    _fail(attempt, PER_ACCOUNT)
    for cookies in (others, {"known_device": "made up"}):
        with pytest.raises(Throttled):
            attempt("clara@example.org", PASSWORD, cookies=cookies)


def test_right_pairs_are_not_counted(clara, attempt):
    for _ in range(PER_ADDRESS + 5):
        attempt("clara@example.org", PASSWORD)


def test_after_the_window_tries_are_taken_again(clara, attempt, time_machine):
    time_machine.move_to("2026-11-30 10:00:00+00:00", tick=False)
    _fail(attempt, PER_ACCOUNT)
    with pytest.raises(Throttled) as caught:
        attempt("clara@example.org", PASSWORD)
    assert caught.value.retry_after == WINDOW_SECONDS
    time_machine.shift(WINDOW_SECONDS)
    assert attempt("clara@example.org", PASSWORD)[0] == clara


def test_without_a_cache_people_still_get_in(clara, attempt, settings):
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:9/0",
        }
    }
    _fail(attempt, PER_ACCOUNT + 1)
    assert attempt("clara@example.org", PASSWORD)[0] == clara


def test_signing_in_begins_a_fresh_session(clara, attempt, rf):
    _, request = attempt("clara@example.org", PASSWORD)
    first = request.session.session_key
    _, request = attempt("clara@example.org", PASSWORD)
    assert first
    assert request.session.session_key != first


def test_signing_out_ends_the_session_and_clears_the_browser(clara, settings):
    client = client_of(clara)
    response = client.post("/sign-out")
    assert response["Clear-Site-Data"] == '"cache", "storage"'
    assert "_auth_user_id" not in client.session
    assert client.get("/sign-out").status_code == 405
