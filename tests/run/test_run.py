"""The launcher: what it says when something is missing, and how it looks after its children."""

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

RUN = Path(__file__).resolve().parent.parent.parent / "run"
# A parent with one child that reports its own process id and then waits.
HOUSE = """
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
loader = SourceFileLoader("run", sys.argv[1])
run = module_from_spec(spec_from_loader("run", loader))
loader.exec_module(run)
house = run.House()
child = "import os, time; print('pid', os.getpid(), flush=True); time.sleep(600)"
house.add("web", [sys.executable, "-c", child], dict(run.os.environ))
try:
    while not house.asked_to_stop:
        house.turn(0.05)
finally:
    house.stop()
"""


@pytest.fixture(scope="module")
def run() -> ModuleType:
    loader = SourceFileLoader("quadern_run", str(RUN))
    spec = importlib.util.spec_from_loader("quadern_run", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def house() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-B", "-c", HOUSE, str(RUN)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


def _pid_of_child(house: subprocess.Popen[str]) -> int:
    assert house.stdout
    line = house.stdout.readline()
    assert line.startswith("web    | pid ")
    return int(line.split()[-1])


def _is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _wait_until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False


def _run(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", str(RUN), *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )


def test_alone_it_lists_every_command_on_one_line() -> None:
    lines = _run().stdout.splitlines()
    commands = ["serve", "test", "check", "ask", "demo", "bench", "manage", "extras"]
    assert [line.split()[1] for line in lines] == commands


def test_an_unknown_command_lists_them_too_and_fails() -> None:
    done = _run("serv")
    assert done.returncode == 2
    assert "./run serve" in done.stdout


def test_a_taken_port_is_one_sentence_with_the_way_out() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = _run("serve", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"--port {port + 1}" in done.stderr


def test_a_question_without_dashes_is_explained() -> None:
    done = _run("ask", "report.pdf", "What changed?")
    assert done.returncode == 1
    assert "./run ask report.pdf --" in done.stderr


def test_an_unknown_bench_names_the_known_ones() -> None:
    done = _run("bench", "nothing")
    assert done.returncode == 1
    assert done.stderr.startswith("quadern: Name one of these:")


def test_two_houses_do_not_share_a_data_folder(run: ModuleType, tmp_path: Path) -> None:
    held = run.hold_alone(tmp_path)
    with pytest.raises(SystemExit):
        run.hold_alone(tmp_path)
    held.close()
    run.hold_alone(tmp_path).close()


def test_a_long_data_folder_gets_a_short_socket(run: ModuleType, tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 90)
    deep.mkdir()
    assert run.broker_socket(tmp_path).name == "valkey.sock"
    assert len(os.fsencode(run.broker_socket(deep))) < 100


def test_a_stamp_is_stale_when_content_or_name_changed(
    run: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "ROOT", tmp_path)
    source, stamp = tmp_path / "src", tmp_path / "stamp"
    source.mkdir()
    (source / "a").write_text("1")
    stamp.write_text(run.digest(source))
    assert run.fresh(stamp, source)
    (source / "a").rename(source / "b")
    assert not run.fresh(stamp, source)


def test_a_child_that_dies_is_started_again(house: subprocess.Popen[str]) -> None:
    first = _pid_of_child(house)
    os.kill(first, signal.SIGKILL)
    second = _pid_of_child(house)
    assert second != first
    assert _is_there(second)


def test_asked_to_stop_it_takes_its_children_along(house: subprocess.Popen[str]) -> None:
    child = _pid_of_child(house)
    house.terminate()
    assert house.wait(timeout=10) == 0
    assert not _is_there(child)


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a child that its parent is gone"
)
def test_killed_it_leaves_no_orphan(house: subprocess.Popen[str]) -> None:
    child = _pid_of_child(house)
    house.kill()
    assert _wait_until(lambda: not _is_there(child))


@pytest.mark.parametrize(
    "counts, passed, failed, skipped",
    [
        ('tests="5" failures="0" errors="0" skipped="0"', 5, 0, 0),
        ('tests="5" failures="1" errors="2" skipped="1"', 1, 3, 1),
    ],
)
def test_a_lane_is_counted_from_its_report(
    run: ModuleType, tmp_path: Path, counts: str, passed: int, failed: int, skipped: int
) -> None:
    report = tmp_path / "lane.xml"
    report.write_text(f"<testsuites><testsuite {counts}/></testsuites>")
    total = run.outcomes(report)
    assert (total["passed"], total["failed"], total["skipped"]) == (passed, failed, skipped)


def test_a_lane_without_a_report_has_failed(run: ModuleType, tmp_path: Path) -> None:
    assert run.outcomes(tmp_path / "none.xml")["failed"] == 1


def test_tests_never_meet_somebodys_data(run: ModuleType) -> None:
    env = {"QUADERN_DATA": "/there", "REDIS_URL": "redis://real", "PATH": "/bin"}
    assert run.without_data(env) == {"PATH": "/bin"}
