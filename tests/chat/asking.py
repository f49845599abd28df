"""Asking over HTTP as a browser does, and reading the stream it gets."""

import uuid
from collections.abc import AsyncGenerator
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.test import AsyncClient

from apps.accounts.models import User
from apps.chat.frames import (
    AclMeta,
    CitationFrame,
    Delta,
    Done,
    ErrorFrame,
    Frame,
    Payload,
    parse_sse,
)
from apps.llm.client import ModelClient
from apps.llm.values import CitationKey, Finished, ModelEvent, Prompt, ProviderError, TextDelta
from apps.notebooks.models import Notebook

WHO = "Who built the sluice of the old harbour?"


async def browser_of(person: User | None) -> AsyncClient:
    client = AsyncClient()
    if person is not None:
        await client.aforce_login(person)
    return client


def body(notebook: Notebook, message: str = WHO, **changes: Any) -> dict[str, Any]:
    return {
        "notebook_id": str(notebook.id),
        "message": message,
        "client_turn_id": str(uuid.uuid4()),
        **changes,
    }


async def post(client: AsyncClient, data: Any) -> Any:
    return await client.post("/api/chat", data=data, content_type="application/json")


async def ask(
    person: User, notebook: Notebook, message: str = WHO, **changes: Any
) -> tuple[str, list[Frame]]:
    """The id of the turn and all its frames, read to the end."""
    client = await browser_of(person)
    response = await post(client, body(notebook, message, **changes))
    assert response.status_code == 200, response.content
    return response["X-Turn"], await frames_of(response)


async def frames_of(response: HttpResponse | StreamingHttpResponse) -> list[Frame]:
    assert isinstance(response, StreamingHttpResponse)
    stream = b"".join([part async for part in response])  # type: ignore[union-attr]
    return parse_sse(stream)


async def resume(client: AsyncClient, turn_id: str, after: int) -> list[Frame]:
    response = await client.get(
        f"/api/turns/{turn_id}/stream", headers={"Last-Event-ID": str(after)}
    )
    assert response.status_code == 200
    return await frames_of(response)


def only(kind: type[Payload], frames: list[Frame]) -> list[Any]:
    return [frame.payload for frame in frames if isinstance(frame.payload, kind)]


def text_of(frames: list[Frame]) -> str:
    return "".join(delta.text for delta in only(Delta, frames))


def meta_of(frames: list[Frame]) -> AclMeta:
    metas: list[AclMeta] = only(AclMeta, frames)
    return metas[-1]


def citations_of(frames: list[Frame]) -> list[CitationFrame]:
    return only(CitationFrame, frames)


def done_of(frames: list[Frame]) -> Done:
    (done,) = only(Done, frames)
    assert isinstance(frames[-1].payload, Done)
    assert isinstance(done, Done)
    return done


def errors_of(frames: list[Frame]) -> list[ErrorFrame]:
    return only(ErrorFrame, frames)


class ScriptedClient:
    """A provider that says what it was told to say; an exception in the script is raised."""

    name = "scripted"
    calls_a_model = True

    def __init__(self, *script: ModelEvent | Exception) -> None:
        self.script = script
        self.calls = 0
        self.prompts: list[Prompt] = []

    async def stream(self, prompt: Prompt) -> AsyncGenerator[ModelEvent, None]:
        self.calls += 1
        self.prompts.append(prompt)
        for event in self.script:
            if isinstance(event, Exception):
                raise event
            yield event


def scripted(*script: ModelEvent | Exception) -> ModelClient:
    return ScriptedClient(*script)


UNREACHED = ProviderError("connection refused", reached=False, retryable=True)
CUT = ProviderError("cut", reached=True, retryable=True)
SAID = TextDelta("The sluice was built by Marta Soler. ")
CITED = CitationKey("S1")
END = Finished()
