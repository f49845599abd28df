"""From where a request comes, as far as that can be believed. Pure."""

import ipaddress


def client_address(remote: str, forwarded_for: str, trusted_proxies: int) -> str:
    """The address that the outermost trusted proxy saw; without proxies the other end itself.

    Counted from the right of `X-Forwarded-For`: what stands further left was written by the
    client. An IPv6 address is given as its /64, which one client has to itself.
    """
    hops = [hop.strip() for hop in forwarded_for.split(",") if hop.strip()]
    chain = [*hops, remote]
    return (
        _network(chain[max(0, len(chain) - 1 - trusted_proxies)]) or _network(remote) or "unknown"
    )


def _network(address: str) -> str | None:
    try:
        parsed = ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
