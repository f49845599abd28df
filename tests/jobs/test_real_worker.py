"""A real Celery worker process and a real broker: killed, cut off, asked to end."""

import random
import socket
import time
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection, connections

from apps.jobs import actions, queries, tasks, wakeups
from apps.jobs.models import Job
from apps.jobs.values import CancelOutcome, State
from config.celery import app
from tests.support.clock import let_time_pass
from tests.support.worker import WorkerProcess, eventually

pytestmark = [
    pytest.mark.everywhere,
    pytest.mark.django_db(transaction=True),
]

KIND = "probe_steps"
VAULT = UUID(int=1)
STEPS = 6
ONCE_EACH = [(step, 1) for step in range(-1, STEPS)]  # every step, and the activation (-1)


@pytest.fixture(autouse=True)
def _effects():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE probe_effects (work text, step integer, fence bigint)")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE probe_effects")


@pytest.fixture(autouse=True)
def _broker(valkey):
    """Wake-ups of this process go to the worker's broker."""
    with app.connection_for_write(valkey.broker_url) as channel:
        wakeups.plug(
            lambda queue: tasks.drain.apply_async(queue=queue, connection=channel, retry=False)
        )
        yield
    wakeups.plug(tasks._send)


@pytest.fixture
def gate(tmp_path):
    """A folder whose file `hold-N` keeps the job before its step N."""
    folder = tmp_path / "gate"
    folder.mkdir()
    return folder


def queue(gate, key="n1", hold=None, **more):
    if hold is not None:
        (gate / f"hold-{hold}").touch()
    payload = {"steps": STEPS, "gate": str(gate), **more}
    return actions.enqueue(KIND, key, payload, vault_id=VAULT)


def release(gate):
    for file in gate.iterdir():
        file.unlink()


def effects(key="n1"):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT step, count(*) FROM probe_effects WHERE work = %s GROUP BY step ORDER BY step",
            [key],
        )
        return cursor.fetchall()


def state(key="n1"):
    view = queries.latest(KIND, key)
    return view.state if view else None


def reached(step):
    return lambda: (step - 1, 1) in effects() and state() == State.RUNNING


def ended(*keys):
    return lambda: all(state(key) == State.SUCCEEDED for key in keys)


def test_killed_in_the_middle_it_goes_on_from_the_last_step_within_thirty_seconds(worker, gate):
    queue(gate, hold=3)
    worker.start()
    eventually(reached(3), "the job's third step")
    worker.kill()
    assert state() == State.RUNNING, "nobody could say goodbye"
    release(gate)
    worker.start()
    took = eventually(ended("n1"), "the job's end")
    assert took <= 30
    assert effects() == ONCE_EACH
    assert Job.objects.get().fence == 2


def test_killed_at_any_moment_it_repeats_at_most_the_step_in_hand(worker, gate):
    """The step in hand leaves its row last, so a step that was done is never done again."""
    moments = random.Random(2_026)
    queue(gate, steps=50, pause=0.08)
    for _ in range(4):
        worker.start()
        eventually(
            lambda: state() == State.RUNNING and not Job.objects.get().owner_is_gone, "a run"
        )
        time.sleep(moments.uniform(0.3, 1.2))
        worker.kill()
    worker.start()
    eventually(ended("n1"), "the job's end")
    assert effects() == [(step, 1) for step in range(-1, 50)]
    assert Job.objects.get().fence == 5


def test_killed_on_a_machine_nobody_can_look_into_it_goes_on_when_its_lease_ends(worker, gate):
    queue(gate, hold=3)
    worker.start()
    eventually(reached(3), "the job's third step")
    worker.kill()
    release(gate)
    Job.objects.update(lease_owner="elsewhere:1-2.3:77:5#x")
    worker.start()
    other = queue(gate, key="n2")
    eventually(ended("n2"), "another job's end")
    assert state() == State.RUNNING, "a lease that has not ended is left alone"
    let_time_pass(timedelta(seconds=61))
    eventually(ended("n1"), "the job's end")
    assert effects() == ONCE_EACH
    assert Job.objects.get(pk=other.pk).fence == 1


def test_each_wakeup_delivered_three_times_has_one_effect(worker, gate):
    keys = [f"n{number}" for number in range(20)]
    for key in keys:
        job = queue(gate, key=key)
        wakeups.announce(job.queue)
        wakeups.announce(job.queue)
    worker.start()
    eventually(ended(*keys), "the end of all jobs")
    assert [effects(key) for key in keys] == [ONCE_EACH] * 20
    assert set(Job.objects.values_list("fence", flat=True)) == {1}


def test_without_a_broker_triggers_are_taken_and_jobs_end(worker, gate, valkey):
    queue(gate, hold=3)
    worker.start()
    eventually(reached(3), "the job's third step")
    valkey.kill()
    queue(gate, key="n2")
    release(gate)
    eventually(ended("n1", "n2"), "the end of both jobs without a broker")
    valkey.start()
    queue(gate, key="n3")
    eventually(ended("n3"), "the end of a job after the broker's return")
    assert [effects(key) for key in ("n1", "n2", "n3")] == [ONCE_EACH] * 3


def test_a_flushed_broker_loses_no_job(worker, gate, valkey):
    keys = [f"n{number}" for number in range(8)]
    for key in keys:
        queue(gate, key=key)
    with valkey.client() as client:
        client.flushall()
    worker.start()
    eventually(ended(*keys), "the end of all jobs")


def test_asked_to_end_it_puts_its_job_back_and_leaves(worker, gate):
    queue(gate, hold=3)
    worker.start()
    eventually(reached(3), "the job's third step")
    worker.terminate()
    job = Job.objects.get()
    assert (job.state, job.attempts, job.progress_done) == ("queued", 0, 3)
    release(gate)
    worker.start()
    eventually(ended("n1"), "the job's end")
    assert effects() == ONCE_EACH


def test_a_cancel_takes_effect_within_three_seconds(worker, gate):
    queue(gate, hold=3)
    worker.start()
    eventually(reached(3), "the job's third step")
    assert actions.request_cancel(KIND, "n1") is CancelOutcome.STOPPING
    assert eventually(lambda: state() == State.CANCELLED, "the cancel") <= 3
    assert (-1, 1) not in effects()


@pytest.mark.services
def test_a_database_that_restarts_under_running_jobs_loses_none(worker, gate, postgres_server):
    keys = [f"n{number}" for number in range(10)]
    for key in keys:
        queue(gate, key=key, hold=3)
    worker.start()
    eventually(lambda: len(queries.running_for([VAULT])) == 2, "two running jobs")
    postgres_server.stop()
    connections.close_all()
    release(gate)
    time.sleep(3)
    postgres_server.start()
    assert eventually(ended(*keys), "the end of all jobs", 90) <= 60
    assert [effects(key) for key in keys] == [ONCE_EACH] * 10


def test_a_broker_that_accepts_and_never_answers_does_not_hold_the_work(gate, tmp_path):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen(100)
        worker = WorkerProcess(f"redis+socket://{tmp_path / 's'}", tmp_path)
        queue(gate)
        worker.start()
        try:
            eventually(ended("n1"), "the job's end")
        finally:
            worker.kill()
