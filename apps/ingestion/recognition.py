"""What this machine can recognise text with: Tesseract and its language packs.

Asked by the worker before a file is read; the program that recognises runs in the sandbox alone.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from time import monotonic

log = logging.getLogger(__name__)

# Raise it when pages are recognised better: what an older one recognised is then read again.
VERSION = 1

PROGRAM = "tesseract"
_PACKAGE = "tesseract-ocr"
# The languages that a notebook without a setting of its own expects in its scans.
_USUAL = ("eng", "cat", "spa", "por", "nld")
# Packs that hold no language: orientation and script, and equations.
_NO_LANGUAGE = frozenset({"osd", "equ"})
_NAME = re.compile(r"[A-Za-z]{3,}(?:_[A-Za-z]+)*")
_ANSWER_SECONDS = 10.0
_FRESH_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Recognition:
    """The languages in which pages of a file are recognised; none when nothing is installed.

    `missing` are languages that were asked for and have no pack here, `package` names the Debian
    packages to install when `languages` is empty.
    """

    languages: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    package: str = _PACKAGE

    @property
    def identity(self) -> str:
        """A short word that changes with version and languages; part of a version's key."""
        if not self.languages:
            return "ocr/0"
        return f"ocr/{VERSION}-{sha256('+'.join(self.languages).encode()).hexdigest()[:6]}"


def recognition_for(asked: Sequence[str] = ()) -> Recognition:
    """What scans are read with when these Tesseract languages are asked for.

    Without a language asked for, or without a pack for any of them, those usual here that are
    installed; without these, all that are. At most a minute old.
    """
    installed = installed_languages()
    missing = tuple(name for name in asked if name not in installed)
    for name in missing:
        _warn_once(name)
    chosen = tuple(name for name in asked if name in installed) or _usual(installed)
    return Recognition(chosen, missing, _package_for(asked))


def installed_languages() -> tuple[str, ...]:
    """The language packs of this machine in alphabetical order; none without Tesseract."""
    program = shutil.which(PROGRAM)
    if program is None:
        return ()
    return _listed(program, os.stat(program).st_mtime_ns, int(monotonic() // _FRESH_SECONDS))


@lru_cache(maxsize=64)
def _warn_once(language: str) -> None:
    log.warning("scans: %s is not installed (%s)", language, _package_for([language]))


def _usual(installed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in _USUAL if name in installed) or installed


def _package_for(asked: Sequence[str]) -> str:
    packs = [name.lower().replace("_", "-") for name in asked if _NAME.fullmatch(name)]
    program = [] if shutil.which(PROGRAM) else [_PACKAGE]
    return " ".join([*program, *(f"{_PACKAGE}-{pack}" for pack in packs or [_USUAL[0]])])


@lru_cache(maxsize=4)
def _listed(program: str, _changed: int, _minute: int) -> tuple[str, ...]:
    lines = _answer(program).splitlines()[1:]
    names = {line.strip() for line in lines} - _NO_LANGUAGE
    return tuple(sorted(name for name in names if _NAME.fullmatch(name)))


def _answer(program: str) -> str:
    """What the program lists; nothing when it is broken or does not answer in time."""
    process = subprocess.Popen(
        [program, "--list-langs"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        answer, _ = process.communicate(timeout=_ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    finally:
        _end(process)
    return answer.decode("utf-8", "replace") if process.returncode == 0 else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing behind that the program started."""
    if process.stdout is not None:
        process.stdout.close()
    if process.returncode is None:
        # Not yet reaped, so the group cannot be somebody else's.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
