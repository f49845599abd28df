"""Many threads on real PostgreSQL, each with a connection of its own."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection, connections, transaction

from apps.jobs import actions, context, leases, runner
from apps.jobs.models import Job
from apps.jobs.values import Cancelled, CancelOutcome, LeaseLost, State
from tests.support.clock import let_time_pass
from tests.support.jobs import EAGER

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

VAULT = UUID(int=1)
QUEUES = ["default"]


def together(number, work):
    """Runs `work(n)` in that many threads which begin at the same instant; gives their results."""
    barrier = threading.Barrier(number)

    def one(index):
        barrier.wait(30)
        try:
            return work(index)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))


def queue(key="n1", vault=VAULT, payload=None):
    return actions.enqueue("probe", key, payload, vault_id=vault)


def claim():
    return leases.claim(QUEUES, EAGER)


@pytest.fixture
def effects():
    """A table for what handlers do, so that doing it twice would show."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE probe_effects (work text, fence bigint)")
    yield Effects()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE probe_effects")


class Effects:
    def add(self, job):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO probe_effects VALUES (%s, %s)", [job.job.key, job.job.fence]
            )

    def all(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT work, fence FROM probe_effects ORDER BY work, fence")
            return cursor.fetchall()


@pytest.mark.parametrize("round_", range(5))
def test_of_twenty_runners_exactly_one_claims_a_job(round_):
    queue()
    claimed = [job for job in together(20, lambda _: claim()) if job is not None]
    assert len(claimed) == 1
    assert Job.objects.get().fence == 1


def test_twenty_runners_claim_twenty_jobs_without_doubling_or_leaving_any():
    for number in range(20):
        queue(key=f"n{number}")
    claimed = together(20, lambda _: claim())
    assert len({job.pk for job in claimed if job}) == len([job for job in claimed if job])
    while (job := claim()) is not None:
        claimed.append(job)
    assert {job.key for job in claimed if job} == {f"n{number}" for number in range(20)}


@pytest.mark.parametrize("round_", range(5))
def test_twenty_triggers_at_once_make_one_waiting_job_with_every_wish(round_):
    together(20, lambda index: queue(payload={"force": [index]}))
    assert sorted(Job.objects.get().payload["force"]) == list(range(20))


def test_triggers_during_a_run_make_one_waiting_job_behind_it():
    queue()
    claim()
    together(20, lambda _: queue())
    assert sorted(Job.objects.values_list("state", flat=True)) == ["queued", "running"]


@pytest.mark.parametrize("round_", range(5))
def test_no_trigger_is_lost_while_runners_claim_and_finish(install, effects, round_):
    """After every trigger a run begins that sees it: the wishes of all runs are all wishes."""
    seen, lock = [], threading.Lock()

    def handler(job):
        with lock:
            seen.append(list(job.job.payload.get("force", [])))

    install("probe", handler)

    def act(index):
        if index % 2:
            return queue(payload={"force": [index]}).pk
        return runner.run_due(pace=EAGER)

    together(20, act)
    runner.run_due(pace=EAGER)
    assert {wish for wishes in seen for wish in wishes} == set(range(1, 20, 2))
    assert not Job.objects.exclude(state=State.SUCCEEDED).exists()


@pytest.mark.parametrize("round_", range(10))
def test_a_cancel_and_an_activation_never_both_win(install, effects, round_):
    outcomes = []

    def handler(job):
        with transaction.atomic():
            job.assert_lease()
            effects.add(job)
        job.succeed()

    install("probe", handler)
    queue()

    def act(index):
        if index == 0:
            runner.run_due(pace=EAGER)
        else:
            outcomes.append(actions.request_cancel("probe", "n1"))

    together(2, act)
    state = Job.objects.get().state
    assert state in {"succeeded", "cancelled"}
    if outcomes == [CancelOutcome.OVER]:
        assert state == State.SUCCEEDED
        assert effects.all() == [("n1", 1)]
    if outcomes == [CancelOutcome.CANCELLED]:
        assert effects.all() == []
    if state == State.SUCCEEDED:
        assert effects.all() == [("n1", 1)]


@pytest.mark.parametrize("round_", range(5))
def test_an_old_runner_and_the_new_one_activate_once(effects, round_):
    queue()
    old = context.JobContext(claim(), EAGER)
    let_time_pass(timedelta(seconds=61))
    actions.sweep()
    new = context.JobContext(claim(), EAGER)

    def activate(index):
        try:
            with transaction.atomic():
                (old, new)[index].assert_lease()
                effects.add((old, new)[index])
            return "done"
        except (LeaseLost, Cancelled):
            return "refused"

    assert together(2, activate) == ["refused", "done"]
    assert effects.all() == [("n1", new.job.fence)]


def test_a_sweep_waits_for_nobody_and_takes_no_job_that_is_being_activated():
    queue()
    held = context.JobContext(claim(), EAGER)
    let_time_pass(timedelta(seconds=61))
    with transaction.atomic():
        held.assert_lease()
        assert [report.put_back for report in together(4, lambda _: actions.sweep())] == [
            0,
            0,
            0,
            0,
        ]
        held.succeed()
    assert Job.objects.get().state == State.SUCCEEDED


def test_ten_sweeps_at_once_put_a_lost_job_back_once():
    queue()
    claim()
    let_time_pass(timedelta(seconds=61))
    assert sum(report.put_back for report in together(10, lambda _: actions.sweep())) == 1
    assert (Job.objects.get().state, Job.objects.get().attempts) == ("queued", 1)


def test_a_trigger_that_waits_for_a_slow_transaction_is_neither_lost_nor_doubled():
    first_is_in, second_may_end = threading.Event(), threading.Event()

    def act(index):
        if index == 0:
            with transaction.atomic():
                queue(payload={"force": ["a"]})
                first_is_in.set()
                second_may_end.wait(2)
            return
        first_is_in.wait(30)
        threading.Timer(0.3, second_may_end.set).start()
        queue(payload={"force": ["b"]})

    together(2, act)
    assert Job.objects.get().payload == {"force": ["a", "b"]}


def test_a_runner_sees_no_job_before_its_trigger_is_committed():
    with transaction.atomic():
        queue()
        assert together(3, lambda _: claim()) == [None, None, None]
    assert claim() is not None


def test_vaults_take_turns_among_many_runners(install):
    order, lock = [], threading.Lock()

    def handler(job):
        with lock:
            order.append(job.job.vault_id)

    install("probe", handler)
    small = UUID(int=2)
    for number in range(200):
        queue(key=f"big{number}")
    queue(key="small", vault=small)
    together(4, lambda _: runner.run_due(pace=EAGER))
    assert len(order) == 201
    assert order.index(small) < 10
