"""Watching a turn: what is stored from a number on, then what comes, to the end."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator

from apps.chat import queries, turns, wakeups
from apps.chat.frames import HEARTBEAT, encode_sse
from apps.chat.models import Turn
from apps.chat.queries import StoredFrame
from apps.common.db import in_db_thread

HEARTBEAT_SECONDS = 15.0
LOOK_SECONDS = 1.0


async def events(turn_id: uuid.UUID, after: int) -> AsyncGenerator[bytes, None]:
    """The turn as server-sent events from frame `after` + 1 on, with heartbeats, until `done`."""
    told_at = time.monotonic()
    async for batch in _batches(turn_id, after):
        if batch:
            yield b"".join(encode_sse(frame.seq, frame.type, frame.data) for frame in batch)
            told_at = time.monotonic()
        elif time.monotonic() - told_at >= HEARTBEAT_SECONDS:
            yield HEARTBEAT
            told_at = time.monotonic()


async def _batches(turn_id: uuid.UUID, after: int) -> AsyncGenerator[list[StoredFrame], None]:
    """New frames as they are stored; an empty list about every second of silence."""
    news = asyncio.Event()
    woken = after == 0
    async with wakeups.listening(wakeups.news_of(turn_id), news):
        while True:
            # Cleared before looking: what is stored after the look sets it again. Whether the
            # turn has ended is asked before looking too, else its last frames would be missed.
            news.clear()
            ended = not woken and await in_db_thread(_has_ended, turn_id)
            batch = await in_db_thread(queries.frames_after, turn_id, after)
            yield batch
            if ended or (batch and batch[-1].type == "done"):
                return
            after = batch[-1].seq if batch else after
            woken = await wakeups.wait(news, LOOK_SECONDS)


def _has_ended(turn_id: uuid.UUID) -> bool:
    """Whether nothing will come any more; a turn that nobody answers is ended by this look."""
    turn = Turn.objects.filter(id=turn_id)
    if turns.recover(turn):
        return False
    return not turn.running().exists()
