"""Asking as the page does: one POST, its frames to the end, its citations opened."""

import asyncio
import uuid
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

from django.test import AsyncClient

from apps.accounts.models import User
from apps.chat import running
from apps.chat.frames import AclMeta, CitationFrame, Delta, Done, ErrorFrame, Frame, parse_sse
from apps.notebooks.models import Notebook
from tests.support.cast import client_of


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer as its frames tell it, and the bytes it came in."""

    frames: tuple[Frame, ...]
    raw: bytes

    @property
    def text(self) -> str:
        """All deltas joined."""
        return "".join(f.payload.text for f in self.frames if isinstance(f.payload, Delta))

    @property
    def citations(self) -> list[CitationFrame]:
        """In the order of their numbers."""
        return [f.payload for f in self.frames if isinstance(f.payload, CitationFrame)]

    @property
    def meta(self) -> AclMeta:
        """The verdict that came before any text."""
        return next(f.payload for f in self.frames if isinstance(f.payload, AclMeta))

    @property
    def error(self) -> ErrorFrame | None:
        """What went wrong, if anything did."""
        errors = (f.payload for f in self.frames if isinstance(f.payload, ErrorFrame))
        return next(errors, None)

    @property
    def done(self) -> Done:
        """The last frame."""
        last = self.frames[-1].payload
        assert isinstance(last, Done)
        return last


def ask(person: User, notebook: Notebook, question: str) -> Reply:
    """The person's question in the notebook, over HTTP, answered to its end."""
    status, content_type, body = asyncio.run(_post(person, _body(notebook, question)))
    assert status == 200, body.decode()
    assert content_type.startswith("text/event-stream")
    return Reply(tuple(parse_sse(body)), body)


def ask_raw(person: User | None, body: bytes) -> tuple[int, str, bytes]:
    """Status, content type and whole body of what `/api/chat` says to these bytes."""
    return asyncio.run(_post(person, body))


def _body(notebook: Notebook, question: str) -> dict[str, str]:
    return {
        "notebook_id": str(notebook.id),
        "message": question,
        "client_turn_id": str(uuid.uuid4()),
    }


async def _post(person: User | None, body: Any) -> tuple[int, str, bytes]:
    client = AsyncClient(raise_request_exception=False)
    client.cookies = await asyncio.to_thread(_cookies, person)
    answer = await client.post("/api/chat", body, content_type="application/json")
    content = (
        b"".join([part async for part in answer.streaming_content])
        if answer.streaming
        else answer.content
    )
    await running.settle()
    return answer.status_code, answer.headers["Content-Type"], content


def _cookies(person: User | None) -> SimpleCookie:
    cookies: SimpleCookie = client_of(person).cookies
    return cookies
