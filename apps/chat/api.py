"""The HTTP interface of the chat: ask and follow as server-sent events, state and stop as JSON."""

import uuid
from dataclasses import asdict
from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.chat import following, queries, running, turns, wakeups
from apps.chat.access import turn_for
from apps.chat.serializers import NewQuestion
from apps.chat.values import Question
from apps.common.db import in_db_thread
from apps.common.errors import Invalid
from apps.common.http import read_json
from apps.common.problem import SignedOut
from apps.notebooks.access import notebook_for
from apps.vaults.actor import Actor
from apps.vaults.middleware import actor_of, resolve_actor
from apps.vaults.roles import Capability

# No proxy may hold fragments back, change them or keep them.
STREAM_HEADERS = {
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


@require_POST
async def ask(request: HttpRequest) -> StreamingHttpResponse:
    """Stores the question, starts its answer and streams it; the same id again joins it."""
    actor = await in_db_thread(_actor, request)
    question = _question(request)
    opened = await in_db_thread(turns.open_turn, actor, question)
    running.start(opened)
    return _stream(opened.turn_id, after=0)


@require_GET
async def stream(request: HttpRequest, turn_id: uuid.UUID) -> StreamingHttpResponse:
    """The turn from the frame after `Last-Event-ID` (or `?after=`) on, until it ends."""
    actor = await in_db_thread(_actor, request)
    after = _last_seen(request)
    turn = await in_db_thread(turn_for, actor, turn_id)
    return _stream(turn.id, after=after)


def _actor(request: HttpRequest) -> Actor:
    if not request.user.is_authenticated:
        raise SignedOut(_("Sign in to go on."))
    return resolve_actor(request)


def _question(request: HttpRequest) -> Question:
    """The question of a request; Invalid, TooLarge or a parse error when it is not usable."""
    shape = NewQuestion(data=read_json(request.body))
    shape.is_valid(raise_exception=True)
    data = shape.validated_data
    chosen = data.get("context", {}).get("source_ids")
    return Question(
        data["notebook_id"],
        data["message"],
        data["client_turn_id"],
        None if chosen is None else frozenset(chosen),
    )


def _last_seen(request: HttpRequest) -> int:
    """The number of the last frame the client has; the header wins, as browsers send it."""
    given = request.headers.get("Last-Event-ID") or request.GET.get("after") or "0"
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise Invalid(_("The number of the last frame is not usable."), code="bad_last_event_id")
    return int(given)


def _stream(turn_id: uuid.UUID, *, after: int) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        following.events(turn_id, after),
        content_type="text/event-stream; charset=utf-8",
        headers={**STREAM_HEADERS, "X-Turn": str(turn_id)},
    )


class TurnView(APIView):
    """One turn: its state, and its answer so far."""

    def get(self, request: Request, turn_id: uuid.UUID) -> Response:
        """The turn as JSON, the same as in its conversation."""
        turn = turn_for(actor_of(request), turn_id)
        return Response(turn_json(queries.turn_view(turn, actor_of(request))))


class StopView(APIView):
    """Stopping an answer."""

    def post(self, request: Request, turn_id: uuid.UUID) -> Response:
        """Asks the answer to stop (202); one that is over stays as it is. What was said is kept."""
        turn = turn_for(actor_of(request), turn_id, Capability.NOTEBOOK_CHAT)
        turns.request_stop(turn)
        async_to_sync(wakeups.announce)(wakeups.stops_of(turn.id))
        return Response({"id": str(turn.id), "state": turn.state}, status=202)


class ConversationView(APIView):
    """The canonical conversation of a notebook."""

    def get(self, request: Request, notebook_id: uuid.UUID) -> Response:
        """Its newest turns, oldest first; `?before=` a position gives older ones."""
        notebook = notebook_for(actor_of(request), notebook_id, Capability.NOTEBOOK_READ)
        before = _position(request)
        view = queries.conversation_view(notebook, actor_of(request), before)
        return Response(conversation_json(view))


def _position(request: Request) -> int | None:
    given = request.query_params.get("before")
    if given is None:
        return None
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise Invalid(_("The position is not usable."), fields={"before": [_("From 1 up.")]})
    return int(given)


def turn_json(view: queries.TurnView) -> dict[str, Any]:
    """A turn as the API sends it and as the page holds it at its first render."""
    return {**asdict(view), "asked_at": view.asked_at.isoformat()}


def conversation_json(view: queries.ConversationView) -> dict[str, Any]:
    """A conversation as the API sends it and as the page holds it at its first render."""
    return {
        "kind": view.kind,
        "turns": [turn_json(turn) for turn in view.turns],
        "earlier": view.earlier,
    }
