"""Pages with a conversation: what a reload shows is what the script made of the stream."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.urls import reverse

from apps.chat.frames import Frame, encode
from apps.notebooks.models import Notebook
from tests.chat.asking import WHO, ask, browser_of
from tests.support.cast import Cast, client_of

REPLAY = Path(__file__).parent.parent / "js" / "replay.mjs"
SHARED = ("state", "text", "citations", "meta", "error", "last_seq")

pytestmark = pytest.mark.django_db(transaction=True)


def _replayed(frames: list[Frame]) -> dict[str, Any]:
    node = shutil.which("node")
    assert node, "Node 20 or newer must be on the PATH"
    stream = b"".join(map(encode, frames))
    done = subprocess.run([node, str(REPLAY)], input=stream, capture_output=True, check=True)
    turn: dict[str, Any] = json.loads(done.stdout)
    return {name: turn[name] for name in SHARED}


@pytest.mark.parametrize("question", [WHO, "Who was the first person on the moon?"])
async def test_the_script_makes_of_the_frames_what_a_reload_shows(
    cast: Cast, notebook: Notebook, question: str
) -> None:
    turn_id, frames = await ask(cast.clara, notebook, question)
    client = await browser_of(cast.clara)
    response = await client.get(reverse("api_turn", args=[turn_id]))
    stored = response.json()
    assert await sync_to_async(_replayed)(frames) == {name: stored[name] for name in SHARED}


async def test_the_page_shows_the_answer_and_its_sources_before_any_script(
    cast: Cast, notebook: Notebook
) -> None:
    turn_id, _ = await ask(cast.clara, notebook)
    client = await browser_of(cast.lola)
    page = (await client.get(reverse("notebook", args=[notebook.id]))).content.decode()
    article = page.split(f'id="turn-{turn_id}"')[1].split("</article>")[0]
    assert "Marta Soler" in article
    assert "Harbour book" in article
    assert f"turn={turn_id}" in article
    assert "You</b>" not in article


async def test_home_goes_on_where_the_person_asked_last(cast: Cast, notebook: Notebook) -> None:
    await ask(cast.enric, notebook)
    home = await sync_to_async(_home)(cast.enric)
    assert WHO in home
    assert "Marta Soler" in home
    assert "You asked" in home
    assert "[1]" not in home
    assert WHO not in await sync_to_async(_home)(cast.clara)


def _home(person: Any) -> str:
    return client_of(person).get(reverse("home")).content.decode()


def test_home_of_an_empty_workspace_says_the_first_step(cast: Cast) -> None:
    assert "Bring the first documents" in _home(cast.clara)
    assert "Bring the first documents" not in _home(cast.lola)
