"""Which address a request is counted under."""

import pytest

from apps.accounts.client_address import client_address


@pytest.mark.parametrize(
    "remote, forwarded, proxies, counted",
    [
        ("203.0.113.5", "", 0, "203.0.113.5"),
        ("203.0.113.5", "1.2.3.4", 0, "203.0.113.5"),
        ("10.0.0.2", "203.0.113.5", 1, "203.0.113.5"),
        ("10.0.0.2", "1.2.3.4, 203.0.113.5", 1, "203.0.113.5"),
        ("10.0.0.2", "1.2.3.4, 203.0.113.5, 10.0.0.1", 2, "203.0.113.5"),
        ("10.0.0.2", "", 1, "10.0.0.2"),
        ("10.0.0.2", "203.0.113.5", 9, "203.0.113.5"),
        ("10.0.0.2", "not an address", 1, "10.0.0.2"),
        ("", "", 0, "unknown"),
        ("2001:db8::1:2:3:4", "", 0, "2001:db8::/64"),
        ("10.0.0.2", "2001:db8::ffff", 1, "2001:db8::/64"),
        ("::ffff:203.0.113.5", "", 0, "203.0.113.5"),
    ],
)
def test_the_address_is_taken_from_the_right(remote, forwarded, proxies, counted):
    assert client_address(remote, forwarded, proxies) == counted
