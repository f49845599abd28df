"""A question over HTTP: verdict first, every sentence cited, everything stored."""

import uuid

import pytest

from apps.chat.frames import AclMeta, Delta, Phase, parse
from apps.chat.models import Citation, Conversation, Frame, Turn
from apps.chat.values import Reason, Support, TurnState, Verdict
from apps.notebooks.models import Chunk, Notebook, RevisionPin
from tests.chat.asking import (
    WHO,
    ask,
    body,
    browser_of,
    citations_of,
    done_of,
    frames_of,
    meta_of,
    post,
    resume,
    text_of,
)
from tests.support.cast import Cast

pytestmark = pytest.mark.django_db(transaction=True)


async def test_the_verdict_comes_before_any_text(cast: Cast, notebook: Notebook) -> None:
    _turn, frames = await ask(cast.clara, notebook)
    kinds = [type(frame.payload) for frame in frames]
    assert kinds[0] is AclMeta
    assert kinds.index(AclMeta) < kinds.index(Phase) < kinds.index(Delta)
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))


async def test_the_answer_is_in_the_cited_sentence(cast: Cast, notebook: Notebook) -> None:
    _turn, frames = await ask(cast.clara, notebook)
    text = text_of(frames)
    assert "built by Marta Soler in 1953. [1]" in text
    assert meta_of(frames).reason is Reason.OK
    assert done_of(frames).state is TurnState.COMPLETED


async def test_every_cited_sentence_stands_in_its_chunk(cast: Cast, notebook: Notebook) -> None:
    _turn, frames = await ask(cast.clara, notebook)
    text = text_of(frames)
    assert citations_of(frames)
    for citation in citations_of(frames):
        chunk = await Chunk.objects.aget(id=citation.chunk_id)
        assert chunk.text[slice(*citation.quote)] == citation.quoted
        assert text[slice(*citation.sentence)] == citation.quoted
        assert text[slice(*citation.marker)] == f"[{citation.n}]"
        assert citation.support is Support.VERBATIM
        assert citation.href.endswith(f"/evidence/{chunk.id}?revision=1")


async def test_the_meta_names_sources_revision_and_policy(cast: Cast, notebook: Notebook) -> None:
    _turn, frames = await ask(cast.clara, notebook)
    meta = meta_of(frames)
    assert meta.sources[0] == "db:water-works/harbour-book"
    assert meta.source_details[0].title == "Harbour book"
    assert meta.revisions == {str(notebook.id): 1}
    assert (meta.decision, meta.allow_generation, meta.llm_called) == (Verdict.ANSWER, True, False)
    assert meta.grounding_policy == notebook.grounding_policy


async def test_what_was_streamed_is_what_is_stored_and_resumed(
    cast: Cast, notebook: Notebook
) -> None:
    turn_id, frames = await ask(cast.clara, notebook)
    stored = [row async for row in Frame.objects.filter(turn_id=turn_id).order_by("seq")]
    assert [(row.seq, parse(row.type, row.data)) for row in stored] == [
        (frame.seq, frame.payload) for frame in frames
    ]
    client = await browser_of(cast.enric)
    for after in range(len(frames)):
        assert await resume(client, turn_id, after) == frames[after:]


async def test_a_finished_turn_resumed_at_its_end_gives_nothing(
    cast: Cast, notebook: Notebook
) -> None:
    turn_id, frames = await ask(cast.clara, notebook)
    assert await resume(await browser_of(cast.clara), turn_id, len(frames)) == []


async def test_the_turn_holds_its_answer_citations_and_revision(
    cast: Cast, notebook: Notebook
) -> None:
    turn_id, frames = await ask(cast.clara, notebook)
    turn = await Turn.objects.aget(id=turn_id)
    assert (turn.question, turn.answer, turn.state) == (WHO, text_of(frames), "completed")
    assert turn.reason == "ok"
    assert turn.lease_expires_at is None
    assert await Citation.objects.filter(turn=turn).acount() == len(citations_of(frames))
    pin = await RevisionPin.objects.aget(holder_id=turn.id)
    assert pin.revision_id == notebook.active_revision_id


async def test_what_nothing_speaks_to_is_said_and_not_invented(
    cast: Cast, notebook: Notebook
) -> None:
    _turn, frames = await ask(cast.clara, notebook, "Zebra quantum xylophone?")
    assert meta_of(frames).reason is Reason.INSUFFICIENT_CONTEXT
    assert meta_of(frames).decision is Verdict.ANSWER
    assert text_of(frames) == "The material of this notebook does not answer this question."
    assert citations_of(frames) == []
    assert done_of(frames).state is TurnState.COMPLETED


