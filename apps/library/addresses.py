"""Which web addresses a record may hold, by their spelling alone. Pure.

Only a first, kind refusal: the fetcher resolves the name and is the real guard.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Collection
from enum import StrEnum
from urllib.parse import urlsplit

MAX_LENGTH = 2000
_NOT_IN_A_URL = re.compile(
    r"[\x00-\x20\x7f-\x9f\\<>\"{}|^`\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_NUMBERISH = re.compile(r"(0x[0-9a-f]*|[0-9]+)", re.IGNORECASE)
_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".localdomain", ".home.arpa")


class Refusal(StrEnum):
    """Why an address is refused; the caller has a sentence for each."""

    TOO_LONG = "too_long"
    NOT_AN_ADDRESS = "not_an_address"
    NOT_WEB = "not_web"
    CREDENTIALS = "credentials"
    NOT_PUBLIC = "not_public"


def refusal_of(url: str, allowed_hosts: Collection[str] = ()) -> Refusal | None:
    """Why this address cannot be a link of a record, or nothing when its spelling is fine.

    `allowed_hosts` are the hosts that the install trusts although they are not public.
    """
    if len(url) > MAX_LENGTH:
        return Refusal.TOO_LONG
    if _NOT_IN_A_URL.search(url):
        return Refusal.NOT_AN_ADDRESS
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return Refusal.NOT_AN_ADDRESS
    if parts.scheme not in {"http", "https"}:
        return Refusal.NOT_WEB
    if parts.username is not None or parts.password is not None:
        return Refusal.CREDENTIALS
    # Full-width digits and ideographic dots are read as plain ones (UTS 46).
    name = unicodedata.normalize("NFKC", host or "").replace("。", ".").rstrip(".")
    return None if name and name in allowed_hosts else _refusal_of_host(name)


def _refusal_of_host(name: str) -> Refusal | None:
    if not name or ".." in name:
        return Refusal.NOT_AN_ADDRESS
    if ":" in name or _is_numeric(name):
        return _refusal_of_number(name)
    if name == "localhost" or name.endswith(_LOCAL_ENDINGS) or "." not in name:
        return Refusal.NOT_PUBLIC
    return None


def _is_numeric(name: str) -> bool:
    """Whether the last label is a number: then the whole is read as an IPv4 address (WHATWG URL)."""
    return _NUMBERISH.fullmatch(name.rpartition(".")[2]) is not None


def _refusal_of_number(name: str) -> Refusal | None:
    try:
        address = ipaddress.ip_address(name)
    except ValueError:  # short, octal and hexadecimal spellings: nobody needs them
        return Refusal.NOT_AN_ADDRESS
    return None if address.is_global and not address.is_multicast else Refusal.NOT_PUBLIC
