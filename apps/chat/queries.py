"""What pages and clients read of conversations."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Max, Q

from apps.chat.access import conversation_for
from apps.chat.frames import parse, payload_json
from apps.chat.models import Frame, Turn
from apps.chat.replay import replay
from apps.chat.values import ConversationKind, TurnState
from apps.notebooks.models import Notebook
from apps.notebooks.values import ConversationMode
from apps.vaults.actor import Actor

MAX_CHARS = 200_000
_ALWAYS_NEEDED = ("citation", "error")


@dataclass(frozen=True, slots=True)
class StoredFrame:
    """A frame as it was stored: number, type and JSON object."""

    seq: int
    type: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Author:
    """Who asked."""

    name: str
    initials: str
    is_me: bool


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn for the screen: what replaying its frames up to `last_seq` gives.

    `position` counts from 1 in its conversation. `citations`, `meta` and `error` are the
    objects of the frames.
    """

    id: uuid.UUID
    position: int
    question: str
    author: Author | None
    asked_at: datetime
    state: TurnState
    text: str
    citations: tuple[dict[str, Any], ...]
    meta: dict[str, Any] | None
    error: dict[str, Any] | None
    last_seq: int


@dataclass(frozen=True, slots=True)
class ConversationView:
    """The newest turns of a conversation, oldest first.

    `earlier` tells that older turns exist; they are asked for with the first one's position.
    """

    kind: ConversationKind
    turns: tuple[TurnView, ...]
    earlier: bool


def frames_after(turn_id: uuid.UUID, seq: int) -> list[StoredFrame]:
    """The stored frames of a turn with a higher number, in order. One query."""
    rows = Frame.objects.filter(turn_id=turn_id, seq__gt=seq).order_by("seq")
    return [StoredFrame(*row) for row in rows.values_list("seq", "type", "data")]


def turn_view(turn: Turn, actor: Actor) -> TurnView:
    """One turn; `turn` comes from `turn_for`."""
    return _views([turn], actor)[0]


def conversation_view(
    notebook: Notebook, actor: Actor, before: int | None = None
) -> ConversationView:
    """The canonical conversation of a notebook, its last 30 turns or 200,000 characters.

    `before` asks for turns older than that position. At most four queries.
    """
    shared = notebook.conversation_mode == ConversationMode.SHARED
    kind = ConversationKind.NOTEBOOK_SHARED if shared else ConversationKind.NOTEBOOK_PRIVATE
    conversation = conversation_for(actor, notebook)
    if conversation is None:
        return ConversationView(kind, (), earlier=False)
    turns = Turn.objects.filter(conversation=conversation).select_related("author")
    if before is not None:
        turns = turns.filter(position__lt=before)
    newest = list(turns.order_by("-position")[: settings.MAX_TURNS_ON_SCREEN + 1])
    shown = _within(newest[: settings.MAX_TURNS_ON_SCREEN])
    return ConversationView(
        kind, tuple(_views(shown[::-1], actor)), earlier=len(shown) < len(newest)
    )


def _within(newest: Sequence[Turn]) -> Sequence[Turn]:
    """The newest turns that fit the screen's characters, at least one."""
    total = 0
    for count, turn in enumerate(newest):
        total += len(turn.question) + len(turn.answer)
        if total > MAX_CHARS and count:
            return newest[:count]
    return newest


def _views(turns: Sequence[Turn], actor: Actor) -> list[TurnView]:
    frames = _frames_of(turns)
    last = _last_numbers(turns)
    return [_view(turn, frames[turn.id], last.get(turn.id, 0), actor) for turn in turns]


def _frames_of(turns: Sequence[Turn]) -> dict[uuid.UUID, list[StoredFrame]]:
    """The frames that a view needs: all of a turn in work, citations and errors of the others.

    A turn's columns and frames are read one after the other, so a turn that ends in between
    must be read wholly from one of them: which one is decided by the state already loaded.
    """
    running = [turn.id for turn in turns if not TurnState(turn.state).is_over]
    over = [turn.id for turn in turns if TurnState(turn.state).is_over]
    wanted = Q(turn_id__in=running) | Q(turn_id__in=over, type__in=_ALWAYS_NEEDED)
    rows = Frame.objects.filter(wanted).order_by("turn_id", "seq")
    frames: dict[uuid.UUID, list[StoredFrame]] = defaultdict(list)
    for turn_id, *rest in rows.values_list("turn_id", "seq", "type", "data"):
        frames[turn_id].append(StoredFrame(*rest))
    return frames


def _last_numbers(turns: Sequence[Turn]) -> dict[uuid.UUID, int]:
    over = [turn.id for turn in turns if TurnState(turn.state).is_over]
    rows = Frame.objects.filter(turn_id__in=over).values("turn_id").annotate(last=Max("seq"))
    return {row["turn_id"]: row["last"] for row in rows}


def _view(turn: Turn, frames: Iterable[StoredFrame], last_seq: int, actor: Actor) -> TurnView:
    frames = list(frames)
    told = replay(parse(frame.type, frame.data) for frame in frames)
    is_over = TurnState(turn.state).is_over
    live_meta = payload_json(told.meta) if told.meta else None
    return TurnView(
        id=turn.id,
        position=turn.position,
        question=turn.question,
        author=_author(turn, actor),
        asked_at=turn.created_at,
        state=_state(turn, frames),
        text=turn.answer if is_over else told.text,
        citations=tuple(payload_json(citation) for citation in told.citations),
        meta=(turn.meta or None) if is_over else live_meta,
        error=payload_json(told.error) if told.error else None,
        last_seq=last_seq if is_over else max((frame.seq for frame in frames), default=0),
    )


def _state(turn: Turn, frames: Sequence[StoredFrame]) -> TurnState:
    """The state that belongs to the frames read, which may be newer than the row read before."""
    if frames and frames[-1].type == "done":
        return TurnState(frames[-1].data["state"])
    return TurnState(turn.state)


def _author(turn: Turn, actor: Actor) -> Author | None:
    if turn.author is None:
        return None
    return Author(turn.author.name, turn.author.initials, turn.author_id == actor.user_id)
