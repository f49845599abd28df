"""Which spellings of web addresses a record may hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.library.addresses import Refusal, refusal_of


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "http://example.org:8080/a/b?c=d#e",
        "HTTPS://EXAMPLE.ORG/",
        "https://ca.wikipedia.org/wiki/Llengua_catalana_(variant)",
        "https://münchen.example/straße",
        "https://8.8.8.8/",
        "https://[2001:4860:4860::8888]/",
        "https://127.0.0.1.example.org/",
        "https://localhost.example.org/",
    ],
)
def test_public_web_addresses_are_taken(url):
    assert refusal_of(url) is None


@pytest.mark.parametrize(
    "url, refusal",
    [
        ("", Refusal.NOT_WEB),
        ("example.org", Refusal.NOT_WEB),
        ("ftp://example.org/", Refusal.NOT_WEB),
        ("javascript:alert(1)", Refusal.NOT_WEB),
        ("file:///etc/passwd", Refusal.NOT_WEB),
        ("https://", Refusal.NOT_AN_ADDRESS),
        ("https:///path", Refusal.NOT_AN_ADDRESS),
        ("https://example..org/", Refusal.NOT_AN_ADDRESS),
        ("https://example.org:99999/", Refusal.NOT_AN_ADDRESS),
        ("https://[::1/", Refusal.NOT_AN_ADDRESS),
        ("https://exa mple.org/", Refusal.NOT_AN_ADDRESS),
        ("https://example.org/\x00", Refusal.NOT_AN_ADDRESS),
        ("https://example.org/\r\nHost: x", Refusal.NOT_AN_ADDRESS),
        ("https://example.org/\u202e", Refusal.NOT_AN_ADDRESS),
        ("http://127.0.0.1\\@8.8.8.8/", Refusal.NOT_AN_ADDRESS),
        ("https://user@example.org/", Refusal.CREDENTIALS),
        ("https://:pass@example.org/", Refusal.CREDENTIALS),
        ("https://@example.org/", Refusal.CREDENTIALS),
        ("http://localhost/", Refusal.NOT_PUBLIC),
        ("http://LOCALHOST./", Refusal.NOT_PUBLIC),
        ("http://a.localhost/", Refusal.NOT_PUBLIC),
        ("http://printer.local/", Refusal.NOT_PUBLIC),
        ("http://intranet/", Refusal.NOT_PUBLIC),
        ("http://127.0.0.1/", Refusal.NOT_PUBLIC),
        ("http://127.0.0.1:8000/", Refusal.NOT_PUBLIC),
        ("http://10.1.2.3/", Refusal.NOT_PUBLIC),
        ("http://192.168.0.1/", Refusal.NOT_PUBLIC),
        ("http://169.254.169.254/latest/meta-data", Refusal.NOT_PUBLIC),
        ("http://0.0.0.0/", Refusal.NOT_PUBLIC),
        ("http://224.0.0.1/", Refusal.NOT_PUBLIC),
        ("http://[::1]/", Refusal.NOT_PUBLIC),
        ("http://[::ffff:127.0.0.1]/", Refusal.NOT_PUBLIC),
        ("http://[fe80::1]/", Refusal.NOT_PUBLIC),
        ("http://[fd00::1]/", Refusal.NOT_PUBLIC),
        ("http://１２７.０.０.１/", Refusal.NOT_PUBLIC),
        ("http://127。0。0。1/", Refusal.NOT_PUBLIC),
        ("http://2130706433/", Refusal.NOT_AN_ADDRESS),
        ("http://127.1/", Refusal.NOT_AN_ADDRESS),
        ("http://0x7f.0.0.1/", Refusal.NOT_AN_ADDRESS),
        ("http://0177.0.0.1/", Refusal.NOT_AN_ADDRESS),
        ("https://example.org/" + "x" * 1981, Refusal.TOO_LONG),
    ],
)
def test_other_spellings_are_refused_by_name(url, refusal):
    assert refusal_of(url) is refusal


def test_hosts_that_the_install_trusts_are_taken():
    assert refusal_of("http://127.0.0.1:8000/page", ["127.0.0.1"]) is None
    assert refusal_of("http://127.0.0.2:8000/page", ["127.0.0.1"]) is Refusal.NOT_PUBLIC


@given(st.text(max_size=300))
def test_no_text_breaks_the_check(text):
    for url in (text, f"http://{text}", f"https://example.org/{text}"):
        assert refusal_of(url) in {None, *Refusal}


@given(st.ip_addresses())
def test_only_global_addresses_are_taken_as_numbers(address):
    host = f"[{address}]" if address.version == 6 else str(address)
    taken = refusal_of(f"http://{host}/") is None
    assert taken == (address.is_global and not address.is_multicast)


def test_reasons_are_words_for_programs():
    assert json.dumps(Refusal.NOT_PUBLIC) == '"not_public"'
