"""Web addresses as people paste them, made into the one spelling that is checked and opened. Pure.

What is checked is what is opened: the parts are read once, with a grammar that refuses everything on
which two parsers could disagree, and the address is put together anew from them.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin

import idna

from apps.ingestion.guard import FetchPolicy, is_internal
from apps.ingestion.values import Failure, Reason

_UNSAFE = re.compile(
    r"[\x00-\x20\x7f-\xa0\\\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]"
)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_BARE_NAME = re.compile(r"[\w-]+(\.[\w-]+)+(:\d{1,5})?(?=[/?#]|$)")
_ADDRESS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::([0-9]{1,5}))?$")
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*$")
_NUMERIC_END = re.compile(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_QUERY_SAFE = _PATH_SAFE + "?"
# Names that only mean something inside a network (RFC 6761, 6762, 8375, 9476 and common habit).
_INSIDE = frozenset(
    {
        "localhost",
        "localdomain",
        "local",
        "internal",
        "intranet",
        "private",
        "corp",
        "home",
        "lan",
        "arpa",
        "onion",
    }
)


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A checked address in parts; `host` is ASCII and without brackets."""

    scheme: str
    host: str
    port: int
    target: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def authority(self) -> str:
        """Host and, unless it is the scheme's own, port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{host}{port}"


def validate_url(text: str, policy: FetchPolicy | None = None) -> str | Failure:
    """The normalised address, or why it may not be opened. Looks nothing up.

    Only http and https without credentials; a name without a scheme gets https. Internal literal
    addresses and names are refused unless the policy lists the host. The fragment is dropped.
    """
    address = parse_address(text, policy or FetchPolicy())
    return address if isinstance(address, Failure) else str(address)


def parse_address(text: str, policy: FetchPolicy) -> WebAddress | Failure:
    """Like `validate_url`, in parts."""
    pasted = text.strip()
    if not pasted or len(pasted) > policy.max_url_length or _UNSAFE.search(pasted):
        return Failure(Reason.INVALID_URL)
    if not _SCHEME.match(pasted) or (_BARE_NAME.match(pasted) and "://" not in pasted):
        pasted = f"https://{pasted}" if _BARE_NAME.match(pasted) else pasted
    parts = _ADDRESS.match(pasted)
    if parts is None:
        return Failure(Reason.INVALID_URL)
    scheme, authority, path, query, _ = parts.groups()
    return _checked(scheme.lower(), authority, _target(path, query or ""), policy)


def follow(address: WebAddress, location: str, policy: FetchPolicy) -> WebAddress | Failure:
    """Where a redirect leads; relative ones are resolved first, all are checked again."""
    if _UNSAFE.search(location):
        return Failure(Reason.INVALID_URL)
    try:
        return parse_address(urljoin(str(address), location), policy)
    except ValueError:
        return Failure(Reason.INVALID_URL)


def _target(path: str, query: str) -> str:
    return quote(path or "/", safe=_PATH_SAFE) + quote(query, safe=_QUERY_SAFE)


def _checked(scheme: str, authority: str, target: str, policy: FetchPolicy) -> WebAddress | Failure:
    split = _AUTHORITY.match(authority)
    # "@" would carry credentials, "%" hides the host from one parser and not from another.
    if split is None or "@" in authority or "%" in authority:
        return Failure(Reason.INVALID_URL)
    host = _host(split.group(1))
    if host is None:
        return Failure(Reason.INVALID_URL)
    port = int(split.group(2) or _DEFAULT_PORTS[scheme])
    if port not in policy.ports or _is_inside(host, policy):
        return Failure(Reason.FORBIDDEN_ADDRESS)
    return WebAddress(scheme, host, port, target)


def _host(written: str) -> str | None:
    """The host in ASCII, lower case, without a final dot; None when it is not one."""
    if written.startswith("["):
        return _ipv6(written[1:-1])
    try:
        name = idna.encode(written.removesuffix("."), uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError, IndexError):
        name = written.removesuffix(".").lower()
    return name if name.isascii() and len(name) <= 253 and _NAME.match(name) else None


def _ipv6(written: str) -> str | None:
    try:
        return ipaddress.IPv6Address(written).compressed
    except ValueError:
        return None


def _is_inside(host: str, policy: FetchPolicy) -> bool:
    """Whether the host is a literal or a name that leads into a network of ours."""
    if policy.allows_host(host):
        return False
    if ":" in host or _NUMERIC_END.search(host):
        # Octal, hexadecimal and short spellings are no IPv4 literal here, hence internal.
        return is_internal(host, policy)
    return "." not in host or host.rpartition(".")[2] in _INSIDE
