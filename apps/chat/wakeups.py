"""Telling viewers and answerers that there is news; the only door to channels.

A wake-up carries nothing and may be lost: the frame table is the truth, and everybody who
waits also looks by themselves from time to time.
"""

import asyncio
import logging
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)

_SEND_SECONDS = 0.5
_QUIET_SECONDS = 5.0


class _House:
    """The events that wait in this process, by group, and when the way out was last blocked."""

    def __init__(self) -> None:
        self.waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self.quiet_until = 0.0


_house = _House()


def news_of(turn_id: uuid.UUID) -> str:
    """The group of those who wait for frames of a turn."""
    return f"turn.news.{turn_id.hex}"


def stops_of(turn_id: uuid.UUID) -> str:
    """The group of who answers a turn and must hear of Stop."""
    return f"turn.stop.{turn_id.hex}"


async def announce(group: str) -> None:
    """Wakes everybody in the group, in this process and in others; it never raises."""
    for event in tuple(_house.waiting.get(group, ())):
        event.set()
    if time.monotonic() < _house.quiet_until:
        return
    try:
        async with asyncio.timeout(_SEND_SECONDS):
            await get_channel_layer().group_send(group, {"type": "wake.up"})
    except Exception as error:  # whatever a layer raises: waiting processes look by themselves
        _house.quiet_until = time.monotonic() + _QUIET_SECONDS
        logger.warning("No wake-up to other processes for a while: %r", error)


@asynccontextmanager
async def listening(group: str, event: asyncio.Event) -> AsyncIterator[None]:
    """Sets the event at every wake-up of the group, until the block is left."""
    _house.waiting[group].add(event)
    relay = asyncio.create_task(_relay(group, event))
    try:
        yield
    finally:
        _leave(group, event)
        relay.cancel()
        with suppress(asyncio.CancelledError):
            await relay


def _leave(group: str, event: asyncio.Event) -> None:
    _house.waiting[group].discard(event)
    if not _house.waiting[group]:
        del _house.waiting[group]


async def _relay(group: str, event: asyncio.Event) -> None:
    """Passes on the wake-ups that come from other processes."""
    layer = get_channel_layer()
    try:
        channel = await layer.new_channel()
        await layer.group_add(group, channel)
    except Exception as error:  # as above: a layer that is down costs speed, not frames
        logger.warning("No wake-ups from other processes: %r", error)
        return
    try:
        while True:
            await layer.receive(channel)
            event.set()
    except Exception as error:
        logger.warning("Wake-ups from other processes broke off: %r", error)
    finally:
        with suppress(Exception):
            await layer.group_discard(group, channel)


async def wait(event: asyncio.Event, seconds: float) -> bool:
    """Waits for the event, but no longer than `seconds`; gives whether it came."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return await event.wait()
    return False
