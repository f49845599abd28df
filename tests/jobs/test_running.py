"""One runner, one job at a time: how attempts end. On both databases."""

import logging
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, OperationalError, transaction
from django.db.models.functions import Now

from apps.common.errors import Conflict
from apps.jobs import actions, context, leases, queries
from apps.jobs.models import Job
from apps.jobs.runner import run_due
from apps.jobs.values import (
    MAX_ATTEMPTS,
    Cancelled,
    CancelOutcome,
    Fail,
    LeaseLost,
    Pace,
    Progress,
    PutBack,
    Retry,
    State,
)
from tests.support.clock import let_time_pass
from tests.support.jobs import EAGER, run_jobs

pytestmark = [pytest.mark.django_db, pytest.mark.everywhere]

VAULT = UUID(int=1)
OTHER_VAULT = UUID(int=2)


def queue(kind="probe", key="n1", payload=None, vault=VAULT):
    return actions.enqueue(kind, key, payload, vault_id=vault)


def states(kind="probe", key="n1"):
    return list(Job.objects.of(kind, key).order_by("pk").values_list("state", flat=True))


def test_a_queued_job_runs_once_and_keeps_its_result(install):
    install("probe", lambda job: {"seen": job.job.payload["n"]})
    job = queue(payload={"n": 7})
    assert run_jobs() == 1
    assert run_jobs() == 0
    job.refresh_from_db()
    assert (job.state, job.result, job.attempts, job.fence) == ("succeeded", {"seen": 7}, 1, 1)
    assert job.lease_expires_at is None
    assert job.finished_at is not None


def test_repeated_triggers_merge_into_one_job(install):
    seen = []
    install("probe", lambda job: seen.append(job.job.payload))
    first = queue(payload={"force": ["a"]})
    second = queue(payload={"force": ["b"]})
    assert first.pk == second.pk
    run_jobs()
    assert seen == [{"force": ["a", "b"]}]


def test_a_trigger_during_a_run_makes_exactly_one_more_run(install):
    runs = []

    def handler(job):
        runs.append(job.job.payload["n"])
        if len(runs) == 1:
            queue(payload={"n": 2})
            queue(payload={"n": 3})
            assert run_jobs() == 0, "the same work never runs twice at a time"

    install("probe", handler)
    queue(payload={"n": 1})
    assert run_jobs() == 2
    assert runs == [1, 3]


def test_an_enqueue_that_is_rolled_back_leaves_no_job():
    with transaction.atomic():
        queue()
        transaction.set_rollback(True)
    assert states() == []


@pytest.mark.parametrize("state", ["queued", "running"])
def test_the_database_refuses_a_second_job_of_the_same_state(state):
    lease = Now() if state == "running" else None
    row = {"kind": "probe", "key": "n1", "vault_id": VAULT, "queue": "default", "state": state}
    Job.objects.create(**row, lease_expires_at=lease)
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.create(**row, lease_expires_at=lease)


@pytest.mark.parametrize(
    "row",
    [
        {"state": "asleep"},
        {"state": "running"},
        {"state": "queued", "lease_expires_at": Now()},
        {"state": "succeeded"},
        {"state": "queued", "finished_at": Now()},
    ],
)
def test_the_database_refuses_a_job_in_an_impossible_state(row):
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.create(kind="probe", key="n1", vault_id=VAULT, queue="default", **row)


def test_a_passing_fault_is_tried_again_later_and_not_at_once(install):
    tries = []

    def handler(job):
        tries.append(job.job.attempt)
        if len(tries) < 3:
            raise Retry("unreachable", "example.org did not answer", after=timedelta(seconds=60))

    install("probe", handler)
    job = queue()
    assert run_jobs() == 1
    job.refresh_from_db()
    assert (job.state, job.error_code) == ("queued", "unreachable")
    assert run_jobs() == 0
    assert run_jobs(later=True) == 2
    job.refresh_from_db()
    assert (job.state, job.error_code, tries) == ("succeeded", "", [1, 2, 3])


def test_a_lasting_fault_ends_the_job_at_the_first_attempt(install):
    def handler(job):
        raise Fail("encrypted", "x" * 2000)

    install("probe", handler)
    queue()
    assert run_jobs(later=True) == 1
    job = Job.objects.get()
    assert (job.state, job.error_code, len(job.error_detail)) == ("failed", "encrypted", 500)


def test_an_error_meant_for_people_ends_the_job_with_its_sentence(install):
    def handler(job):
        raise Conflict("The notebook is gone.", code="gone")

    install("probe", handler)
    queue()
    run_jobs(later=True)
    job = Job.objects.get()
    assert (job.state, job.error_code, job.error_detail) == (
        "failed",
        "gone",
        "The notebook is gone.",
    )


