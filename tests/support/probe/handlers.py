"""A job whose every step leaves a row, so that a step lost or done twice would show."""

import time
from pathlib import Path

from django.db import connection, transaction

from apps.jobs.context import JobContext
from apps.jobs.registry import handler


def _rows(sql: str, *values: object) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


@handler("probe_steps")
def work(job: JobContext) -> None:
    """Does each step that is not done yet, stops before one for as long as a file says so, activates."""
    key, steps = job.job.key, int(str(job.job.payload["steps"]))
    for step in range(steps):
        done = _rows("SELECT 1 FROM probe_effects WHERE work = %s AND step = %s", key, step)
        if not done:
            _hold(job, step)
            time.sleep(float(str(job.job.payload.get("pause", 0))))
            _rows("INSERT INTO probe_effects VALUES (%s, %s, %s)", key, step, job.job.fence)
        job.checkpoint(step + 1, steps)
    with transaction.atomic():
        job.assert_lease()
        _rows("INSERT INTO probe_effects VALUES (%s, %s, %s)", key, -1, job.job.fence)
        job.succeed({"steps": steps})


def _hold(job: JobContext, step: int) -> None:
    gate = Path(str(job.job.payload.get("gate", ""))) / f"hold-{step}"
    while gate.exists():
        job.checkpoint(step)
        time.sleep(0.02)