async def test_weak_evidence_is_shown_as_the_closest_passage(
    cast: Cast, notebook: Notebook
) -> None:
    _turn, frames = await ask(
        cast.clara, notebook, "Which parliament regulated emission quotas before harbour unions?"
    )
    assert meta_of(frames).reason is Reason.INSUFFICIENT_CONTEXT
    assert text_of(frames).startswith("The material does not answer this clearly.")
    assert len(citations_of(frames)) == 1


async def test_a_catalan_question_is_refused_in_catalan(cast: Cast, notebook: Notebook) -> None:
    _turn, frames = await ask(cast.clara, notebook, "Qui va pintar els ximpanzés de la lluna?")
    assert text_of(frames).startswith("El material")


async def test_the_same_id_again_joins_the_same_turn(cast: Cast, notebook: Notebook) -> None:
    same = str(uuid.uuid4())
    first, frames = await ask(cast.clara, notebook, client_turn_id=same)
    second, again = await ask(cast.clara, notebook, client_turn_id=same)
    assert (first, frames) == (second, again)
    assert await Turn.objects.acount() == 1


async def test_two_people_may_use_the_same_id(cast: Cast, notebook: Notebook) -> None:
    same = str(uuid.uuid4())
    first, _frames = await ask(cast.clara, notebook, client_turn_id=same)
    second, _frames = await ask(cast.enric, notebook, client_turn_id=same)
    assert first != second
    assert await Conversation.objects.acount() == 1


async def test_the_stream_is_told_to_nobody_in_between(cast: Cast, notebook: Notebook) -> None:
    client = await browser_of(cast.clara)
    response = await post(client, body(notebook))
    assert response["Content-Type"].startswith("text/event-stream")
    assert response["X-Accel-Buffering"] == "no"
    assert response["Cache-Control"] == "no-cache, no-transform"
    assert "Content-Encoding" not in response
    await frames_of(response)


async def test_a_notebook_without_a_revision_is_not_ready(cast: Cast, notebook: Notebook) -> None:
    await Notebook.objects.filter(id=notebook.id).aupdate(active_revision=None)
    response = await post(await browser_of(cast.clara), body(notebook))
    assert (response.status_code, response.json()["code"]) == (409, "notebook_not_ready")
    assert not await Turn.objects.aexists()


@pytest.mark.parametrize(
    "changes, status, code",
    [
        ({"message": ""}, 400, "invalid"),
        ({"message": " \n "}, 400, "invalid"),
        ({"message": "x" * 16_001}, 413, "too_large"),
        ({"message": "a\x00b"}, 400, "unreadable_body"),
        ({"message": "a\ud800b"}, 400, "unreadable_body"),
        ({"message": None}, 400, "invalid"),
        ({"message": ["a"]}, 400, "invalid"),
        ({"client_turn_id": "seven"}, 400, "invalid"),
        ({"notebook_id": "1 or 1=1"}, 400, "invalid"),
        ({"revision": 3}, 400, "invalid"),
        ({"notebook_id": str(uuid.UUID(int=5))}, 404, "not_found"),
    ],
)
async def test_unusable_questions_are_refused_with_a_sentence(
    cast: Cast, notebook: Notebook, changes: dict[str, object], status: int, code: str
) -> None:
    response = await post(await browser_of(cast.clara), body(notebook, **changes))
    problem = response.json()
    assert (response.status_code, problem["code"]) == (status, code)
    assert problem["detail"]
    assert response["Content-Type"] == "application/problem+json"
    assert not await Turn.objects.aexists()


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"3", b"\xff", b'"text"'])
async def test_bodies_that_are_no_question_are_refused(
    cast: Cast, notebook: Notebook, raw: bytes
) -> None:
    client = await browser_of(cast.clara)
    response = await client.post("/api/chat", data=raw, content_type="application/json")
    assert response.status_code == 400


async def test_the_longest_question_is_taken_whole(cast: Cast, notebook: Notebook) -> None:
    long = ("sluice " * 2286)[:15_999] + "?"
    turn_id, _frames = await ask(cast.clara, notebook, long)
    assert (await Turn.objects.aget(id=turn_id)).question == long


@pytest.mark.parametrize("number", ["-1", "x", "1.5", "²", "9" * 12])
async def test_a_strange_last_event_id_is_refused(
    cast: Cast, notebook: Notebook, number: str
) -> None:
    turn_id, _frames = await ask(cast.clara, notebook)
    client = await browser_of(cast.clara)
    response = await client.get(f"/api/turns/{turn_id}/stream", {"after": number})
    assert (response.status_code, response.json()["code"]) == (400, "bad_last_event_id")
