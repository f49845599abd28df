"""Telling workers that there is work. A wake-up may be lost: the row is the truth, the sweep finds it."""

import logging
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

_QUIET_SECONDS = 5.0


class _Bell:
    """Rings through whatever was plugged in; after a failure it stays quiet for a moment.

    Otherwise every upload would wait for the time limit of a broker that does not answer.
    """

    def __init__(self) -> None:
        self._send: Callable[[str], None] | None = None
        self._quiet_until = 0.0

    def plug(self, send: Callable[[str], None]) -> None:
        """Sets the way by which wake-ups leave."""
        self._send = send
        self._quiet_until = 0.0

    def ring(self, queue: str) -> None:
        """Wakes a worker of the queue, or lets it be; it never raises."""
        if self._send is None or time.monotonic() < self._quiet_until:
            return
        try:
            self._send(queue)
        except Exception as error:  # whatever a broker's client raises, the row is stored
            self._quiet_until = time.monotonic() + _QUIET_SECONDS
            logger.warning("No wake-up for queue %s, the sweep will find the job: %r", queue, error)


_bell = _Bell()
plug = _bell.plug
announce = _bell.ring
