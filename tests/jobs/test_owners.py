"""Who holds a lease, and when it is certain that nobody does any more."""

import os
import signal
import subprocess
import sys

import pytest

from apps.jobs import owners
from tests.support.worker import eventually


@pytest.fixture
def sleeper():
    """Another process of this machine, and the name under which it would take leases."""
    code = "from apps.jobs import owners; print(owners.this_process(), flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield process, process.stdout.readline().strip() + "#a1b2"
    process.kill()
    process.communicate()


def test_a_living_process_is_not_gone(sleeper):
    _, name = sleeper
    assert not owners.is_gone(name)
    assert not owners.is_gone(owners.this_process())


def test_a_killed_process_is_gone_also_before_its_parent_takes_note(sleeper):
    process, name = sleeper
    os.kill(process.pid, signal.SIGKILL)
    eventually(lambda: owners.is_gone(name), "the kernel's notice", 5)
    process.wait(5)
    assert owners.is_gone(name)


def test_a_process_that_took_over_the_number_of_a_dead_one_is_told_apart():
    host, space, number, started = owners.this_process().rsplit(":", 3)
    assert owners.is_gone(f"{host}:{space}:{number}:{int(started) - 100}#a1b2")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "elsewhere",
        "elsewhere:1-2.3:1:5#a1b2",
        "elsewhere:-:1:5#a1b2",
        f"here:{owners._space()}:1:-#a1b2",
        "a:b:c",
    ],
)
def test_where_nothing_is_certain_a_process_is_not_gone(name):
    assert not owners.is_gone(name)
