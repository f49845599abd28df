"""Streams that outlive their readers: leaving, joining, stopping, breaking, recovering."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models import F

from apps.chat import following, running, turns, wakeups
from apps.chat.frames import Delta, Frame
from apps.chat.models import Turn
from apps.chat.values import Reason, TurnState, Verdict
from apps.llm.values import CitationKey, ModelEvent, Prompt, ProviderError, TextDelta
from apps.notebooks.models import Notebook
from tests.chat.asking import (
    CITED,
    CUT,
    END,
    SAID,
    UNREACHED,
    ScriptedClient,
    ask,
    body,
    browser_of,
    citations_of,
    done_of,
    errors_of,
    frames_of,
    meta_of,
    post,
    resume,
    scripted,
    text_of,
)
from tests.chat.conftest import Install
from tests.support.cast import Cast

pytestmark = [pytest.mark.everywhere, pytest.mark.django_db(transaction=True)]


class HeldClient:
    """Says one sentence, then waits until it is let go; knows whether it was closed early."""

    name = "held"
    calls_a_model = True

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.started = asyncio.Event()
        self.was_closed = asyncio.Event()
        self.calls = 0

    async def stream(self, prompt: Prompt) -> AsyncGenerator[ModelEvent, None]:
        self.calls += 1
        try:
            yield SAID
            yield CITED
            self.started.set()
            await self.go_on.wait()
            yield TextDelta("And that is all.")
            yield END
        finally:
            self.was_closed.set()


@pytest.fixture
def held(provider: Install) -> HeldClient:
    client = HeldClient()
    provider("held", lambda: client)
    return client


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 tasks end without telling
            await asyncio.sleep(0.01)


async def state_of(turn_id: str) -> str:
    return str((await Turn.objects.aget(id=turn_id)).state)


async def test_the_question_is_stored_before_the_first_byte(
    cast: Cast, notebook: Notebook, held: HeldClient
) -> None:
    response = await post(await browser_of(cast.clara), body(notebook))
    turn = await Turn.objects.aget(id=response["X-Turn"])
    assert (turn.question, turn.state) == (body(notebook)["message"], "streaming")
    held.go_on.set()
    await frames_of(response)


async def test_the_answer_goes_on_when_nobody_reads(
    cast: Cast, notebook: Notebook, held: HeldClient
) -> None:
    response = await post(await browser_of(cast.clara), body(notebook))
    parts = aiter(response)
    await anext(parts)
    await parts.aclose()
    held.go_on.set()
    await running.settle()
    turn = await Turn.objects.aget(id=response["X-Turn"])
    assert turn.state == TurnState.COMPLETED
    assert turn.answer.endswith("And that is all.")


async def test_two_readers_and_a_late_one_see_the_same_bytes_of_one_answer(
    cast: Cast, notebook: Notebook, held: HeldClient
) -> None:
    response = await post(await browser_of(cast.clara), body(notebook))
    await held.started.wait()
    second = asyncio.create_task(resume(await browser_of(cast.enric), response["X-Turn"], after=0))
    await asyncio.sleep(0)
    held.go_on.set()
    first = await frames_of(response)
    assert await second == first
    assert await resume(await browser_of(cast.lola), response["X-Turn"], after=0) == first
    assert held.calls == 1


async def test_frames_are_seen_while_the_answer_is_still_written(
    cast: Cast, notebook: Notebook, held: HeldClient
) -> None:
    response = await post(await browser_of(cast.clara), body(notebook))
    seen = b""
    async with asyncio.timeout(20):
        async for part in response:
            seen += part
            if b"event: citation" in seen:
                held.go_on.set()
    assert b"event: done" in seen


async def test_wakeups_may_be_lost(
    cast: Cast, notebook: Notebook, held: HeldClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lose(group: str) -> None:
        """Nobody hears it."""

    monkeypatch.setattr(wakeups, "announce", lose)
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.02)
    response = await post(await browser_of(cast.clara), body(notebook))
    held.go_on.set()
    assert text_of(await frames_of(response)).endswith("And that is all.")


async def test_stop_closes_the_provider_and_keeps_what_was_said(
    cast: Cast, notebook: Notebook, held: HeldClient
) -> None:
    client = await browser_of(cast.clara)
    response = await post(client, body(notebook))
    await held.started.wait()
    stopped = await client.post(f"/api/turns/{response['X-Turn']}/stop")
    assert stopped.status_code == 202
    frames = await frames_of(response)
    assert held.was_closed.is_set()
    assert done_of(frames).state is TurnState.STOPPED
    assert text_of(frames) == "The sluice was built by Marta Soler. [1]"
    turn = await Turn.objects.aget(id=response["X-Turn"])
    assert (turn.state, turn.answer) == ("stopped", text_of(frames))
    assert await turn.citations.acount() == 1


async def test_stop_reaches_an_answer_in_another_process(
    cast: Cast, notebook: Notebook, held: HeldClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "HEARTBEAT_SECONDS", 0.02)
    response = await post(await browser_of(cast.clara), body(notebook))
    await held.started.wait()
    await Turn.objects.filter(id=response["X-Turn"]).aupdate(stop_requested_at=F("created_at"))
    assert done_of(await frames_of(response)).state is TurnState.STOPPED


async def test_stopping_what_is_over_changes_nothing(cast: Cast, notebook: Notebook) -> None:
    turn_id, _frames = await ask(cast.clara, notebook)
    client = await browser_of(cast.clara)
    response = await client.post(f"/api/turns/{turn_id}/stop")
    assert (response.status_code, response.json()["state"]) == (202, "completed")
    assert (await Turn.objects.aget(id=turn_id)).stop_requested_at is None


async def test_a_second_question_meanwhile_is_refused(
    cast: Cast, notebook: Notebook, held: HeldClient
) -> None:
    response = await post(await browser_of(cast.clara), body(notebook))
    await held.started.wait()
    second = await post(await browser_of(cast.enric), body(notebook))
    assert (second.status_code, second.json()["code"]) == (409, "conversation_busy")
    held.go_on.set()
    await frames_of(response)
    assert await Turn.objects.acount() == 1


async def test_joining_while_it_streams_calls_no_model_again(
    cast: Cast, notebook: Notebook, held: HeldClient
) -> None:
    client = await browser_of(cast.clara)
    question = body(notebook)
    response = await post(client, question)
    await held.started.wait()
    again = await post(client, question)
    held.go_on.set()
    assert await frames_of(again) == await frames_of(response)
    assert held.calls == 1


@pytest.mark.parametrize(
    "error, reached", [(UNREACHED, False), (CUT, True)], ids=["unreached", "reached"]
)
async def test_a_provider_that_fails_at_once_is_a_hard_stop(
    cast: Cast, notebook: Notebook, provider: Install, error: ProviderError, reached: bool
) -> None:
    provider("failing", lambda: scripted(error))
    turn_id, frames = await ask(cast.clara, notebook)
    meta = meta_of(frames)
    assert (meta.decision, meta.reason) == (Verdict.HARD_STOP, Reason.PROVIDER_ERROR)
    assert (meta.allow_generation, meta.llm_called) == (False, reached)
    assert text_of(frames) == "No answer could be made just now. Your question is kept."
    assert [(e.code, e.retryable) for e in errors_of(frames)] == [("provider_error", True)]
    assert done_of(frames).state is TurnState.FAILED
    assert await state_of(turn_id) == "failed"


@pytest.mark.parametrize("script", [(SAID, CUT), (SAID,)], ids=["error", "silent end"])
async def test_a_provider_cut_in_mid_answer_keeps_the_text_once(
    cast: Cast, notebook: Notebook, provider: Install, script: tuple[ModelEvent | Exception, ...]
) -> None:
    provider("cut", lambda: scripted(*script))
    _turn, frames = await ask(cast.clara, notebook)
    assert text_of(frames) == "The sluice was built by Marta Soler. "
    assert [error.retryable for error in errors_of(frames)] == [True]
    assert done_of(frames).state is TurnState.INTERRUPTED
    assert meta_of(frames).decision is Verdict.ANSWER


async def test_a_bug_in_a_provider_ends_the_turn_with_a_sentence(
    cast: Cast, notebook: Notebook, provider: Install
) -> None:
    provider("buggy", lambda: scripted(ZeroDivisionError("secret detail")))
    _turn, frames = await ask(cast.clara, notebook)
    (error,) = errors_of(frames)
    assert error.code == "server_error"
    assert "secret" not in str(frames)
    assert done_of(frames).state is TurnState.FAILED


async def test_the_conversation_is_free_again_after_a_failure(
    cast: Cast, notebook: Notebook, provider: Install
) -> None:
    provider("failing", lambda: scripted(CUT))
    await ask(cast.clara, notebook)
    provider("working", lambda: scripted(SAID, CITED, END))
    _turn, frames = await ask(cast.clara, notebook)
    assert done_of(frames).state is TurnState.COMPLETED


async def test_keys_that_nobody_gave_out_are_dropped_and_counted(
    cast: Cast, notebook: Notebook, provider: Install
) -> None:
    made_up = [CitationKey(key) for key in ("S99", "7", "db:water-works/mill-book", "S")]
    provider("inventive", lambda: scripted(SAID, *made_up, CITED, END))
    turn_id, frames = await ask(cast.clara, notebook)
    assert len(citations_of(frames)) == 1
    assert done_of(frames).unknown_citations == 4
    assert (await Turn.objects.aget(id=turn_id)).unknown_citations == 4


async def test_the_model_sees_fenced_evidence_and_the_last_question(
    cast: Cast, notebook: Notebook, provider: Install
) -> None:
    client = ScriptedClient(SAID, CITED, END)
    provider("curious", lambda: client)
    await ask(cast.clara, notebook, "Who keeps the keys of the sluice?")
    (prompt,) = client.prompts
    assert prompt.question == "Who keeps the keys of the sluice?"
    assert '<evidence key="S1"' in prompt.system[1].text
    assert "Marta Soler" in prompt.system[1].text


async def test_a_turn_whose_process_died_becomes_interrupted_with_its_text(
    cast: Cast, notebook: Notebook, held: HeldClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "HEARTBEAT_SECONDS", 3600)
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.02)
    response = await post(await browser_of(cast.clara), body(notebook))
    turn_id = response["X-Turn"]
    await held.started.wait()
    await until_stored(turn_id, "citation")
    await let_the_lease_run_out(turn_id)
    frames = await frames_of(response)
    assert done_of(frames).state is TurnState.INTERRUPTED
    assert text_of(frames) == "The sluice was built by Marta Soler. [1]"
    turn = await Turn.objects.aget(id=turn_id)
    assert (turn.state, turn.answer) == ("interrupted", text_of(frames))
    assert await turn.citations.acount() == 1
    # The process was only slow: what it writes now must change nothing.
    held.go_on.set()
    await running.settle()
    assert await resume(await browser_of(cast.clara), turn_id, after=0) == frames


async def test_a_dead_turn_does_not_block_the_next_question(
    cast: Cast, notebook: Notebook, held: HeldClient, provider: Install
) -> None:
    response = await post(await browser_of(cast.clara), body(notebook))
    await held.started.wait()
    await until_stored(response["X-Turn"], "acl_meta")
    await let_the_lease_run_out(response["X-Turn"])
    provider("working", lambda: scripted(SAID, CITED, END))
    _turn, frames = await ask(cast.enric, notebook)
    assert done_of(frames).state is TurnState.COMPLETED
    assert await state_of(response["X-Turn"]) == "interrupted"
    held.go_on.set()


async def test_a_database_that_is_away_for_a_moment_loses_nothing(
    cast: Cast, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = turns.write_frames, iter([OperationalError("gone")] * 2)

    def flaky(turn_id: object, lease: str, frames: list[Frame]) -> None:
        for failure in failures:
            raise failure
        real(turn_id, lease, frames)  # type: ignore[arg-type]

    monkeypatch.setattr(turns, "write_frames", flaky)
    monkeypatch.setattr(running, "_PAUSE_SECONDS", 0.01)
    _turn, frames = await ask(cast.clara, notebook)
    assert done_of(frames).state is TurnState.COMPLETED
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))


async def test_a_silent_stream_has_a_heartbeat(
    cast: Cast, notebook: Notebook, held: HeldClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "HEARTBEAT_SECONDS", 0.0)
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.02)
    response = await post(await browser_of(cast.clara), body(notebook))
    seen = b""
    async for part in response:
        seen += part
        if b": still here\n\n" in seen:
            held.go_on.set()
    assert b"event: done" in seen


async def test_no_task_is_left_when_all_is_over(cast: Cast, notebook: Notebook) -> None:
    before = asyncio.all_tasks()
    await ask(cast.clara, notebook)
    await running.settle()
    await until(lambda: asyncio.all_tasks() == before)


async def test_many_fragments_arrive_in_order_and_once(
    cast: Cast, notebook: Notebook, provider: Install
) -> None:
    fragments = [TextDelta(f"{number} ") for number in range(1000)]
    provider("talkative", lambda: scripted(*fragments, END))
    turn_id, frames = await ask(cast.clara, notebook)
    assert text_of(frames) == "".join(fragment.text for fragment in fragments)
    assert sum(isinstance(frame.payload, Delta) for frame in frames) == 1000
    assert (await Turn.objects.aget(id=turn_id)).answer == text_of(frames)


async def until_stored(turn_id: str, kind: str) -> None:
    async with asyncio.timeout(20):
        while not await Turn.objects.filter(id=turn_id, frames__type=kind).aexists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def let_the_lease_run_out(turn_id: str) -> None:
    await Turn.objects.filter(id=turn_id).aupdate(
        lease_expires_at=F("lease_expires_at") - timedelta(hours=1)
    )
