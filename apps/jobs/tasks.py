"""The only door to Celery: wake-ups out, wake-ups in, and the life of a worker process."""

import logging
import signal
import sys
from datetime import timedelta
from typing import Any

from celery.signals import worker_init, worker_shutdown, worker_shutting_down
from django.db import close_old_connections

from apps.jobs import actions, wakeups
from apps.jobs.context import stopping
from apps.jobs.worker import Pulse, Workshop
from config.celery import app

_workshop = Workshop()
_pulse = Pulse(_workshop)
_PATIENCE = timedelta(seconds=30)


@app.task(name="jobs.drain")
def drain() -> None:
    """A wake-up. It says nothing but "look": delivered twice or never, the outcome is the same."""
    close_old_connections()
    try:
        _workshop.drain()
    finally:
        close_old_connections()


@app.task(name="jobs.sweep")
def sweep() -> None:
    """The scheduled sweep."""
    close_old_connections()
    try:
        actions.sweep()
    finally:
        close_old_connections()


def _send(queue: str) -> None:
    drain.apply_async(queue=queue, retry=False, ignore_result=True)


wakeups.plug(_send)


@worker_init.connect
def _open(sender: Any, **_: Any) -> None:
    """Before the worker meets its broker, which may be away for long."""
    for receipts in ("celery.worker.strategy", "celery.app.trace"):  # a wake-up is no news
        logging.getLogger(receipts).setLevel(logging.WARNING)
    _workshop.open(sender.app.amqp.queues.consume_from, sender.concurrency)
    # Work begins now, but Celery listens for the end only once it is set up.
    signal.signal(signal.SIGTERM, _leave_early)
    _pulse.start()


def _leave_early(*_: object) -> None:
    """Asked to end before Celery listens: what was begun is put back all the same."""
    stopping.set()
    _pulse.leave(_PATIENCE)
    sys.exit(0)


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    """Running jobs are put back at their next checkpoint."""
    stopping.set()


@worker_shutdown.connect
def _leave(**_: Any) -> None:
    _pulse.leave(_PATIENCE)
