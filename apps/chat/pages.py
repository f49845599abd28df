"""The pages that show conversations: home and the notebook."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.chat.access import turns_visible_to
from apps.chat.api import conversation_json
from apps.chat.models import Turn
from apps.chat.queries import TurnView, conversation_view, turn_view
from apps.common.http import page_number
from apps.library.queries import library_page
from apps.notebooks import queries
from apps.notebooks.access import may, notebook_for
from apps.notebooks.actions import check_freshness
from apps.notebooks.models import Notebook
from apps.notebooks.queries import NotebookView
from apps.vaults.actor import Actor
from apps.vaults.middleware import actor_of
from apps.vaults.roles import Capability

RECENT = 5


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Where the person left off, what is being read now, and what to do first."""
    actor = actor_of(request)
    cards = queries.notebook_cards(actor)
    last_turn = _last_turn(actor)
    latest = _latest(actor, last_turn) or next(iter(cards.rows), None)
    context = {
        "section": "home",
        "first_name": actor.name.split()[0] if actor.name.split() else actor.name,
        "latest": latest,
        "last_turn": turn_view(last_turn, actor) if last_turn else None,
        "recent": [card for card in cards.rows if not latest or card.id != latest.id][:RECENT],
        "total": cards.total,
        "running": queries.running_notebooks(actor),
        "has_material": latest is not None or library_page(actor).total > 0,
        "can_create": actor.may(Capability.NOTEBOOK_CREATE),
        "can_write": actor.may(Capability.LIBRARY_WRITE),
    }
    return render(request, "chat/home.html", context)


def _last_turn(actor: Actor) -> Turn | None:
    """What the person asked last, wherever that was."""
    mine = turns_visible_to(actor).filter(author=actor.user_id)
    return mine.select_related("conversation__notebook", "author").order_by("-created_at").first()


def _latest(actor: Actor, last_turn: Turn | None) -> NotebookView | None:
    if last_turn is None or last_turn.conversation.notebook is None:
        return None
    return queries.notebook_detail(actor, last_turn.conversation.notebook)


@require_safe
@login_required
def notebook(request: HttpRequest, notebook_id: uuid.UUID) -> HttpResponse:
    """The notebook: its sources, its conversation and its settings.

    `?part=sources` answers with the list of sources alone, for the script of the page.
    """
    actor = actor_of(request)
    found = notebook_for(actor, notebook_id, Capability.NOTEBOOK_READ)
    # Reading has no effect for those who may only read.
    if may(actor, found, Capability.NOTEBOOK_CHAT):
        check_freshness(found)
    context = {
        "section": "notebooks",
        "notebook": queries.notebook_detail(actor, found),
        "sources": queries.source_rows(found, page_number(request.GET.get("sources"))),
    }
    if request.GET.get("part") == "sources":
        return render(request, "notebooks/sources.html", context)
    return render(request, "notebooks/notebook.html", context | _conversation(actor, found))


def _conversation(actor: Actor, notebook: Notebook) -> dict[str, Any]:
    conversation = conversation_view(notebook, actor)
    return {
        "conversation": conversation,
        "turns": [_shown(turn) for turn in conversation.turns],
        "conversation_json": json.dumps(conversation_json(conversation), cls=DjangoJSONEncoder),
    }


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn with its sources, each number once, as a page shows it before any script runs."""

    turn: TurnView
    sources: tuple[dict[str, Any], ...]


def _shown(turn: TurnView) -> ShownTurn:
    first: dict[int, dict[str, Any]] = {}
    for citation in turn.citations:
        first.setdefault(citation["n"], citation)
    return ShownTurn(turn, tuple(first[n] for n in sorted(first)))
