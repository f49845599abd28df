"""Telling workers that there is work. A wake-up may be lost: the row is the truth, the sweep finds it."""

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)

_IDLE_SECONDS = 30.0


class _Bell:
    """Sends wake-ups from a thread of its own.

    A broker that is down costs a sender two seconds, one that accepts and never answers
    three. Nobody's request waits for that, and a burst of triggers becomes a few messages.
    """

    def __init__(self) -> None:
        self._send: Callable[[str], None] | None = None
        self._changed = threading.Condition()
        self._waiting: set[str] = set()
        self._ringer: threading.Thread | None = None

    def plug(self, send: Callable[[str], None]) -> None:
        """Sets the way by which wake-ups leave."""
        self._send = send

    def ring(self, queue: str) -> None:
        """Has a worker of the queue woken soon. It never raises and never waits for the broker."""
        with self._changed:
            self._waiting.add(queue)
            self._changed.notify()
            if self._ringer is None or not self._ringer.is_alive():
                self._ringer = threading.Thread(target=self._serve, name="jobs-bell", daemon=True)
                self._ringer.start()

    def _serve(self) -> None:
        while queues := self._next():
            for queue in sorted(queues):
                self._try(queue)

    def _next(self) -> set[str]:
        """The queues to wake; empty when the thread has nothing more to do and is let go."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting), _IDLE_SECONDS)
            queues, self._waiting = self._waiting, set()
            if not queues:
                self._ringer = None
            return queues

    def _try(self, queue: str) -> None:
        try:
            if self._send is not None:
                self._send(queue)
        except Exception as error:  # whatever a broker's client raises, the row is stored
            logger.warning("No wake-up for queue %s, the sweep will find the job: %r", queue, error)


_bell = _Bell()
plug = _bell.plug
announce = _bell.ring
