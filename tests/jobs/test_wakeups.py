import logging
import threading
import time

from apps.jobs.wakeups import _Bell


def test_a_wakeup_reaches_the_one_who_sends():
    sent = threading.Event()
    bell = _Bell()
    bell.plug(lambda queue: sent.set() if queue == "ingest" else None)
    bell.ring("ingest")
    assert sent.wait(5)


def test_nobody_waits_for_a_broker_that_does_not_answer_and_a_burst_becomes_few_messages():
    answers, sent = threading.Event(), []

    def send(queue):
        sent.append(queue)
        answers.wait(10)

    bell = _Bell()
    bell.plug(send)
    begin = time.monotonic()
    for _ in range(300):
        bell.ring("default")
    took = time.monotonic() - begin
    answers.set()
    _until(lambda: not bell._waiting)
    assert took < 1
    assert 1 <= len(sent) <= 3


def test_a_failed_wakeup_is_noted_and_the_next_one_leaves(caplog):
    sent = threading.Event()

    def send(queue):
        if queue == "analysis":
            raise ConnectionError("broker away")
        sent.set()

    bell = _Bell()
    bell.plug(send)
    with caplog.at_level(logging.WARNING):
        bell.ring("analysis")
        _until(lambda: "broker away" in caplog.text)
        bell.ring("ingest")
        assert sent.wait(5)


def _until(fact):
    deadline = time.monotonic() + 5
    while not fact() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert fact()
