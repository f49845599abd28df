"""Subtitles, WebVTT and SubRip: what is said as running text, with the time of each stretch.

Cues are cut for the screen, not for reading: they are joined, with a paragraph after a pause or
when another voice begins. Lines that roll from one cue into the next are said once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import unescape
from typing import NamedTuple

from apps.ingestion.decoding import decode_text
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.sniffing import VTT
from apps.ingestion.values import ExtractedPart, Mark, Note, Scale

VERSION = 1

_CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d\d)[.,](\d{1,3})"
_TIMING = re.compile(rf"\s*{_CLOCK}[ \t]*-->[ \t]*{_CLOCK}")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_VOICE = re.compile(r"<v(?:\.[\w.-]{1,100})?[ \t]+([^>\n]{1,200})>")
_TAG = re.compile(
    r"</?(?:c|i|b|u|s|v|ruby|rt|lang|font)\b[^>\n]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^}\n]{0,200}\}",
    re.I,
)
_PAUSE_SECONDS = 2.0


class _Cue(NamedTuple):
    """What is shown from `start` to `end`, in seconds."""

    start: float
    end: float
    lines: tuple[str, ...]
    voice: str = ""


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """The whole as one part, its text with a scale of seconds."""
    decoded = decode_text(reading.read_bytes())
    if decoded.replaced:
        reading.notes[Note.CHARACTERS_REPLACED] += decoded.replaced
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    speech = _Speech()
    for cue in _cues(text, is_vtt=reading.source.media_type == VTT):
        speech.add(cue)
    yield ExtractedPart(
        locator={"kind": "time"},
        text="".join(speech.pieces),
        scale=Scale("times", tuple(speech.marks)),
    )


def _cues(text: str, *, is_vtt: bool) -> Iterator[_Cue]:
    """The cues in their order; a block without a time goes on with the cue before it in SubRip."""
    last: _Cue | None = None
    for block in _BLANK_LINE.split(text):
        lines = block.strip("\n").split("\n")
        at = next((n for n, line in enumerate(lines[:2]) if _TIMING.match(line)), None)
        if at is not None:
            last = _cue(lines[at], lines[at + 1 :])
            yield last
        elif last is not None and not is_vtt:
            yield last._replace(lines=_shown(lines), voice="")


def _cue(timing: str, lines: list[str]) -> _Cue:
    found = _TIMING.match(timing)
    assert found is not None
    voice = _VOICE.search("\n".join(lines))
    return _Cue(
        _seconds(found.groups("0")[:4]),
        _seconds(found.groups("0")[4:]),
        _shown(lines),
        unescape(voice.group(1)).strip() if voice else "",
    )


def _seconds(clock: tuple[str, ...]) -> float:
    hours, minutes, seconds, fraction = clock
    whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return whole + int(fraction.ljust(3, "0")) / 1000


def _shown(lines: list[str]) -> tuple[str, ...]:
    """The lines as shown on the screen."""
    plain = (" ".join(unescape(_TAG.sub("", line)).split()) for line in lines)
    return tuple(line for line in plain if line)


_SILENCE = _Cue(0.0, 0.0, ())


@dataclass(slots=True)
class _Speech:
    """The text so far and when each stretch of it is said."""

    pieces: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    _length: int = 0
    _before: _Cue = _SILENCE

    def add(self, cue: _Cue) -> None:
        """Say what the cue adds to the one before."""
        text = " ".join(self._new_lines(cue))
        if text:
            changed = bool(cue.voice) and cue.voice != self._before.voice
            self._append(self._space(cue, changed=changed))
            self.marks.append(Mark(self._length, cue.start, cue.end))
            self._append(f"{cue.voice}: {text}" if changed else text)
        elif self.marks:
            last = self.marks[-1]
            self.marks[-1] = replace(last, last=max(last.last, cue.end))
        if cue.lines:
            self._before = cue

    def _new_lines(self, cue: _Cue) -> tuple[str, ...]:
        """The lines without those that the cue before ended with, if that was just before."""
        before = self._before.lines
        if cue.start - self._before.end > _PAUSE_SECONDS:
            return cue.lines
        most = min(len(before), len(cue.lines))
        rolled = (n for n in range(most, 0, -1) if before[-n:] == cue.lines[:n])
        return cue.lines[next(rolled, 0) :]

    def _space(self, cue: _Cue, *, changed: bool) -> str:
        if not self.pieces:
            return ""
        return "\n\n" if changed or cue.start - self._before.end >= _PAUSE_SECONDS else " "

    def _append(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)
