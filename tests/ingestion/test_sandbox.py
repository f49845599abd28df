import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from apps.ingestion import sandbox
from apps.ingestion.pipeline import decode_chunk
from apps.ingestion.sandbox import Extracted, extract
from apps.ingestion.values import Failure, Limits, Note, Reason
from tests.ingestion.files import (
    PICTURE,
    compound_file,
    docx,
    paragraph,
    pdf,
    scanned_pdf,
    text_at,
)
from tests.ingestion.processes import ends_within

QUICK = Limits(page_seconds=1.0, stall_seconds=1.0, wall_seconds=20.0)


@pytest.fixture(scope="module", autouse=True)
def helper() -> Iterator[None]:
    sandbox.warm_up()
    yield
    sandbox.shut_down()


@pytest.fixture
def source(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(data: bytes, name: str = "file") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


Source = Callable[..., Path]


def texts(outcome: Extracted | Failure) -> list[str]:
    assert isinstance(outcome, Extracted), outcome
    with outcome:
        return [draft.text for draft in outcome.chunks()]


def reason(outcome: Extracted | Failure) -> Reason:
    assert isinstance(outcome, Failure), outcome
    return outcome.reason


def children() -> list[int]:
    """Living child processes of the helper."""
    process = sandbox._helper._process
    assert process is not None
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in listed.split()]


def test_a_file_gives_its_summary_and_its_chunks_more_than_once(source: Source) -> None:
    pages = [text_at(f"marker{n:05d} on its own page") for n in range(1, 31)]
    outcome = extract(source(pdf(pages)), filename="report.pdf")
    assert isinstance(outcome, Extracted)
    with outcome:
        summary = outcome.summary
        drafts = list(outcome.chunks())
        assert drafts == list(outcome.chunks())
    assert (summary.media_type, summary.page_count, summary.part_count) == (
        "application/pdf",
        30,
        30,
    )
    assert (summary.chunk_count, summary.word_count) == (30, 150)
    assert summary.extractor.startswith("pdf/")
    assert [d.ordinal for d in drafts] == list(range(30))
    assert drafts[20].locator["page"] == 21
    assert drafts[20].text == "marker00021 on its own page"
    assert drafts[20].lines[0].end == len(drafts[20].text)


def test_the_same_text_has_the_same_hash(source: Source) -> None:
    hashes = set()
    for text in ("one two", "one two", "one three"):
        outcome = extract(source(pdf([text_at(text)])))
        assert isinstance(outcome, Extracted)
        with outcome:
            hashes.add(outcome.summary.text_sha256)
    assert len(hashes) == 2


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"", Reason.EMPTY),
        (b"GIF89a" + bytes(99), Reason.UNSUPPORTED_TYPE),
        (compound_file(), Reason.ENCRYPTED),
        (b"%PDF-1.4\nnothing", Reason.CORRUPT),
        (b"<html><body><script>x</script></body></html>", Reason.NO_READABLE_TEXT),
        (scanned_pdf([PICTURE, PICTURE]), Reason.NO_READABLE_TEXT),
        (pdf([b""]), Reason.NO_READABLE_TEXT),
        (docx(paragraph("x"))[:-40], Reason.CORRUPT),
    ],
)
def test_what_cannot_be_read_has_a_reason(source: Source, data: bytes, expected: Reason) -> None:
    assert reason(extract(source(data))) is expected


@pytest.mark.parametrize(
    "limits",
    [
        Limits(max_words=9),
        Limits(max_characters=20),
        Limits(max_file_bytes=10),
        Limits(max_text_file_bytes=10),
    ],
)
def test_a_source_beyond_a_limit_is_refused_whole(source: Source, limits: Limits) -> None:
    assert reason(extract(source(b"ten words " * 5), limits=limits)) is Reason.TOO_LARGE


def test_poisonous_characters_are_cleaned_and_counted(source: Source) -> None:
    outcome = extract(source(b"left\x00right \x00\x00 tail\n", "a.txt"))
    assert isinstance(outcome, Extracted)
    assert outcome.summary.notes == {Note.CHARACTERS_REPLACED: 3}
    assert texts(outcome) == ["leftright  tail\n"]


# What a hostile file can make a reader do, played by the reader itself: the helper reads these
# modules from a folder of the test, in place of the one that reads plain text.
MISDEEDS = {
    "hang": "while True: pass",
    "sleep": "import time; time.sleep(600)",
    "crash": "import ctypes; ctypes.string_at(0)",
    "abort": "import os; os.abort()",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "memory": "x = bytearray(8 << 30)",
    "bug": "raise KeyError('/secret/path')",
    "deep": "def f(): f()\nf()",
    "disk": "import os, tempfile\nwith tempfile.TemporaryFile() as f:\n  while True: f.write(bytes(1 << 20))",
    "orphan": (
        "import os, time\n"
        "if (pid := os.fork()) == 0: time.sleep(600)\n"
        "with open('{folder}/orphan', 'w') as f: f.write(str(pid))"
    ),
    "connect": (
        "import ctypes, socket, struct\n"
        "try: socket.create_connection(('127.0.0.1', {port}))\n"
        "except OSError: pass\n"
        "libc = ctypes.CDLL(None)\n"
        "address = struct.pack('=HH4s8x', 2, socket.htons({port}), bytes([127, 0, 0, 1]))\n"
        "libc.connect(libc.socket(2, 1, 0), address, 16)"
    ),
}


