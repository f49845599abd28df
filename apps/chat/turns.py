"""Every write of a conversation. Each function is one short transaction.

A turn that is being answered has a lease by the database's clock. Whoever answers it names the
lease in every write; once it is lost, nothing more can be written.
"""

import secrets
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from apps.chat import access, context
from apps.chat.context import TurnContext
from apps.chat.frames import CitationFrame, Done, parse, payload_json
from apps.chat.frames import Frame as FrameValue
from apps.chat.models import Citation, Conversation, Frame, Turn
from apps.chat.replay import Told, done, replay
from apps.chat.values import GroundingPolicy, Question, TurnState
from apps.common.errors import Conflict
from apps.notebooks import revisions
from apps.notebooks.actions import check_freshness
from apps.notebooks.evidence import PinnedNotebook
from apps.notebooks.models import Notebook, RevisionPin
from apps.vaults.actor import Actor

LEASE = timedelta(seconds=15)


class LeaseLost(Exception):
    """Somebody else has ended this turn; what is written now would be written twice."""


class StopRequested(Exception):
    """Somebody pressed Stop."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A turn to answer under `lease`; without a lease it exists already and is only joined."""

    turn_id: uuid.UUID
    lease: str
    context: TurnContext | None


def open_turn(actor: Actor, question: Question) -> Opened:
    """The turn of this question: new, its question stored and its revisions pinned, or the
    one that the same `client_turn_id` made before.

    Raises NotFound, Forbidden, Conflict `notebook_not_ready` or `conversation_busy`, and
    Invalid `unknown_sources`.
    """
    notebook = context.authorize(actor, question)
    known = _known(actor, question)
    if known is not None:
        return known
    pins = context.pin(notebook)
    context.refuse_foreign_sources(pins, question.source_ids)
    check_freshness(notebook)
    conversation = _conversation(actor, notebook)
    for _try in range(2):
        try:
            return _create(actor, question, notebook, conversation, pins)
        except IntegrityError:
            # The same question came twice at once, or another one is being answered, or was
            # when its process died: then this one goes first.
            known = _known(actor, question)
            if known is not None:
                return known
            if not recover(Turn.objects.filter(conversation=conversation)):
                break
    raise Conflict(
        _("Another question is being answered here. Ask again when it is done."),
        code="conversation_busy",
    )


def _known(actor: Actor, question: Question) -> Opened | None:
    turn = Turn.objects.filter(
        author_id=actor.user_id, client_turn_id=question.client_turn_id
    ).first()
    if turn is None:
        return None
    access.turn_for(actor, turn.id)
    return Opened(turn.id, "", None)


def _conversation(actor: Actor, notebook: Notebook) -> Conversation:
    key = access.conversation_key(actor, notebook)
    conversation, _made = Conversation.objects.get_or_create(
        **key, defaults={"vault_id": actor.vault_id}
    )
    return conversation


def _create(
    actor: Actor,
    question: Question,
    notebook: Notebook,
    conversation: Conversation,
    pins: Sequence[PinnedNotebook],
) -> Opened:
    lease = secrets.token_hex(16)
    with transaction.atomic():
        last = conversation.turns.aggregate(last=Max("position"))["last"] or 0
        turn = Turn.objects.create(
            conversation=conversation,
            position=last + 1,
            author_id=actor.user_id,
            client_turn_id=question.client_turn_id,
            question=question.text,
            state=TurnState.STREAMING,
            lease_owner=lease,
            lease_expires_at=Now() + LEASE,
        )
        for pinned in pins:
            revisions.pin(pinned.revision_id, RevisionPin.Holder.TURN, turn.id)
    policy = GroundingPolicy(notebook.grounding_policy)
    asked = TurnContext(turn.id, question.text, actor, tuple(pins), policy, question.source_ids)
    return Opened(turn.id, lease, asked)


def write_frames(turn_id: uuid.UUID, lease: str, frames: Sequence[FrameValue]) -> None:
    """Stores the frames and extends the lease; without frames it only extends the lease.

    Raises LeaseLost when the turn was ended by somebody else, StopRequested after Stop; the
    frames are stored all the same before the latter.
    """
    with transaction.atomic():
        held = Turn.objects.filter(id=turn_id).held_by(lease)
        if not held.update(lease_expires_at=Now() + LEASE):
            raise LeaseLost
        _store(turn_id, frames)
    if Turn.objects.filter(id=turn_id, stop_requested_at__isnull=False).exists():
        raise StopRequested


def _store(turn_id: uuid.UUID, frames: Iterable[FrameValue]) -> None:
    Frame.objects.bulk_create(
        Frame(turn_id=turn_id, seq=frame.seq, type=frame.type, data=payload_json(frame.payload))
        for frame in frames
    )


def finish(
    turn_id: uuid.UUID, lease: str, told: Told, done: Done, frames: Sequence[FrameValue]
) -> None:
    """Ends the turn: its last frames, `done` among them, its answer and citations at once.

    Raises LeaseLost when the turn was ended by somebody else.
    """
    with transaction.atomic():
        ended = Turn.objects.filter(id=turn_id).held_by(lease)
        if not ended.update(**_columns(told, done)):
            raise LeaseLost
        _store(turn_id, frames)
        Citation.objects.bulk_create(_citation(turn_id, one) for one in told.citations)


def _columns(told: Told, done: Done) -> dict[str, object]:
    return {
        "state": done.state,
        "answer": told.text,
        "reason": told.meta.reason if told.meta else "",
        "meta": payload_json(told.meta) if told.meta else {},
        "unknown_citations": done.unknown_citations,
        "finished_at": Now(),
        "lease_owner": "",
        "lease_expires_at": None,
    }


def _citation(turn_id: uuid.UUID, frame: CitationFrame) -> Citation:
    return Citation(
        turn_id=turn_id,
        n=frame.n,
        chunk_id=frame.chunk_id,
        notebook_id=frame.notebook_id,
        revision=frame.revision,
        source_id=frame.source_id,
        resource_id=frame.resource_id,
        locator=frame.locator,
        marker_start=frame.marker[0],
        marker_end=frame.marker[1],
        sentence_start=frame.sentence[0],
        sentence_end=frame.sentence[1],
        quote_start=frame.quote[0],
        quote_end=frame.quote[1],
        support=frame.support,
    )


def request_stop(turn: Turn) -> None:
    """Asks whoever answers the turn to stop; a turn that is over stays as it is."""
    Turn.objects.running().filter(id=turn.id).update(stop_requested_at=Now())


def recover(turns: QuerySet[Turn]) -> int:
    """Ends those of the turns that nobody answers any more as `interrupted`; gives how many.

    What they had said is kept, so that "Ask again" loses nothing.
    """
    abandoned = Turn.objects.abandoned().filter(id__in=turns.values("id"))
    return sum(_interrupt(turn_id) for turn_id in abandoned.values_list("id", flat=True))


def _interrupt(turn_id: uuid.UUID) -> bool:
    with transaction.atomic():
        turn = Turn.objects.select_for_update().abandoned().filter(id=turn_id).first()
        if turn is None:
            return False
        stored = turn.frames.order_by("seq")
        payloads = [parse(frame.type, frame.data) for frame in stored]
        told = replay(payloads)
        end = done(told, TurnState.INTERRUPTED, unknown_citations=0, duration_ms=0)
        finish(turn_id, turn.lease_owner, told, end, [FrameValue(len(payloads) + 1, end)])
    return True
