import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.ingestion.guard import FetchPolicy
from apps.ingestion.urls import WebAddress, follow, parse_address, validate_url
from apps.ingestion.values import Failure, Reason

INTRANET = FetchPolicy(
    allowed_hosts=frozenset({"wiki.corp", "10.1.2.3"}), allowed_ports=frozenset({8080})
)


@pytest.mark.parametrize(
    "pasted, normalised",
    [
        ("https://example.org", "https://example.org/"),
        ("  http://Example.ORG./a?b=c#part\n", "http://example.org/a?b=c"),
        ("example.org/page", "https://example.org/page"),
        ("example.org:443", "https://example.org/"),
        ("HTTP://EXAMPLE.ORG:80/", "http://example.org/"),
        ("https://bücher.example/ü?q=ß", "https://xn--bcher-kva.example/%C3%BC?q=%C3%9F"),
        ("https://ｅｘａｍｐｌｅ.org/", "https://example.org/"),
        ("https://example。org/", "https://example.org/"),
        ("https://example.org/a%20b", "https://example.org/a%20b"),
        ("https://8.8.8.8/", "https://8.8.8.8/"),
        ("https://[2606:4700:4700:0::1111]/", "https://[2606:4700:4700::1111]/"),
    ],
)
def test_an_address_has_one_spelling(pasted: str, normalised: str) -> None:
    assert validate_url(pasted) == normalised
    assert validate_url(normalised) == normalised


@pytest.mark.parametrize(
    "url",
    [
        "", "   ", "words with spaces", "ftp://example.org/", "file:///etc/passwd", "javascript:1",
        "data:text/plain,hi", "gopher://example.org/_x", "mailto:a@example.org", "//example.org/",
        "http:/example.org/", "http:\\\\example.org/", "http://", "http:///x", "http://[::1",
        "https://user@example.org/", "https://user:pw@example.org/", "https://example.org\\@8.8.8.8/",
        "https://example.org/a b", "https://example.org/\r\nX: y", "https://exa\tmple.org/",
        "https://127.0.0.1%00.example.org/", "https://[::1%25lo]/", "https://example.org:/",
        "https://exam\u200bple.org/", "https://-.org/", "https://example..org/",
        "https://example.org/" + "a" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    assert validate_url(url) == Failure(Reason.INVALID_URL)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.0.0.1.", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "0.0.0.0",
        "127。0。0。1", "１２７.0.0.1", "①27.0.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fd00:ec2::254]", "[fec0::1]",
        "[fe80::1]", "[ff02::1]", "169.254.169.254", "168.63.129.16", "100.64.0.1", "10.0.0.1",
        "172.16.0.1", "192.168.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "localhost", "LOCALHOST.", "printer", "metadata.google.internal", "router.local", "x.lan",
        "1.2.3", "1.2.3.256", "08.8.8.8", "8.8.8.8.0x8",
    ],
)  # fmt: skip
def test_addresses_inside_are_refused_in_every_spelling(host: str) -> None:
    assert validate_url(f"http://{host}/") == Failure(Reason.FORBIDDEN_ADDRESS)


@pytest.mark.parametrize("port", [22, 25, 6379, 8000, 8080, 65535, 99999, 0])
def test_only_the_ports_of_the_web_are_open(port: int) -> None:
    assert validate_url(f"http://example.org:{port}/") == Failure(Reason.FORBIDDEN_ADDRESS)


def test_a_listed_host_and_port_may_be_opened() -> None:
    assert validate_url("http://wiki.corp:8080/a", INTRANET) == "http://wiki.corp:8080/a"
    assert validate_url("http://10.1.2.3/", INTRANET) == "http://10.1.2.3/"
    assert validate_url("http://10.1.2.4/", INTRANET) == Failure(Reason.FORBIDDEN_ADDRESS)
    assert validate_url("http://evil.wiki.corp/", INTRANET) == Failure(Reason.FORBIDDEN_ADDRESS)


def test_our_own_public_network_may_be_denied() -> None:
    policy = FetchPolicy(denied_networks=("8.8.8.0/24",))
    assert validate_url("http://8.8.8.8/", policy) == Failure(Reason.FORBIDDEN_ADDRESS)
    assert validate_url("http://8.8.4.4/", policy) == "http://8.8.4.4/"


@pytest.mark.parametrize(
    "location, target",
    [
        ("../good", "https://example.org/good"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
        ("?q=1", "https://example.org/a/b?q=1"),
        ("http://127.0.0.1/", Reason.FORBIDDEN_ADDRESS),
        ("file:///etc/passwd", Reason.INVALID_URL),
        ("http://user:pw@example.org/", Reason.INVALID_URL),
        ("/\\127.0.0.1/", Reason.INVALID_URL),
        ("http://[", Reason.INVALID_URL),
    ],
)
def test_every_redirect_is_checked_anew(location: str, target: str | Reason) -> None:
    start = parse_address("https://example.org/a/b", FetchPolicy())
    assert isinstance(start, WebAddress)
    found = follow(start, location, FetchPolicy())
    assert (found.reason if isinstance(found, Failure) else str(found)) == target


@settings(deadline=None, max_examples=500)
@given(
    st.text(alphabet="htps:/@.[]\\%#?0127x a\u3002１localexmp\n-", max_size=40)
    | st.builds("http://{}/".format, st.integers(0, 2**33).map(str))
    | st.builds("http://{}/".format, st.ip_addresses().map(str))
)
def test_whatever_is_pasted_never_leads_inside(text: str) -> None:
    found = validate_url(text)
    if isinstance(found, Failure):
        return
    assert validate_url(found) == found
    address = parse_address(found, FetchPolicy())
    assert isinstance(address, WebAddress)
    try:
        literal = ipaddress.ip_address(address.host)
    except ValueError:
        assert "." in address.host
    else:
        assert not literal.is_loopback
        assert not literal.is_private