@pytest.fixture
def misdeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    def prepare(name: str, port: int = 0) -> None:
        misdeed = MISDEEDS[name].replace("{folder}", str(tmp_path)).replace("{port}", str(port))
        code = "\n".join(f"    {line}" for line in misdeed.split("\n"))
        (tmp_path / "sitecustomize.py").write_text(
            "from apps.ingestion.extractors import plain\n"
            f"def extract(reading):\n{code}\n    yield from plain_extract(reading)\n"
            "plain_extract, plain.extract = plain.extract, extract\n"
        )
        environment = dict(sandbox.isolation.bare_environment(sandbox._ROOT))
        environment["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{sandbox._ROOT}"
        monkeypatch.setattr(sandbox.isolation, "bare_environment", lambda _: environment)
        sandbox.shut_down()
        sandbox.warm_up()

    yield prepare
    monkeypatch.undo()
    sandbox.shut_down()


@pytest.mark.parametrize(
    "name, expected, detail",
    [
        ("hang", Reason.TOO_SLOW, ""),
        ("sleep", Reason.TOO_SLOW, ""),
        ("crash", Reason.CRASHED, ""),
        ("abort", Reason.CRASHED, ""),
        ("killed", Reason.OUT_OF_MEMORY, ""),
        ("memory", Reason.OUT_OF_MEMORY, ""),
        ("bug", Reason.CRASHED, "KeyError"),
        ("deep", Reason.CORRUPT, "The file is nested too deeply."),
        ("disk", Reason.TOO_LARGE, ""),
    ],
)
def test_a_misdeed_costs_one_file_and_the_next_one_starts_at_once(
    source: Source, misdeed: Callable[..., None], name: str, expected: Reason, detail: str
) -> None:
    misdeed(name)
    limits = replace(QUICK, spool_bytes=4 << 20)
    found = extract(source(b"words", "a.txt"), filename="a.txt", limits=limits)
    assert isinstance(found, Failure)
    assert (found.reason, found.detail) == (expected, detail)
    assert children() == []
    began = monotonic()
    assert texts(extract(source(pdf([text_at("next")])))) == ["next"]
    assert monotonic() - began < 3


def test_what_a_child_started_ends_with_it(
    source: Source, misdeed: Callable[..., None], tmp_path: Path
) -> None:
    misdeed("orphan")
    assert texts(extract(source(b"words", "a.txt"), limits=QUICK)) == ["words"]
    assert ends_within(2, int((tmp_path / "orphan").read_text()))


def test_a_child_reaches_no_server_even_without_the_help_of_python(
    source: Source, misdeed: Callable[..., None]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        misdeed("connect", port=listener.getsockname()[1])
        found = texts(extract(source(b"words", "a.txt"), limits=QUICK))
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()
    # A machine may forbid namespaces; then C code could connect and only Python code is held back.
    assert found == ["words"]
    assert sandbox.warm_up()


def test_a_page_that_kills_the_reader_costs_only_itself(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os\n"
        "from apps.ingestion.extractors import pdfium\n"
        "lines = pdfium.Document.lines\n"
        "def deadly(self, index, most):\n"
        "    found = lines(self, index, most)\n"
        "    if any('deadly' in line.text for line in found): os.abort()\n"
        "    return found\n"
        "pdfium.Document.lines = deadly\n"
    )
    environment = dict(sandbox.isolation.bare_environment(sandbox._ROOT))
    environment["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{sandbox._ROOT}"
    monkeypatch.setattr(sandbox.isolation, "bare_environment", lambda _: environment)
    sandbox.shut_down()
    try:
        names = ["one", "deadly", "three", "four", "deadly", "six"]
        outcome = extract(source(pdf([text_at(name) for name in names])), limits=QUICK)
        assert isinstance(outcome, Extracted)
        with outcome:
            drafts = list(outcome.chunks())
        assert [d.text for d in drafts] == ["one", "three", "four", "six"]
        assert [d.locator["page"] for d in drafts] == [1, 3, 4, 6]
        assert outcome.summary.chunk_count == 4
        assert outcome.summary.notes == {Note.PAGES_FAILED: 2}
        many = extract(source(pdf([text_at("deadly")] * 9)), limits=QUICK)
        assert reason(many) is Reason.CRASHED
    finally:
        monkeypatch.undo()
        sandbox.shut_down()


def test_cancelling_ends_the_child(source: Source, misdeed: Callable[..., None]) -> None:
    misdeed("sleep")
    asked = iter([False, True])
    began = monotonic()
    found = extract(source(b"words", "a.txt"), should_stop=lambda: next(asked))
    assert reason(found) is Reason.CANCELLED
    assert monotonic() - began < 3
    assert children() == []


def test_a_child_that_talks_all_the_time_is_cancelled_too(source: Source) -> None:
    path = source(pdf([text_at("x")] * 3000))
    assert reason(extract(path, should_stop=lambda: True)) is Reason.CANCELLED
    assert reason(extract(path, limits=replace(QUICK, wall_seconds=0.01))) is Reason.TOO_SLOW
    assert children() == []


class StopWorkError(Exception):
    pass


@pytest.mark.parametrize("raised", [StopWorkError, KeyError, ValueError])
def test_what_the_progress_hook_raises_ends_the_child_and_is_passed_on(
    source: Source, raised: type[Exception]
) -> None:
    def stop(done: int, total: int) -> None:
        raise raised

    with pytest.raises(raised):
        extract(source(pdf([text_at("x")] * 50)), on_progress=stop)
    assert children() == []


def test_progress_ends_with_the_last_page(source: Source) -> None:
    seen: list[tuple[int, int]] = []
    outcome = extract(source(pdf([text_at("x")] * 20)), on_progress=lambda *at: seen.append(at))
    assert len(texts(outcome)) == 20
    assert seen[-1] == (20, 20)
    assert seen == sorted(seen)


def test_a_dead_helper_is_replaced(source: Source) -> None:
    sandbox.warm_up()
    process = sandbox._helper._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert texts(extract(source(pdf([text_at("still here")])))) == ["still here"]


def test_a_helper_that_dies_at_work_is_a_passing_fault(
    source: Source, misdeed: Callable[..., None]
) -> None:
    misdeed("sleep")

    def kill(*_: object) -> bool:
        if children():
            process = sandbox._helper._process
            assert process is not None
            os.kill(process.pid, signal.SIGKILL)
        return False

    found = extract(source(b"words", "a.txt"), should_stop=kill)
    assert isinstance(found, Failure)
    assert (found.reason, found.retryable) == (Reason.CRASHED, True)


def test_a_helper_lost_between_two_files_is_not_noticed(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.warm_up()
    process = sandbox._helper._process
    assert process is not None
    # The request is sent while the helper still seems to live.
    os.kill(process.pid, signal.SIGSTOP)
    started = sandbox._helper.start

    def start_and_lose(*arguments: Any) -> Any:
        sockets = started(*arguments)
        if sandbox._helper._process is process:
            os.kill(process.pid, signal.SIGKILL)
        return sockets

    monkeypatch.setattr(sandbox._helper, "start", start_and_lose)
    assert texts(extract(source(pdf([text_at("all the same")])))) == ["all the same"]


def test_the_helper_goes_when_its_worker_does() -> None:
    sandbox.warm_up()
    process = sandbox._helper._process
    requests = sandbox._helper._requests
    assert process is not None
    assert requests is not None
    requests.close()
    process.wait(5)
    sandbox.shut_down()


def test_several_threads_read_at_once(source: Source) -> None:
    paths = [source(pdf([text_at(f"file {n}")] * 5), f"{n}.pdf") for n in range(6)]
    found: dict[int, list[str]] = {}

    def work(number: int) -> None:
        found[number] = texts(extract(paths[number]))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [f"file {n}"] * 5 for n in range(6)}


def test_no_descriptor_is_left_open(source: Source) -> None:
    path = source(pdf([text_at("x")]))
    texts(extract(path))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        texts(extract(path))
        extract(source(b"%PDF-1.4\nnothing", "b"))
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_helper_holds_no_secret_and_no_other_descriptor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QUADERN_SECRET", "hunter2")
    sandbox.shut_down()
    sandbox.warm_up()
    process = sandbox._helper._process
    assert process is not None
    assert b"hunter2" not in Path(f"/proc/{process.pid}/environ").read_bytes()


@pytest.mark.parametrize(
    "row",
    [b"", b"{}", b"[]", b"null", b'[0,0,0,5,"abc",{"kind":"x"},[]]', b'[0,0,0,1,"a",{},[]]',
     b'[0,0,0,1,"a",{"kind":"x"},[[1]]]', b'["0",0,0,1,"a",{"kind":"x"},[]]', b"[" * 99999],
)  # fmt: skip
def test_nonsense_from_a_broken_child_is_no_chunk(row: bytes) -> None:
    with pytest.raises(ValueError, match="not a chunk"):
        decode_chunk(row)