def test_a_poison_job_is_tried_three_times_then_failed_without_a_traceback(install, caplog):
    tries = []

    def handler(job):
        tries.append(job.job.attempt)
        raise ZeroDivisionError("/secret/path")

    install("probe", handler)
    queue()
    queue("probe", "n2")
    with caplog.at_level(logging.CRITICAL + 1):
        run_jobs(later=True)
    assert sorted(tries) == [1, 1, 2, 2, 3, 3]
    for job in Job.objects.all():
        assert (job.state, job.error_code, job.error_detail) == ("failed", "internal", "")


def test_a_poison_step_after_progress_is_bounded_as_well(install, caplog):
    tries = []

    def handler(job):
        tries.append(1)
        for done in range(1, 5):
            job.checkpoint(done, 10, f"item {done}")
        raise MemoryError

    install("probe", handler)
    queue()
    with caplog.at_level(logging.CRITICAL + 1):
        run_jobs(later=True)
    assert len(tries) == MAX_ATTEMPTS
    assert Job.objects.get().state == State.FAILED


def test_attempts_that_get_further_each_time_are_not_counted(install):
    reached = []

    def handler(job):
        job.checkpoint(0, 8)
        for done in range(1, len(reached) + 2):
            job.checkpoint(done, 8)
        reached.append(1)
        if len(reached) < 7:
            raise Retry("network")

    install("probe", handler)
    queue()
    assert run_jobs(later=True) == 7
    assert Job.objects.get().state == State.SUCCEEDED


@pytest.mark.parametrize("message", ["database is locked", "server closed the connection"])
def test_a_database_fault_is_passing(install, message):
    tries = []

    def handler(job):
        tries.append(1)
        if len(tries) == 1:
            raise OperationalError(message)

    install("probe", handler)
    queue()
    run_jobs()
    assert (Job.objects.get().state, Job.objects.get().error_code) == ("queued", "database")
    run_jobs(later=True)
    assert Job.objects.get().state == State.SUCCEEDED


def test_a_kind_that_nobody_handles_fails_with_its_name():
    queue("unheard_of")
    run_jobs(later=True)
    job = Job.objects.get()
    assert (job.state, job.error_code, job.error_detail) == ("failed", "unknown_kind", "unheard_of")


def test_a_trigger_that_waits_is_taken_into_the_next_try(install):
    seen = []

    def handler(job):
        seen.append(job.job.payload)
        if len(seen) == 1:
            queue(payload={"force": ["b"]})
            raise Retry("network")

    install("probe", handler)
    queue(payload={"force": ["a"]})
    run_jobs(later=True)
    assert seen == [{"force": ["a"]}, {"force": ["a", "b"]}]
    assert states() == ["succeeded"]


# --- progress -------------------------------------------------------------------------------
def test_progress_is_stored_and_never_runs_backwards(install):
    shown = []

    def handler(job):
        for done in (1, 2, 3, 2):
            job.checkpoint(done, 9, f"file {done}.pdf")
            shown.append(queries.latest("probe", "n1").progress)

    install("probe", handler)
    queue()
    run_jobs()
    assert shown == [
        Progress(1, 9, "file 1.pdf"),
        Progress(2, 9, "file 2.pdf"),
        Progress(3, 9, "file 3.pdf"),
        Progress(3, 9, "file 2.pdf"),
    ]


def test_checkpoints_between_two_writes_ask_the_database_nothing(
    install, django_assert_num_queries
):
    def handler(job):
        with django_assert_num_queries(0):
            for done in range(500):
                job.checkpoint(done, 500)

    install("probe", handler)
    queue()
    run_due(pace=Pace(write_every=timedelta(minutes=5)))
    assert Job.objects.get().progress.done == 499, "the end of an attempt stores what was reached"


# --- cancel ---------------------------------------------------------------------------------
def test_a_waiting_job_is_cancelled_at_once_and_a_second_time_is_no_error(install):
    install("probe", lambda job: None)
    queue()
    assert actions.request_cancel("probe", "n1") is CancelOutcome.CANCELLED
    assert actions.request_cancel("probe", "n1") is CancelOutcome.OVER
    assert run_jobs() == 0
    assert states() == ["cancelled"]


