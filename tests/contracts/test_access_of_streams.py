"""The access table for event streams: they write from other threads, so nothing is rolled back."""

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient

from apps.chat import running
from tests.contracts.access_table import Answer, Row, answer_of, request_of
from tests.contracts.rows import ROWS
from tests.contracts.stage import Stage, build_stage

STREAMING = [row for row in ROWS if row.streams]


@pytest.mark.parametrize("row", STREAMING, ids=lambda row: row.label)
async def test_everybody_gets_what_the_table_says(transactional_db: None, row: Row) -> None:
    stage = await sync_to_async(build_stage)()
    wrong = []
    for thing in row.lines:
        for person, status in row.expected(thing).items():
            got = await _answer(stage, row, thing, person)
            if got.status != status:
                wrong.append(f"{person} on {thing}: {got.status}, not {status}")
            wrong += [f"{person} reads {title!r}" for title in stage.leaks(got.text, person)]
    for thing, person in row.refused_like_absent():
        seen = await _answer(stage, row, thing, person)
        if seen != await _answer(stage, row, row.absent, person):
            wrong.append(f"{person} can tell {thing} from something absent")
    assert not wrong


async def _answer(stage: Stage, row: Row, thing: str, person: str) -> Answer:
    """One try, read to its end."""
    client = AsyncClient()
    user = stage.cast.people[person]
    if user is not None:
        await client.aforce_login(user)
    url, body, content_type = request_of(row, stage.things[thing])
    response = await client.generic(row.method, url, body, content_type)
    if not response.streaming:
        return answer_of(response.status_code, response.content)
    content = b"".join([block async for block in response.streaming_content])
    await running.settle()
    return answer_of(response.status_code, content)
