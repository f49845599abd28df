"""The way from a file to chunks, as the child process walks it: extract, clean, chunk, spool.

Memory stays flat: a part is chunked and written before the next one is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from time import monotonic
from typing import IO, Any, cast

from apps.ingestion import chunking
from apps.ingestion.cleaning import clean_part, clean_text
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.registry import Reader
from apps.ingestion.values import (
    ChunkDraft,
    ExtractedPart,
    Limits,
    Line,
    Locator,
    Note,
    Reason,
    Unreadable,
)

_HEARTBEAT_SECONDS = 1.0
_LARGEST_TEXT = 8 * chunking.TARGET_MAX


@dataclass(frozen=True, slots=True)
class State:
    """How far a run has come; enough to go on from here in another process.

    `chain` is the running hash of all chunk texts, `spool_bytes` how much of the spool file counts,
    `recognised` the pages begun with text recognition.
    """

    done: int = 0
    total: int = 0
    parts: int = 0
    chunks: int = 0
    words: int = 0
    characters: int = 0
    spool_bytes: int = 0
    chain: str = ""
    title: str = ""
    page_count: int | None = None
    recognised: int = 0
    notes: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> State:
        """From plain JSON; TypeError when it has other keys."""
        return cls(**data)


OnState = Callable[[State], None]


class Run:
    """One run of a reader over a file, from `state` on."""

    def __init__(
        self, reader: Reader, reading: Reading, spool: IO[bytes], state: State, on_state: OnState
    ) -> None:
        self._reader = reader
        self._reading = reading
        self._spool = spool
        self._state = state
        self._on_state = on_state
        self._last_told = monotonic()
        reading.on_progress = self._progress
        reading.on_recognising = self._recognising
        reading.notes.update({Note(note): count for note, count in state.notes.items()})

    def finish(self) -> State:
        """Read the whole file; `Unreadable` when it holds no text or passes a limit."""
        for part in self._reader.extract(self._reading):
            self._add(part)
        if not self._state.chunks:
            raise _why_nothing(self._reading)
        return self._described(self._state)

    def _add(self, part: ExtractedPart) -> None:
        clean, lost = clean_part(part)
        if lost:
            self._reading.notes[Note.CHARACTERS_REPLACED] += lost
        if not clean.text.strip():
            return
        number, first = self._state.parts, self._state.chunks
        for draft in chunking.chunk(clean, number=number, first_ordinal=first):
            self._store(draft)
        self._state = replace(self._state, parts=number + 1)

    def _store(self, draft: ChunkDraft) -> None:
        row = encode_chunk(draft)
        self._spool.write(row)
        state = self._state
        self._state = replace(
            state,
            chunks=state.chunks + 1,
            words=state.words + len(draft.text.split()),
            characters=state.characters + len(draft.text),
            spool_bytes=state.spool_bytes + len(row),
            chain=sha256((state.chain + draft.text).encode()).hexdigest(),
        )
        _check_limits(self._state, self._reading.limits)
        if monotonic() - self._last_told > _HEARTBEAT_SECONDS:
            self._tell()

    def _progress(self, done: int, total: int) -> None:
        self._state = replace(self._state, done=done, total=total)
        self._tell()

    def _recognising(self) -> None:
        self._state = replace(self._state, recognised=self._state.recognised + 1)
        _check_limits(self._state, self._reading.limits)
        self._tell()

    def _tell(self) -> None:
        # What is told must be on disk: another process may have to go on from it.
        self._spool.flush()
        self._last_told = monotonic()
        self._on_state(self._described(self._state))

    def _described(self, state: State) -> State:
        return replace(
            state,
            title=clean_text(self._reading.title)[0].strip()[:500],
            page_count=self._reading.page_count,
            notes={note.value: count for note, count in self._reading.notes.items()},
        )


# The first that applies names the fault of a file whose pages all failed.
_FAULTS = (
    (Note.PAGES_NOT_RECOGNISED, Reason.OCR_UNAVAILABLE),
    (Note.PAGES_UNCLEAR, Reason.OCR_LOW_CONFIDENCE),
    (Note.PAGES_TOO_LARGE, Reason.TOO_LARGE),
    (Note.PAGES_TOO_SLOW, Reason.TOO_SLOW),
    (Note.PAGES_FAILED, Reason.CORRUPT),
)


def _why_nothing(reading: Reading) -> Unreadable:
    """The reason for a file without a single chunk."""
    reason = next((r for note, r in _FAULTS if reading.notes[note]), Reason.NO_READABLE_TEXT)
    lacks = reason is Reason.OCR_UNAVAILABLE
    return Unreadable(reason, reading.recognition.package if lacks else "")


def _check_limits(state: State, limits: Limits) -> None:
    if state.words > limits.max_words:
        raise Unreadable(Reason.TOO_LARGE, f"more than {limits.max_words} words")
    if state.recognised > limits.max_recognised_pages:
        most = limits.max_recognised_pages
        raise Unreadable(Reason.TOO_LARGE, f"more than {most} pages to recognise")
    if state.characters > limits.max_characters:
        raise Unreadable(Reason.TOO_LARGE, f"more than {limits.max_characters} characters")


def encode_chunk(draft: ChunkDraft) -> bytes:
    """A chunk as one line of the spool file."""
    boxes = [[b.start, b.end, b.x0, b.y0, b.x1, b.y1] for b in draft.lines]
    row = [draft.ordinal, draft.part, draft.start, draft.end, draft.text, draft.locator, boxes]
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _locator(data: dict[str, Any]) -> Locator:
    if not isinstance(data["kind"], str):
        raise TypeError
    return cast("Locator", data)


def decode_chunk(row: bytes) -> ChunkDraft:
    """A chunk from its line; ValueError when a broken child wrote something else."""
    try:
        ordinal, part, start, end, text, locator, boxes = json.loads(row)
        numbers = all(isinstance(n, int) for n in (ordinal, part, start, end))
        if not numbers or end - start != len(text) or len(text) > _LARGEST_TEXT:
            raise ValueError
        lines = tuple(Line(int(b[0]), int(b[1]), *map(float, b[2:6])) for b in boxes)
        return ChunkDraft(ordinal, part, start, end, text, _locator(locator), lines)
    except (TypeError, LookupError, ValueError, RecursionError) as error:
        raise ValueError("not a chunk") from error
