"""What the frames of a turn amount to: the same fold for a live turn, a reload and a recovery. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from apps.chat.frames import (
    AclMeta,
    CitationFrame,
    Delta,
    Done,
    ErrorFrame,
    Payload,
    Reset,
)
from apps.chat.values import TurnState, Verdict


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as its frames tell it."""

    text: str = ""
    citations: tuple[CitationFrame, ...] = ()
    meta: AclMeta | None = None
    error: ErrorFrame | None = None

    @property
    def state(self) -> TurnState:
        """How a turn ends that ends by itself: broken off in mid-text, refused, or whole."""
        if self.error is None:
            return TurnState.COMPLETED
        answered = self.meta is not None and self.meta.decision is Verdict.ANSWER
        return TurnState.INTERRUPTED if answered and self.text else TurnState.FAILED


def replay(payloads: Iterable[Payload]) -> Told:
    """The turn after these frames, from the first on."""
    told = Told()
    for payload in payloads:
        told = _after(told, payload)
    return told


def _after(told: Told, payload: Payload) -> Told:
    match payload:
        case Delta(text):
            return replace(told, text=told.text + text)
        case CitationFrame():
            return replace(told, citations=(*told.citations, payload))
        case AclMeta():
            return replace(told, meta=payload)
        case ErrorFrame():
            return replace(told, error=payload)
        case Reset():
            return replace(told, text="", citations=(), error=None)
    return told


def done(told: Told, state: TurnState, *, unknown_citations: int, duration_ms: int) -> Done:
    """The last frame of the turn."""
    return Done(
        state=state,
        citations=len(told.citations),
        unknown_citations=unknown_citations,
        words=len(told.text.split()),
        duration_ms=duration_ms,
    )
