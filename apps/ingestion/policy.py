"""What the fetcher may open here, by this install's settings."""

from django.conf import settings

from apps.ingestion.fetching import FetchPolicy


def fetch_policy() -> FetchPolicy:
    """The policy out of `QUADERN_FETCH_ALLOWED_HOSTS` and `QUADERN_FETCH_ALLOWED_PORTS`."""
    return FetchPolicy(
        allowed_hosts=frozenset(settings.FETCH_ALLOWED_HOSTS),
        allowed_ports=frozenset(settings.FETCH_ALLOWED_PORTS),
    )
