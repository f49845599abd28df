"""What one worker process does besides waiting for wake-ups: it takes turns, and it looks by itself."""

import logging
import random
import threading
from collections.abc import Iterable
from datetime import timedelta

from django.db import close_old_connections, connections

from apps.jobs import actions, runner
from apps.jobs.context import stopping
from apps.jobs.values import ALL_QUEUES

logger = logging.getLogger(__name__)


class Workshop:
    """The places at which jobs are done in this process, and the queues they serve."""

    def __init__(self) -> None:
        self._queues: tuple[str, ...] = tuple(ALL_QUEUES)
        self._places = threading.BoundedSemaphore(1)
        self._rung = threading.Event()

    def open(self, queues: Iterable[str], places: int) -> None:
        """Sets which queues are served by how many jobs at a time, before any work begins."""
        self._queues = tuple(queues)
        self._places = threading.BoundedSemaphore(places)

    def drain(self) -> int:
        """Runs due jobs until none is left, unless every place is taken; gives their number.

        A place that is just being left looks once more when somebody rang meanwhile, so no
        wake-up falls between the last look and the leaving.
        """
        self._rung.set()
        ran = 0
        while self._rung.is_set() and self._places.acquire(blocking=False):
            self._rung.clear()
            try:
                ran += self._run_all()
            finally:
                self._places.release()
        return ran

    def _run_all(self) -> int:
        """Between any two jobs a connection that broke or grew old is replaced."""
        ran = 0
        while runner.run_due(1, queues=self._queues):
            close_old_connections()
            ran += 1
        return ran


class Pulse(threading.Thread):
    """Sweeps by a timer of its own and starts work, so that both go on while the broker is away."""

    def __init__(self, workshop: Workshop, every: timedelta = timedelta(seconds=10)) -> None:
        super().__init__(name="jobs-pulse", daemon=True)
        self._workshop = workshop
        self._every = every
        self._hand: threading.Thread | None = None  # does what the sweep found, beside the ticks

    def run(self) -> None:
        """Ticks at once, which frees what a killed predecessor left, then until the process ends."""
        self._tick()
        while not stopping.wait(self._every.total_seconds() * random.uniform(0.8, 1.2)):  # noqa: S311 spreads load
            self._tick()

    def _tick(self) -> None:
        close_old_connections()
        try:
            if actions.sweep().woken:
                self._lend_a_hand()
        except Exception:  # the next tick tries again, whatever it was
            logger.exception("The worker's own look for work failed")
        finally:
            close_old_connections()

    def _lend_a_hand(self) -> None:
        if self._hand is None or not self._hand.is_alive():
            self._hand = threading.Thread(target=self._drain, name="jobs-hand", daemon=True)
            self._hand.start()

    def _drain(self) -> None:
        try:
            self._workshop.drain()
        except Exception:
            logger.exception("The worker's own work stopped; the next tick starts it again")
        finally:
            connections.close_all()

    def leave(self, patience: timedelta) -> None:
        """Waits for the job in hand to be put back, when this process ends."""
        for thread in (self, self._hand):
            if thread is not None and thread.is_alive():
                thread.join(patience.total_seconds())
