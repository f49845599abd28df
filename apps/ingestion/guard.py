"""Which addresses may be opened. The only door to ssrfguard.

The table of refused networks is the library's (IANA special-purpose registries, translation
prefixes decoded), with what the cloud adds to it. A host on the allow-list may be internal; nothing
reached from it by redirect may, unless it is on the list itself.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from queue import Empty, Queue
from typing import Any

from ssrfguard import DEFAULT_DENIED, AddressTable, Block, Policy, Reach, SSRFGuardError
from ssrfguard.httpx import SafeBackend

__all__ = ["FetchPolicy", "Resolver", "SSRFGuardError", "guard_for", "is_internal"]

WEB_PORTS = frozenset({80, 443})
# The host agent of a large cloud answers here with credentials; the address looks public.
_CLOUD_AGENTS = ("168.63.129.16/32",)
_DNS_SECONDS = 5.0

Resolver = Callable[..., Iterable[Any]]


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What the server may open on a user's behalf. Sizes in bytes, times in seconds.

    `allowed_hosts` are names or literal addresses of an intranet, compared whole; `allowed_ports`
    come on top of 80 and 443; `denied_networks` are our own public addresses.
    """

    allowed_hosts: frozenset[str] = frozenset()
    allowed_ports: frozenset[int] = frozenset()
    denied_networks: tuple[str, ...] = ()
    max_redirects: int = 6
    max_bytes: int = 100 << 20
    max_url_length: int = 4096
    connect_seconds: float = 5.0
    read_seconds: float = 10.0
    total_seconds: float = 30.0
    max_retry_after: int = 24 * 3600
    user_agent: str = "Quadern/1.0 (+document reader)"

    @property
    def ports(self) -> frozenset[int]:
        """All ports that may be named."""
        return WEB_PORTS | self.allowed_ports

    def allows_host(self, host: str) -> bool:
        """Whether the host is on the allow-list."""
        return host.lower().rstrip(".") in self.allowed_hosts


def is_internal(address: str, policy: FetchPolicy) -> bool:
    """Whether a literal address may not be opened; an unreadable one may not."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return True
    return bool(_table(policy).classify(parsed).blocked)


@lru_cache(maxsize=16)
def _table(policy: FetchPolicy) -> AddressTable:
    ours = tuple(
        Block(network=ipaddress.ip_network(cidr), name="own", rfc="local", reach=Reach.DENIED)
        for cidr in (*_CLOUD_AGENTS, *policy.denied_networks)
    )
    known = {block.network for block in ours}
    kept = tuple(block for block in DEFAULT_DENIED.blocks if block.network not in known)
    return AddressTable(kept + ours)


def guard_for(host: str, policy: FetchPolicy, resolver: Resolver | None) -> SafeBackend:
    """A network backend that looks a name up once and connects to the answer it checked."""
    rules = Policy(
        allowed_ports=policy.ports,
        denied_networks=AddressTable(()) if policy.allows_host(host) else _table(policy),
        max_connection_attempts=3,
        max_url_length=policy.max_url_length,
    )
    return SafeBackend(policy=rules, resolver=resolver or resolve_with(_DNS_SECONDS))


def resolve_with(seconds: float) -> Resolver:
    """The system's resolver with a deadline: a stalled name server must not hold a worker."""

    def look_up(*arguments: Any) -> Iterable[Any]:
        answers: Queue[Any] = Queue(1)

        def ask() -> None:
            try:
                answers.put(socket.getaddrinfo(*arguments))
            except OSError as error:
                answers.put(error)

        threading.Thread(target=ask, daemon=True, name="resolver").start()
        try:
            answer = answers.get(timeout=seconds)
        except Empty:
            raise socket.gaierror(socket.EAI_AGAIN, "no answer in time") from None
        if isinstance(answer, OSError):
            raise answer
        return answer  # type: ignore[no-any-return]

    return look_up