def test_a_running_job_stops_at_its_next_checkpoint(install):
    steps = []

    def handler(job):
        job.checkpoint()
        steps.append(1)
        assert actions.request_cancel("probe", "n1") is CancelOutcome.STOPPING
        assert actions.request_cancel("probe", "n1") is CancelOutcome.ALREADY_STOPPING
        job.checkpoint()
        steps.append(2)

    install("probe", handler)
    queue()
    run_jobs()
    assert steps == [1]
    assert states() == ["cancelled"]
    assert actions.request_cancel("probe", "n1") is CancelOutcome.OVER


def test_a_cancelled_run_also_gives_up_its_next_try_but_not_a_later_trigger(install):
    runs = []

    def handler(job):
        runs.append(1)
        if len(runs) == 1:
            actions.request_cancel("probe", "n1")
            queue()
            raise Retry("network")

    install("probe", handler)
    queue()
    run_jobs(later=True)
    assert states() == ["cancelled", "succeeded"]


def test_cancel_reaches_both_the_running_and_the_waiting_job(install):
    def handler(job):
        queue()
        assert actions.request_cancel("probe", "n1") is CancelOutcome.STOPPING
        job.checkpoint()

    install("probe", handler)
    queue()
    assert run_jobs() == 1
    assert states() == ["cancelled", "cancelled"]


def test_activation_is_refused_once_cancel_was_requested(install):
    def handler(job):
        actions.request_cancel("probe", "n1")
        with transaction.atomic():
            job.assert_lease()
            raise AssertionError("activation went on")

    install("probe", handler)
    queue()
    run_jobs()
    assert states() == ["cancelled"]


# --- leases ---------------------------------------------------------------------------------
def claim(pace=EAGER):
    job = leases.claim(["default", "ingest", "analysis"], pace)
    assert job is not None
    return job


def test_a_job_whose_lease_ended_is_put_back_and_the_old_runner_can_write_nothing():
    queue()
    old = context.JobContext(claim(), EAGER)
    let_time_pass(timedelta(seconds=61))
    report = actions.sweep()
    assert (report.put_back, report.given_up, report.woken) == (1, 0, ("default",))
    new = claim()
    assert new.fence == old.job.fence + 1
    for refused in (old.checkpoint, old.assert_lease, old.succeed):
        with pytest.raises(LeaseLost), transaction.atomic():
            refused()
    ending = leases.Ending(State.SUCCEEDED)
    assert not leases.end(old.job.id, old.job.fence, ending)
    assert leases.end(new.pk, new.fence, ending)


def test_a_live_lease_is_left_alone():
    queue()
    claim()
    let_time_pass(timedelta(seconds=59))
    assert actions.sweep().put_back == 0
    assert states() == ["running"]


def test_a_checkpoint_moves_the_end_of_the_lease():
    queue()
    runner = context.JobContext(claim(), EAGER)
    for _ in range(5):
        let_time_pass(timedelta(seconds=50))
        runner.checkpoint()
        assert actions.sweep().put_back == 0


def test_a_job_that_kills_its_workers_is_given_up_after_three():
    queue()
    for _ in range(MAX_ATTEMPTS):
        claim()
        let_time_pass(timedelta(seconds=61))
        report = actions.sweep()
    assert (report.put_back, report.given_up) == (0, 1)
    job = Job.objects.get()
    assert (job.state, job.error_code) == ("failed", "worker_lost")


def test_a_job_whose_dead_runner_was_asked_to_stop_is_cancelled():
    queue()
    claim()
    actions.request_cancel("probe", "n1")
    let_time_pass(timedelta(seconds=61))
    actions.sweep()
    assert states() == ["cancelled"]


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_worker_whose_clock_is_wrong_steals_no_lease(time_machine, hours):
    queue()
    held = claim()
    time_machine.move_to(datetime.now(UTC) + timedelta(hours=hours))
    assert actions.sweep().put_back == 0
    assert leases.claim(["default"], EAGER) is None
    context.JobContext(held, EAGER).assert_lease()


def test_fences_go_on_rising_over_all_jobs_of_the_same_work(install):
    fences = []
    install("probe", lambda job: fences.append(job.job.fence))
    for _ in range(3):
        queue()
        run_jobs()
    assert fences == [1, 2, 3]


def test_an_effect_and_the_end_of_its_job_are_one_commit(install):
    def handler(job):
        job.checkpoint(3, 3, "last")
        job.succeed({"revision": 1})
        raise SystemExit("killed right after the commit")

    install("probe", handler)
    queue()
    with pytest.raises(SystemExit):
        run_jobs()
    job = Job.objects.get()
    assert (job.state, job.result, job.progress.done) == ("succeeded", {"revision": 1}, 3)
    assert run_jobs(later=True) == 0


