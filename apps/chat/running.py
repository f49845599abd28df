"""Answers that run detached from any connection, one task per turn, in the web process.

Frames become visible only once they are stored: a viewer that comes back after a crash can
never have seen a frame that the table does not hold.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import ParamSpec

from django.db import InterfaceError, OperationalError
from django.utils import translation
from django.utils.translation import gettext as _

from apps.chat import providers, turns, wakeups
from apps.chat.answering import answer
from apps.chat.citations import AnswerText
from apps.chat.context import TurnContext
from apps.chat.frames import AclMeta, CitationFrame, ErrorFrame, Frame, Payload, encode
from apps.chat.replay import done, replay
from apps.chat.turns import LeaseLost, Opened, StopRequested
from apps.chat.values import TurnState
from apps.common.db import in_db_thread

logger = logging.getLogger(__name__)

BATCH_SECONDS = 0.15
BATCH_BYTES = 1024
HEARTBEAT_SECONDS = 4.0
_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.25

Arguments = ParamSpec("Arguments")

_tasks: set[asyncio.Task[None]] = set()
"""Strong references: the loop itself holds tasks only weakly."""


def start(opened: Opened) -> None:
    """Begins to answer an opened turn in a task of its own."""
    if opened.context is None:
        return
    task = asyncio.create_task(_run(opened.context, opened.lease), name=f"turn {opened.turn_id}")
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def settle() -> None:
    """Waits until no answer runs in this process any more."""
    while _tasks:
        await asyncio.wait(tuple(_tasks))


async def _run(context: TurnContext, lease: str) -> None:
    with translation.override(context.actor.language):
        try:
            await _Answering(context, lease).run()
        except* LeaseLost:
            logger.warning("turn %s was ended by somebody else", context.turn_id)
        except* Exception:
            # The turn keeps its lease until it runs out and is then found as interrupted.
            logger.exception("turn %s could not be stored", context.turn_id)


class _Answering:
    """One turn at work: numbers the frames, stores them in batches, listens for Stop."""

    def __init__(self, context: TurnContext, lease: str) -> None:
        self._context = context
        self._lease = lease
        self._text = AnswerText()
        self._frames: list[Frame] = []
        self._stored = 0
        self._waiting_bytes = 0
        self._told_kinds: set[type[Payload]] = set()
        self._poked = asyncio.Event()
        self._urgent = asyncio.Event()
        self._over = False
        self._started = time.monotonic()

    async def run(self) -> None:
        """Answers, then ends the turn. Raises LeaseLost, or what the database raised for long."""
        state = await self._answer()
        await self._finish(state)

    async def _answer(self) -> TurnState | None:
        """Runs generator and keeper side by side; gives the state if the frames do not tell it."""
        state = None
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep())
                await self._consume()
        except* StopRequested:
            state = TurnState.STOPPED
        return state

    async def _consume(self) -> None:
        try:
            async with aclosing(self._payloads()) as payloads:
                async for payload in payloads:
                    self._add(payload)
        except Exception:
            logger.exception("turn %s failed", self._context.turn_id)
            sentence = _("Something broke on our side. Your question is kept.")
            self._add(ErrorFrame("server_error", sentence, retryable=True))
        finally:
            self._over = True
            self._poke(urgent=True)

    def _payloads(self) -> AsyncGenerator[Payload, None]:
        return answer(self._context, providers.client(), self._text)

    def _add(self, payload: Payload) -> None:
        frame = Frame(len(self._frames) + 1, payload)
        self._frames.append(frame)
        self._waiting_bytes += len(encode(frame))
        self._poke(urgent=self._is_awaited(payload))

    def _is_awaited(self, payload: Payload) -> bool:
        """Whether somebody looks at the screen for just this: verdict, first source, full batch."""
        first = type(payload) not in self._told_kinds
        self._told_kinds.add(type(payload))
        eager = isinstance(payload, AclMeta | CitationFrame | ErrorFrame)
        return (first and eager) or self._waiting_bytes >= BATCH_BYTES

    def _poke(self, *, urgent: bool) -> None:
        self._poked.set()
        if urgent:
            self._urgent.set()

    async def _keep(self) -> None:
        """Stores what is new at once, then at most every 150 ms; keeps the lease in silence.

        Stop wakes it too: storing is what notices that the turn was told to stop.
        """
        async with wakeups.listening(wakeups.stops_of(self._context.turn_id), self._poked):
            while not self._over:
                await wakeups.wait(self._poked, HEARTBEAT_SECONDS)
                self._poked.clear()
                if not self._over:
                    await self._store()
                    await wakeups.wait(self._urgent, BATCH_SECONDS)
                    self._urgent.clear()

    async def _store(self) -> None:
        batch = self._frames[self._stored :]
        self._waiting_bytes = 0
        try:
            await _patiently(turns.write_frames, self._context.turn_id, self._lease, batch)
        finally:
            self._stored += len(batch)
            await self._tell()

    async def _finish(self, state: TurnState | None) -> None:
        told = replay(frame.payload for frame in self._frames)
        end = done(
            told,
            state or told.state,
            unknown_citations=self._text.unknown,
            duration_ms=round(1000 * (time.monotonic() - self._started)),
        )
        last = Frame(len(self._frames) + 1, end)
        rest = [*self._frames[self._stored :], last]
        await _patiently(turns.finish, self._context.turn_id, self._lease, told, end, rest)
        await self._tell()

    async def _tell(self) -> None:
        await wakeups.announce(wakeups.news_of(self._context.turn_id))


async def _patiently(
    write: Callable[Arguments, None], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> None:
    """Writes; while the database is away it tries again, ten seconds at most."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return await in_db_thread(write, *args, **kwargs)
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(_PAUSE_SECONDS)
