"""The frames of a turn and their bytes: one list, numbered from 1, for every transport. Pure.

Source of the SSE form: WHATWG HTML, "Server-sent events". Offsets into texts count code points.
"""

import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from apps.chat.values import (
    Confidence,
    GroundingPolicy,
    PhaseName,
    Reason,
    Support,
    TurnState,
    Verdict,
)
from apps.chat.wire import WireError, from_json, to_json

MAX_SOURCES = 20
MAX_EXCERPT = 220
HEARTBEAT = b": still here\n\n"


class FrameError(WireError):
    """Bytes or JSON that are no frame of ours."""


@dataclass(frozen=True, slots=True)
class SourceDetail:
    """One source behind an answer; `source` is its `db:<notebook-slug>/<resource-slug>`."""

    source: str
    title: str
    notebook: str
    kind: str
    excerpt: str
    locator: str


@dataclass(frozen=True, slots=True)
class TokensUsed:
    """Tokens as the provider counted them."""

    input: int = 0
    output: int = 0
    cached: int = 0


@dataclass(frozen=True, slots=True)
class AclMeta:
    """ACL_META version 3: verdict, reason and sources, known before any text.

    `label` is one short line for the screen, `revisions` the pinned revision number of each
    notebook by its id.
    """

    label: str
    sources: tuple[str, ...]
    source_details: tuple[SourceDetail, ...]
    decision: Verdict
    reason: Reason
    confidence: Confidence
    allow_generation: bool
    llm_called: bool
    tokens_used: TokensUsed
    grounding_policy: GroundingPolicy
    pinned_active: bool
    pinned_display: str
    pin_chunks_used: bool
    revisions: dict[str, int] = field(default_factory=dict)
    v: int = 3


@dataclass(frozen=True, slots=True)
class Phase:
    """What the server is doing now, with a short label for people."""

    phase: PhaseName
    label: str


@dataclass(frozen=True, slots=True)
class Delta:
    """The next fragment of the answer, Markdown; the answer is all of them joined."""

    text: str


@dataclass(frozen=True, slots=True)
class CitationFrame:
    """The tie between a sentence of the answer and a passage of the evidence.

    `marker` is where `[n]` stands and `sentence` what it supports, both [start, end) in the
    answer text. `quote` is the cited passage, [start, end) in the chunk's text, `quoted` its
    words. `start` is where the chunk begins in its part.
    """

    n: int
    marker: tuple[int, int]
    sentence: tuple[int, int]
    chunk_id: int
    notebook_id: uuid.UUID
    revision: int
    source_id: uuid.UUID
    resource_id: uuid.UUID
    title: str
    source_label: str
    kind: str
    locator: dict[str, Any]
    label: str
    href: str
    start: int
    quote: tuple[int, int]
    quoted: str
    support: Support


@dataclass(frozen=True, slots=True)
class Reset:
    """The text so far is void; the answer starts again."""

    cause: str


@dataclass(frozen=True, slots=True)
class ErrorFrame:
    """Something went wrong in this turn, in words for people."""

    code: str
    sentence: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class Done:
    """The last frame: everything before it is stored. `duration_ms` from question to here."""

    state: TurnState
    citations: int
    unknown_citations: int
    words: int
    duration_ms: int


Payload = AclMeta | Phase | Delta | CitationFrame | Reset | ErrorFrame | Done

_TYPES: dict[str, type[Payload]] = {
    "acl_meta": AclMeta,
    "phase": Phase,
    "delta": Delta,
    "citation": CitationFrame,
    "reset": Reset,
    "error": ErrorFrame,
    "done": Done,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}


@dataclass(frozen=True, slots=True)
class Frame:
    """A payload with its number in the turn, from 1 without gaps."""

    seq: int
    payload: Payload

    @property
    def type(self) -> str:
        """The frame's name on the wire."""
        return _NAMES[type(self.payload)]

    @property
    def ends_turn(self) -> bool:
        """Whether nothing comes after it."""
        return isinstance(self.payload, Done)


def payload_json(payload: Payload) -> dict[str, Any]:
    """The payload as the JSON object that is stored and sent."""
    data: dict[str, Any] = to_json(payload)
    return data


def parse(name: str, data: object) -> Payload:
    """The payload of a frame; raises FrameError for unknown types and fields."""
    kind = _TYPES.get(name)
    if kind is None:
        raise FrameError(f"no frame type {name!r}")
    try:
        return from_json(kind, data)
    except WireError as error:
        raise FrameError(str(error)) from error


def encode_sse(seq: int, name: str, data: object) -> bytes:
    """One frame as a server-sent event.

    JSON escapes every line end, so no text can end the event or forge a field of it.
    """
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    safe = body.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
    return f"id: {seq}\nevent: {name}\ndata: {safe}\n\n".encode()


def encode(frame: Frame) -> bytes:
    """The frame as a server-sent event."""
    return encode_sse(frame.seq, frame.type, payload_json(frame.payload))


def parse_sse(stream: bytes) -> list[Frame]:
    """The frames of a stream of complete events; comments are passed over.

    Raises FrameError for an event that is not ours or is cut off.
    """
    return [_event(event) for event in _events(stream)]


def _events(stream: bytes) -> Iterator[dict[str, str]]:
    *whole, rest = stream.decode().split("\n\n")
    if rest:
        raise FrameError("the stream ends inside an event")
    for block in whole:
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        if lines:
            yield dict(_fields(lines))


def _fields(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, _, value = line.partition(": ")
        yield name, value


def _event(event: dict[str, str]) -> Frame:
    try:
        return Frame(int(event["id"]), parse(event["event"], json.loads(event["data"])))
    except (KeyError, ValueError) as error:
        raise FrameError(str(error)) from error
