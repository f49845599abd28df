"""Who may ask, read, follow and stop: the whole cast, over HTTP, filter and check alike."""

import uuid

import pytest

from apps.chat import turns
from apps.chat.access import conversations_visible_to, turn_for, turns_visible_to
from apps.chat.models import Turn
from apps.chat.values import Question
from apps.common.errors import Forbidden, NotFound
from apps.notebooks.models import Notebook
from apps.notebooks.values import ConversationMode, Visibility
from apps.vaults.actor import actor_for
from apps.vaults.roles import Capability
from tests.chat.asking import WHO, ask, body, browser_of, post
from tests.support.cast import Cast

pytestmark = pytest.mark.django_db
over_http = pytest.mark.django_db(transaction=True)

PRIVATE = {
    "neus": 404, "clara": 200, "enric": 404, "lola": 404,
    "victor": 404, "ona": 404, "otto": 404, "anonymous": 401,
}  # fmt: skip
WORKSPACE = {**PRIVATE, "neus": 200, "enric": 200, "lola": 200}
ASK_WORKSPACE = {**WORKSPACE, "lola": 403}
STOP_WORKSPACE = {**WORKSPACE, "clara": 202, "neus": 403, "enric": 403, "lola": 403}
STOP_PRIVATE = {**PRIVATE, "clara": 202}


async def hide(notebook: Notebook) -> None:
    await Notebook.objects.filter(id=notebook.id).aupdate(visibility=Visibility.PRIVATE)


@pytest.mark.parametrize("name", ASK_WORKSPACE)
@over_http
async def test_who_may_ask_in_a_workspace_notebook(
    cast: Cast, notebook: Notebook, name: str
) -> None:
    response = await post(await browser_of(cast.people[name]), body(notebook))
    assert response.status_code == ASK_WORKSPACE[name]


@pytest.mark.parametrize("name", PRIVATE)
@over_http
async def test_who_may_ask_in_a_private_notebook(cast: Cast, notebook: Notebook, name: str) -> None:
    await hide(notebook)
    response = await post(await browser_of(cast.people[name]), body(notebook))
    assert response.status_code == PRIVATE[name]


@pytest.mark.parametrize("private", [False, True], ids=["workspace", "private"])
@over_http
async def test_who_may_read_follow_and_stop_a_turn(
    cast: Cast, notebook: Notebook, private: bool
) -> None:
    turn_id, _frames = await ask(cast.clara, notebook)
    if private:
        await hide(notebook)
    read = PRIVATE if private else WORKSPACE
    stop = STOP_PRIVATE if private else STOP_WORKSPACE
    for name, person in cast.people.items():
        client = await browser_of(person)
        got = {
            "turn": (await client.get(f"/api/turns/{turn_id}")).status_code,
            "stream": (await client.get(f"/api/turns/{turn_id}/stream")).status_code,
            "conversation": (
                await client.get(f"/api/notebooks/{notebook.id}/conversation")
            ).status_code,
            "stop": (await client.post(f"/api/turns/{turn_id}/stop")).status_code,
        }
        assert got == {
            "turn": read[name], "stream": read[name], "conversation": read[name],
            "stop": stop[name],
        }, name  # fmt: skip


@over_http
async def test_invisible_and_absent_read_alike(cast: Cast, notebook: Notebook) -> None:
    turn_id, _frames = await ask(cast.clara, notebook)
    client = await browser_of(cast.otto)
    hidden = await client.get(f"/api/turns/{turn_id}")
    absent = await client.get(f"/api/turns/{uuid.UUID(int=9)}")
    assert (hidden.status_code, hidden.content) == (absent.status_code, absent.content)


@over_http
async def test_an_id_used_before_opens_no_door(cast: Cast, notebook: Notebook) -> None:
    same = str(uuid.uuid4())
    await ask(cast.enric, notebook, client_turn_id=same)
    await hide(notebook)
    response = await post(await browser_of(cast.enric), body(notebook, client_turn_id=same))
    assert response.status_code == 404


@pytest.mark.parametrize(
    "address, verb",
    [
        ("/api/chat", "get"),
        ("/api/chat", "put"),
        ("/api/turns/00000000-0000-0000-0000-000000000001/stream", "post"),
        ("/api/turns/00000000-0000-0000-0000-000000000001/stop", "get"),
    ],
)
@over_http
async def test_other_verbs_are_refused(
    cast: Cast, notebook: Notebook, address: str, verb: str
) -> None:
    client = await browser_of(cast.clara)
    assert (await getattr(client, verb)(address)).status_code == 405


def asked(cast: Cast, notebook: Notebook, name: str) -> Turn:
    """A turn that nobody answers."""
    actor = actor_for(getattr(cast, name))
    opened = turns.open_turn(actor, Question(notebook.id, WHO, uuid.uuid4()))
    return Turn.objects.get(id=opened.turn_id)


@pytest.mark.parametrize("mode", list(ConversationMode))
@pytest.mark.parametrize("visibility", list(Visibility))
def test_filter_and_check_agree_for_everybody(
    cast: Cast, notebook: Notebook, mode: ConversationMode, visibility: Visibility
) -> None:
    notebook.conversation_mode = mode
    notebook.save()
    turn = asked(cast, notebook, "clara")
    Notebook.objects.filter(id=notebook.id).update(visibility=visibility)
    for name, actor in cast.actors.items():
        listed = turns_visible_to(actor).filter(id=turn.id).exists()
        assert listed == may(actor, turn, Capability.NOTEBOOK_READ), name
        assert listed == conversations_visible_to(actor).exists(), name
        if not listed:
            assert not may(actor, turn, Capability.NOTEBOOK_CHAT), name


def may(actor: object, turn: Turn, capability: Capability) -> bool:
    try:
        turn_for(actor, turn.id, capability)  # type: ignore[arg-type]
    except (NotFound, Forbidden):
        return False
    return True


def test_a_private_conversation_is_its_owners_alone(cast: Cast, notebook: Notebook) -> None:
    notebook.conversation_mode = ConversationMode.PRIVATE_MEMBER
    notebook.save()
    turn = asked(cast, notebook, "enric")
    seen = {name for name, actor in cast.actors.items() if turns_visible_to(actor).exists()}
    assert seen == {"enric"}
    assert turn.conversation.owner == cast.enric
