"""Evidence is only what attachments and links hold: a word planted anywhere else is found nowhere."""

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest

from apps.chat import providers
from apps.chat.frames import Delta, ErrorFrame, Phase
from apps.chat.models import Frame, Turn
from apps.library.actions import update_resource
from apps.library.models import Field, Resource, Table
from apps.llm.client import ModelClient
from apps.llm.values import ModelEvent, Prompt
from apps.notebooks import evidence, index
from apps.notebooks.models import Chunk, Notebook
from apps.vaults.actor import actor_for
from apps.vaults.models import Vault, Workspace
from tests.flows.asking import ask
from tests.support.cast import Cast, client_of
from tests.support.factories import resource_with_file, resource_with_link
from tests.support.notebooks import read_notebook
from tests.support.website import Page, Website

CANARY = "zwartkraaivogel"
QUESTION = "Who keeps the keys of the sluice?"
EVIDENCE = "The harbour master keeps the keys of the sluice."


class Listener:
    """A provider that answers as the real one does and remembers what it was told."""

    name = "listener"
    calls_a_model = False

    def __init__(self, real: ModelClient) -> None:
        self._real = real
        self.prompts: list[Prompt] = []

    def stream(self, prompt: Prompt) -> AsyncGenerator[ModelEvent, None]:
        """The real one's answer."""
        self.prompts.append(prompt)
        return self._real.stream(prompt)


@pytest.fixture
def listener(settings: Any) -> Iterator[Listener]:
    """In the place of the provider, through the registry of providers."""
    one = Listener(providers.client())
    providers.register("listener", lambda: one)
    settings.CHAT_PROVIDER = "listener"
    yield one
    providers.forget("listener")


def _planted_fields(cast: Cast, resource: Resource) -> Resource:
    return update_resource(
        actor_for(cast.clara),
        resource,
        {
            "title": f"Title {CANARY}",
            "authors": [CANARY, f"Anna {CANARY}"],
            "tags": [CANARY],
            "body": f"Notes about the {CANARY}, who keeps no keys of the sluice.",
        },
    )


@pytest.fixture
def planted(cast: Cast) -> list[Resource]:
    """Records with the canary in every field and name that is not evidence."""
    Vault.objects.update(name=f"Vault {CANARY}")
    Workspace.objects.filter(id=cast.workspace.id).update(name=f"Room {CANARY}")
    Table.objects.filter(id=cast.references.id).update(name=f"Table {CANARY}")
    Field.objects.filter(table=cast.references).update(label=f"Field {CANARY}")
    resource = resource_with_file(
        cast.clara, content=f"{EVIDENCE}\n".encode(), filename=f"{CANARY}.txt"
    )
    return [_planted_fields(cast, resource)]


@pytest.fixture
def planted_page(cast: Cast, website: Website) -> Resource:
    """A web page with the canary in its address and in what surrounds its text, too."""
    path = f"/{CANARY}/page.html"
    article = f"<main><article><h1>Sluice</h1><p>{EVIDENCE}</p></article></main>"
    head = f"<head><title>The sluice</title><meta name=keywords content={CANARY}></head>"
    html = f"<!doctype html><html>{head}<body>{article}<!-- {CANARY} --></body></html>"
    website.pages[path] = Page(html.encode())
    return _planted_fields(cast, resource_with_link(cast.clara, url=website.url(path)))


def _notebook(cast: Cast, *resources: Resource) -> Notebook:
    return read_notebook(cast.clara, *resources, title=f"Notebook {CANARY}")


@pytest.mark.parametrize("query", [CANARY, f'"{CANARY}"', CANARY[:9], f"keys {CANARY}"])
def test_no_search_finds_a_word_of_the_record_itself(
    cast: Cast, planted: list[Resource], planted_page: Resource, query: str
) -> None:
    notebook = _notebook(cast, *planted, planted_page)
    answer = client_of(cast.clara).get(f"/api/notebooks/{notebook.id}/search", {"q": query}).json()
    without = query.replace(CANARY, "").strip()
    texts = {" ".join(hit["text"].split()) for hit in answer["results"]}
    assert texts <= {EVIDENCE, f"Sluice {EVIDENCE}"}
    if without in {"", '""'}:
        assert answer["results"] == []
        assert answer["coverage"] == 0


def test_no_index_or_chunk_holds_it(
    cast: Cast, planted: list[Resource], planted_page: Resource
) -> None:
    notebook = _notebook(cast, *planted, planted_page)
    pin = evidence.pin_now(notebook)
    assert pin is not None
    assert Chunk.objects.count() == 2
    assert not Chunk.objects.filter(text__icontains=CANARY).exists()
    assert not Chunk.objects.filter(locator__icontains=CANARY).exists()
    versions = [(entry.version_id, "en") for entry in evidence.entries_now(pin)]
    asked = index.search(pin.space_id, versions, f"{CANARY} harbour", limit=10)
    known = {fact.term for fact in asked.terms if fact.df}
    assert known, "the harbour is in the index"
    assert not [term for term in known if term.strip("_") in CANARY and len(term) > 3]


@pytest.mark.django_db(transaction=True)
def test_no_prompt_holds_it_and_no_answer(
    cast: Cast, planted: list[Resource], planted_page: Resource, listener: Listener
) -> None:
    notebook = _notebook(cast, *planted, planted_page)
    reply = ask(cast.clara, notebook, QUESTION)
    (prompt,) = listener.prompts
    assert EVIDENCE in repr(prompt)
    assert CANARY not in repr(prompt)
    assert EVIDENCE in " ".join(reply.text.split())
    assert CANARY not in reply.text
    said = [f.payload for f in reply.frames if isinstance(f.payload, Delta | Phase | ErrorFrame)]
    assert CANARY not in repr(said)
    assert CANARY not in Turn.objects.get().answer


@pytest.mark.django_db(transaction=True)
def test_asked_for_by_name_it_is_not_known(
    cast: Cast, planted: list[Resource], listener: Listener
) -> None:
    notebook = _notebook(cast, *planted)
    reply = ask(cast.clara, notebook, f"Who is {CANARY}?")
    assert reply.citations == []
    assert CANARY not in reply.text
    assert all(CANARY not in block.text for prompt in listener.prompts for block in prompt.system)
    assert all(prompt.evidence == () for prompt in listener.prompts)


@pytest.mark.django_db(transaction=True)
def test_frames_hold_it_only_where_a_name_is_shown(
    cast: Cast, planted: list[Resource], planted_page: Resource
) -> None:
    ask(cast.clara, _notebook(cast, *planted, planted_page), QUESTION)
    shown = {
        f"{frame.type}.{place}"
        for frame in Frame.objects.all()
        for place, text in _texts(frame.data)
        if CANARY in text
    }
    assert shown <= {
        "acl_meta.sources",
        "acl_meta.source_details.source",
        "acl_meta.source_details.title",
        "acl_meta.source_details.notebook",
        "citation.title",
        "citation.source_label",
    }
    assert "citation.title" in shown, "the screen names the record"


def _texts(data: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in JSON with the names that lead to it."""
    if isinstance(data, dict):
        for name, part in data.items():
            yield from _texts(part, f"{place}.{name}" if place else str(name))
    elif isinstance(data, list):
        for part in data:
            yield from _texts(part, place)
    else:
        yield place, json.dumps(data, ensure_ascii=False)