# --- turns ----------------------------------------------------------------------------------
def test_vaults_take_turns_whatever_one_of_them_has_queued(install):
    order = []
    install("probe", lambda job: order.append(job.job.vault_id))
    for number in range(6):
        queue(key=f"big{number}", vault=VAULT)
    queue(key="small1", vault=OTHER_VAULT)
    queue(key="small2", vault=OTHER_VAULT)
    while run_jobs(limit=1):
        _separate_claims()
    assert order == [VAULT, OTHER_VAULT, VAULT, OTHER_VAULT, VAULT, VAULT, VAULT, VAULT]


def _separate_claims():
    """SQLite's clock has milliseconds: two claims of one test may share theirs."""
    for job in Job.objects.filter(claimed_at__isnull=False):
        Job.objects.filter(pk=job.pk).update(claimed_at=job.claimed_at - timedelta(seconds=1))


def test_a_long_job_makes_room_for_another_vault_after_its_turn_and_goes_on_later(install):
    order = []

    def handler(job):
        order.append(job.job.key)
        start = job.progress.done
        job.checkpoint(start, 3)
        for done in range(start + 1, 4):
            job.checkpoint(done, 3)

    install("probe", handler)
    queue(key="long", vault=VAULT)
    queue(key="small", vault=OTHER_VAULT)
    run_due(pace=Pace(write_every=timedelta(), turn=timedelta()))
    assert order[:2] == ["long", "small"]
    assert states(key="long") == ["succeeded"]
    assert Job.objects.get(key="long").attempts == 1


def test_a_long_job_keeps_its_place_when_only_its_own_vault_waits(install):
    order = []

    def handler(job):
        order.append(job.job.key)
        job.checkpoint(0, 2)
        job.checkpoint(1, 2)
        job.checkpoint(2, 2)

    install("probe", handler)
    queue(key="a")
    queue(key="b")
    run_due(pace=Pace(write_every=timedelta(), turn=timedelta()))
    assert order == ["a", "b"]


def test_a_process_that_ends_puts_its_job_back_without_counting_the_attempt(install):
    def handler(job):
        context.stopping.set()
        with pytest.raises(PutBack):
            job.checkpoint()
        raise PutBack

    install("probe", handler)
    queue()
    try:
        assert run_jobs() == 1
        assert run_jobs() == 0, "a process that ends takes nothing new"
    finally:
        context.stopping.clear()
    job = Job.objects.get()
    assert (job.state, job.attempts) == ("queued", 0)


# --- reading --------------------------------------------------------------------------------
def test_the_running_job_tells_how_the_work_stands_and_whether_it_runs_again(install):
    views = []

    def handler(job):
        if not views:
            views.append(queries.latest("probe", "n1"))
            queue()
            views.append(queries.latest("probe", "n1"))

    install("probe", handler)
    queue()
    run_jobs()
    assert [(view.state, view.again) for view in views] == [("running", False), ("running", True)]
    after = queries.latest("probe", "n1")
    assert (after.state, after.again) == ("succeeded", False)
    assert queries.latest("probe", "never") is None


def test_a_page_of_works_costs_one_query(django_assert_num_queries):
    keys = [f"n{number}" for number in range(30)]
    for key in keys:
        queue(key=key)
    with django_assert_num_queries(1):
        assert set(queries.latest_of("probe", keys)) == set(keys)
    with django_assert_num_queries(1):
        assert queries.running_for([VAULT, OTHER_VAULT]) == ()


def test_what_runs_is_told_by_vault():
    queue(key="mine")
    queue(key="theirs", vault=OTHER_VAULT)
    claim()
    claim()
    assert [job.key for job in queries.running_for([VAULT])] == ["mine"]
    assert queries.running_for([uuid4()]) == ()


def test_finished_jobs_are_forgotten_but_the_newest_of_each_work_stays(install):
    install("probe", lambda job: None)
    for _ in range(3):
        queue()
        run_jobs()
    assert actions.sweep().removed == 0
    let_time_pass(timedelta(days=15))
    assert actions.sweep().removed == 2
    assert states() == ["succeeded"]


def test_cancelled_is_not_caught_by_a_handler_that_forgives_errors(install):
    def handler(job):
        actions.request_cancel("probe", "n1")
        try:
            job.checkpoint()
        except Exception as error:
            raise AssertionError("a stop is no error of one item") from error

    install("probe", handler)
    queue()
    run_jobs()
    assert states() == ["cancelled"]
    assert not issubclass(Cancelled, Exception)
