import os
from collections.abc import Callable
from pathlib import Path

import pytest

from apps.ingestion import recognition
from apps.ingestion.extractors import registry
from apps.ingestion.reading import current_extractors
from apps.ingestion.recognition import Recognition, installed_languages, recognition_for
from apps.ingestion.sniffing import PDF
from tests.ingestion.processes import ends_within

Program = Callable[[str], None]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    def install(script: str) -> None:
        stub = tmp_path / "tesseract"
        stub.write_text(f"#!/bin/sh\n{script}\n")
        stub.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return install


def listing(*names: str) -> str:
    return "\n".join(["echo 'List of available languages (9):'", *(f"echo {n}" for n in names)])


@pytest.mark.parametrize(
    "installed, asked, chosen, missing",
    [
        (("osd", "eng", "cat"), (), ("eng", "cat"), ()),
        (("osd", "eng", "fra"), (), ("eng",), ()),
        (("osd", "fra", "deu"), (), ("deu", "fra"), ()),
        (("eng", "cat", "spa"), ("spa", "cat"), ("spa", "cat"), ()),
        (("eng", "cat", "spa"), ("cat", "xxx"), ("cat",), ("xxx",)),
        (("eng", "cat", "spa"), ("xxx",), ("eng", "cat", "spa"), ("xxx",)),
        (("osd", "equ"), ("cat",), (), ("cat",)),
    ],
)
def test_scans_are_read_in_the_languages_asked_for_that_are_installed(
    program: Program,
    installed: tuple[str, ...],
    asked: tuple[str, ...],
    chosen: tuple[str, ...],
    missing: tuple[str, ...],
) -> None:
    program(listing(*installed))
    found = recognition_for(asked)
    assert (found.languages, found.missing) == (chosen, missing)


@pytest.mark.parametrize("script", ["exit 1", "echo; exit 3", "kill -9 $$", "echo \\\\377\\\\376"])
def test_a_broken_program_has_no_languages(program: Program, script: str) -> None:
    program(script)
    assert installed_languages() == ()


def test_a_missing_language_is_said_once(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    program(listing("eng"))
    for _ in range(3):
        recognition_for(["qqq", "eng"])
    assert [record.getMessage() for record in caplog.records] == [
        "scans: qqq is not installed (tesseract-ocr-qqq)"
    ]


def test_what_to_install_is_named(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program(listing("osd"))
    assert recognition_for().package == "tesseract-ocr-eng"
    assert recognition_for(["chi_sim"]).package == "tesseract-ocr-chi-sim"
    assert recognition_for(["; rm -rf"]).package == "tesseract-ocr-eng"
    monkeypatch.setenv("PATH", "")
    assert recognition_for(["cat"]).package == "tesseract-ocr tesseract-ocr-cat"
    assert recognition_for(["cat"]).languages == ()


def test_a_program_that_does_not_answer_is_ended_with_all_it_started(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognition, "_ANSWER_SECONDS", 1.0)
    program(f"sleep 600 &\necho $! > {tmp_path}/started\nwait")
    assert installed_languages() == ()
    assert ends_within(2, int((tmp_path / "started").read_text()))


def test_the_programs_of_this_machine_read_the_usual_languages() -> None:
    assert recognition_for().languages == ("eng", "cat", "spa", "por", "nld")


def test_other_languages_read_scans_again_and_only_scans(program: Program) -> None:
    reader = registry.READERS[PDF]
    program(listing("eng", "cat"))
    today, in_catalan = current_extractors(), current_extractors(["cat"])
    assert reader.identity in today & in_catalan
    assert reader.identity_with(Recognition(("eng", "cat"))) in today
    assert reader.identity_with(Recognition(("eng", "cat"))) not in in_catalan
    assert reader.identity_with(Recognition(("cat",))) in in_catalan
    assert reader.identity_with(Recognition()) not in today | in_catalan


def test_identities_fit_their_column() -> None:
    longest = Recognition(tuple(f"lang_{n}" for n in range(30)))
    readers = [r for r in registry.READERS.values() if r.recognises]
    assert max(len(reader.identity_with(longest)) for reader in readers) <= 40
