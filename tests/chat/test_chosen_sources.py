"""A question may be narrowed to some sources of its notebook, never widened beyond it."""

import uuid

import pytest
from asgiref.sync import sync_to_async

from apps.chat.values import Reason
from apps.notebooks.models import Notebook, Source
from tests.chat.asking import ask, body, browser_of, citations_of, meta_of, post
from tests.support.cast import Cast
from tests.support.factories import resource_with_file
from tests.support.notebooks import read_notebook

pytestmark = pytest.mark.django_db(transaction=True)
SLUICE = b"The sluice of the harbour was built by Marta Soler in 1953.\n"
TOWER = b"The tower of the harbour was painted red by Jan Prat in 1961.\n"


def _two(cast: Cast) -> Notebook:
    return read_notebook(
        cast.clara,
        resource_with_file(cast.clara, "Sluice", SLUICE, "sluice.txt"),
        resource_with_file(cast.clara, "Tower", TOWER, "tower.txt"),
    )


def _source(title: str) -> str:
    return str(Source.objects.get(resource__title=title).id)


async def test_only_the_chosen_sources_are_searched(cast: Cast) -> None:
    notebook = await sync_to_async(_two)(cast)
    tower = await sync_to_async(_source)("Tower")
    _turn, frames = await ask(
        cast.clara, notebook, "Who built the sluice?", context={"source_ids": [tower]}
    )
    assert all(str(citation.source_id) == tower for citation in citations_of(frames))
    assert meta_of(frames).reason is Reason.INSUFFICIENT_CONTEXT


async def test_without_a_choice_all_sources_take_part(cast: Cast) -> None:
    notebook = await sync_to_async(_two)(cast)
    _turn, frames = await ask(cast.clara, notebook, "Who built the sluice?", context={})
    assert "Marta Soler" in citations_of(frames)[0].quoted


@pytest.mark.parametrize("foreign", [True, False])
async def test_a_source_from_elsewhere_or_none_at_all_is_refused(cast: Cast, foreign: bool) -> None:
    notebook = await sync_to_async(_two)(cast)
    chosen = [str(uuid.uuid4())] if foreign else []
    client = await browser_of(cast.clara)
    response = await post(client, body(notebook, context={"source_ids": chosen}))
    assert response.status_code == 400
    assert response.json()["code"] == "unknown_sources"


async def test_what_a_context_does_not_take_is_refused(cast: Cast) -> None:
    notebook = await sync_to_async(_two)(cast)
    client = await browser_of(cast.clara)
    response = await post(client, body(notebook, context={"principal": "root"}))
    assert response.status_code == 400
    assert "principal" in response.json()["fields"]
