"""Wrong sign-ins are counted per account and per address; after too many the next must wait.

A browser that has signed in to the account before carries a mark and is counted alone: guesses
made elsewhere lock out neither the owner nor the people behind the same address.
Counters live in the cache. Without it nobody is counted, and signing in still works.
"""

import hashlib
import logging
import time
from dataclasses import dataclass

from django.core.cache import cache
from django.utils.translation import gettext as _

from apps.common.errors import Throttled

logger = logging.getLogger(__name__)
WINDOW_SECONDS = 15 * 60
PER_ACCOUNT = 10
PER_ADDRESS = 30


@dataclass(frozen=True, slots=True)
class Bucket:
    """One counter and how many wrong tries it takes in a window."""

    name: str
    limit: int


def buckets_of(account: str, address: str, device: str | None) -> tuple[Bucket, ...]:
    """The counters of a try; `device` is the mark of a browser known to this account."""
    if device is not None:
        return (Bucket(f"device:{device}:{account}", PER_ACCOUNT),)
    return (Bucket(f"account:{account}", PER_ACCOUNT), Bucket(f"address:{address}", PER_ADDRESS))


class Attempt:
    """One try to sign in, counted as wrong until it is forgiven.

    Counting comes before the password is looked at, so that many tries at once cannot all
    slip through together.
    """

    def __init__(self, buckets: tuple[Bucket, ...], now: float | None = None) -> None:
        self._now = time.time() if now is None else now
        self._keys = {_key(bucket, self._now): bucket.limit for bucket in buckets}

    def begin(self) -> None:
        """Counts the try; raises Throttled when one of its counters is full."""
        counts = {key: _add(key, 1) for key in self._keys}
        if any(counts[key] > limit for key, limit in self._keys.items()):
            wait = WINDOW_SECONDS - int(self._now % WINDOW_SECONDS)
            raise Throttled(
                _("Too many wrong tries. Wait %(minutes)d minutes, then try again.")
                % {"minutes": -(-wait // 60)},
                retry_after=wait,
            )

    def forgive(self) -> None:
        """Takes the try off the counters: it was no wrong one."""
        for key in self._keys:
            _add(key, -1)


def _key(bucket: Bucket, now: float) -> str:
    digest = hashlib.sha256(bucket.name.encode("utf-8", "replace")).hexdigest()
    return f"sign-in:{int(now // WINDOW_SECONDS)}:{digest}"


def _add(key: str, change: int) -> int:
    try:
        cache.add(key, 0, WINDOW_SECONDS)
        return cache.incr(key, change)
    except Exception as error:  # whatever a cache's client raises, people must get in
        logger.warning("wrong sign-ins are not counted, the cache does not answer: %r", error)
        return 0
