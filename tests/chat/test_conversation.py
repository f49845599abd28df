"""What a reload shows: the same as the stream showed, in a constant number of queries."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.chat import turns
from apps.chat.context import TurnContext
from apps.chat.frames import Delta, Frame
from apps.chat.models import Conversation, Turn
from apps.chat.queries import conversation_view
from apps.chat.replay import Told, done
from apps.chat.values import Question, TurnState
from apps.common.errors import Conflict, NotFound
from apps.notebooks import actions
from apps.notebooks.models import Notebook, RevisionPin
from apps.notebooks.values import ConversationMode
from apps.vaults.actor import Actor, actor_for
from tests.chat.asking import WHO, ask, browser_of, citations_of, meta_of, text_of
from tests.support.cast import Cast, client_of
from tests.support.notebooks import fresh

pytestmark = [pytest.mark.everywhere, pytest.mark.django_db]
over_http = pytest.mark.django_db(transaction=True)


def open_(actor: Actor, notebook: Notebook, text: str = WHO) -> tuple[uuid.UUID, str]:
    opened = turns.open_turn(actor, Question(notebook.id, text, uuid.uuid4()))
    assert isinstance(opened.context, TurnContext)
    return opened.turn_id, opened.lease


def answered(actor: Actor, notebook: Notebook, text: str = "An answer.") -> uuid.UUID:
    turn_id, lease = open_(actor, notebook)
    told = Told(text=text)
    end = done(told, TurnState.COMPLETED, unknown_citations=0, duration_ms=1)
    turns.finish(turn_id, lease, told, end, [Frame(1, Delta(text)), Frame(2, end)])
    return turn_id


def conversation(client: Client, notebook: Notebook, **query: object) -> dict[str, Any]:
    response = client.get(reverse("api_conversation", args=[notebook.id]), query)
    assert response.status_code == 200
    data: dict[str, Any] = response.json()
    return data


@over_http
async def test_a_reload_shows_what_was_streamed(cast: Cast, notebook: Notebook) -> None:
    turn_id, frames = await ask(cast.clara, notebook)
    client = await browser_of(cast.enric)
    response = await client.get(f"/api/notebooks/{notebook.id}/conversation")
    (turn,) = response.json()["turns"]
    assert turn["id"] == turn_id
    assert turn["text"] == text_of(frames)
    assert turn["meta"]["label"] == meta_of(frames).label
    assert [one["n"] for one in turn["citations"]] == [one.n for one in citations_of(frames)]
    assert (turn["state"], turn["last_seq"]) == ("completed", len(frames))
    assert turn["author"] == {"name": "Clara", "initials": "C", "is_me": False}
    alone = await client.get(f"/api/turns/{turn_id}")
    assert alone.json() == turn


def test_before_the_first_question_it_is_empty(cast: Cast, notebook: Notebook) -> None:
    data = conversation(client_of(cast.lola), notebook)
    assert data == {"kind": "notebook_shared", "turns": [], "earlier": False}
    assert not Conversation.objects.exists()


def test_turns_stand_in_the_order_they_were_asked(cast: Cast, notebook: Notebook) -> None:
    wanted = [
        answered(actor_for(person), notebook) for person in (cast.clara, cast.enric, cast.clara)
    ]
    turns_shown = conversation(client_of(cast.enric), notebook)["turns"]
    assert [turn["id"] for turn in turns_shown] == [str(one) for one in wanted]
    assert [turn["author"]["is_me"] for turn in turns_shown] == [False, True, False]
    assert [turn["position"] for turn in turns_shown] == [1, 2, 3]


def test_a_turn_in_work_shows_what_it_has_said(cast: Cast, notebook: Notebook) -> None:
    turn_id, lease = open_(actor_for(cast.clara), notebook)
    turns.write_frames(turn_id, lease, [Frame(1, Delta("Half an "))])
    (turn,) = conversation(client_of(cast.clara), notebook)["turns"]
    assert (turn["text"], turn["state"], turn["last_seq"]) == ("Half an ", "streaming", 1)


def test_the_last_thirty_turns_come_first_and_older_ones_on_request(
    cast: Cast, notebook: Notebook, settings: Any
) -> None:
    settings.MAX_TURNS_ON_SCREEN = 3
    for _ in range(5):
        answered(actor_for(cast.clara), notebook)
    client = client_of(cast.clara)
    newest = conversation(client, notebook)
    assert [turn["position"] for turn in newest["turns"]] == [3, 4, 5]
    assert newest["earlier"] is True
    older = conversation(client, notebook, before=3)
    assert [turn["position"] for turn in older["turns"]] == [1, 2]
    assert older["earlier"] is False


def test_two_hundred_thousand_characters_fill_the_screen(cast: Cast, notebook: Notebook) -> None:
    for _ in range(3):
        answered(actor_for(cast.clara), notebook, "a" * 90_000)
    data = conversation(client_of(cast.clara), notebook)
    assert [turn["position"] for turn in data["turns"]] == [2, 3]
    assert data["earlier"] is True


def test_one_huge_turn_is_still_shown(cast: Cast, notebook: Notebook) -> None:
    answered(actor_for(cast.clara), notebook, "a" * 250_000)
    assert len(conversation(client_of(cast.clara), notebook)["turns"]) == 1


@pytest.mark.parametrize("before", ["-1", "x", "1e3", "9" * 12])
def test_a_strange_position_is_refused(cast: Cast, notebook: Notebook, before: str) -> None:
    response = client_of(cast.clara).get(
        reverse("api_conversation", args=[notebook.id]), {"before": before}
    )
    assert response.status_code == 400


def test_the_number_of_queries_does_not_grow(cast: Cast, notebook: Notebook) -> None:
    actor = actor_for(cast.enric)
    counts = []
    for turns_more in (1, 6):
        for _ in range(turns_more):
            answered(actor, notebook)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            conversation_view(notebook, actor)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 4


def test_switching_the_mode_and_back_restores_the_history(cast: Cast, notebook: Notebook) -> None:
    clara = actor_for(cast.clara)
    shared = answered(clara, notebook)
    notebook = actions.change_settings(
        notebook, {"conversation_mode": ConversationMode.PRIVATE_MEMBER}, by=clara
    )
    assert conversation_view(notebook, clara).turns == ()
    private = answered(clara, notebook)
    assert [turn.id for turn in conversation_view(notebook, clara).turns] == [private]
    notebook = actions.change_settings(
        notebook, {"conversation_mode": ConversationMode.SHARED}, by=clara
    )
    assert [turn.id for turn in conversation_view(notebook, clara).turns] == [shared]


def test_one_question_at_a_time_also_when_two_come_at_once(cast: Cast, notebook: Notebook) -> None:
    open_(actor_for(cast.clara), notebook)
    with pytest.raises(Conflict) as refused:
        open_(actor_for(cast.enric), notebook)
    assert refused.value.code == "conversation_busy"


def test_private_conversations_do_not_wait_for_each_other(cast: Cast, notebook: Notebook) -> None:
    notebook.conversation_mode = ConversationMode.PRIVATE_MEMBER
    notebook.save()
    open_(actor_for(cast.clara), notebook)
    open_(actor_for(cast.enric), notebook)
    assert Turn.objects.running().count() == 2


def test_a_turn_keeps_its_revision_from_being_pruned(cast: Cast, notebook: Notebook) -> None:
    turn_id = answered(actor_for(cast.clara), notebook)
    pin = RevisionPin.objects.get(holder_id=turn_id)
    assert (pin.holder_kind, pin.revision_id) == ("turn", notebook.active_revision_id)


def test_deleting_the_notebook_takes_its_conversations_along(
    cast: Cast, notebook: Notebook
) -> None:
    answered(actor_for(cast.clara), notebook)
    actions.delete_notebook(fresh(notebook), by=actor_for(cast.clara))
    assert not Turn.objects.exists()
    assert not RevisionPin.objects.exists()
    with pytest.raises(NotFound):
        open_(actor_for(cast.clara), notebook)
