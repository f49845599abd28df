"""Doing queued work inside a test, and jobs whose handlers the test writes itself."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from apps.jobs import registry, runner
from apps.jobs.registry import Handler
from apps.jobs.values import Pace
from tests.support.clock import let_time_pass

EAGER = Pace(write_every=timedelta(), turn=timedelta(hours=1))
Install = Callable[[str, Handler], None]


def run_jobs(*, later: bool = False, limit: int = 1000) -> int:
    """Runs every due job here and now, with a written checkpoint at each call; gives their number.

    With `later`, jobs that wait for another try are run as well, until nothing waits.
    """
    ran = runner.run_due(limit, pace=EAGER)
    while later and ran < limit:
        let_time_pass(timedelta(hours=2))
        more = runner.run_due(limit - ran, pace=EAGER)
        if more == 0:
            break
        ran += more
    return ran


@pytest.fixture
def install() -> Iterator[Install]:
    """Registers a handler for the length of one test."""
    kinds: list[str] = []

    def add(kind: str, handler: Handler) -> None:
        registry.register(kind, handler)
        kinds.append(kind)

    yield add
    for kind in kinds:
        registry.forget(kind)
