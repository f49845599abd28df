"""The demo vault as a person meets it: loaded, read, and every question of its manifest asked."""

from typing import Any

import pytest

from apps.notebooks.demo import load_demo, manifest
from apps.notebooks.models import Notebook
from apps.notebooks.values import SourceStatus
from apps.vaults.actor import actor_for
from tests.flows.asking import Reply, ask
from tests.support.cast import Cast, client_of
from tests.support.jobs import run_jobs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def demo(cast: Cast) -> dict[str, Notebook]:
    """The demo's notebooks by their keys, read; Clara made them."""
    made = load_demo(actor_for(cast.clara))
    run_jobs()
    keys = [facts["key"] for facts in manifest()["notebooks"]]
    fresh = Notebook.objects.in_bulk([notebook.id for notebook in made])
    return {key: fresh[notebook.id] for key, notebook in zip(keys, made, strict=True)}


def _places(cast: Cast, reply: Reply) -> list[dict[str, Any]]:
    """What each citation opens, through the same address as the viewer's."""
    client = client_of(cast.clara)
    return [
        client.get(
            f"/api/notebooks/{one.notebook_id}/evidence/{one.chunk_id}?revision={one.revision}"
        ).json()
        for one in reply.citations
    ]


def _stands_there(asked: dict[str, Any], opened: dict[str, Any]) -> bool:
    """Whether an opened citation is the file and the place that the manifest names."""
    locator = opened["locator"]
    if opened["source_label"] != asked["file"].rpartition("/")[2]:
        return False
    if "page" in asked:
        # Without printed labels of its own, a page is called by its number.
        label = locator.get("label") or str(locator["page"])
        return locator["page"] == asked["page"] and label == asked.get("label", label)
    if "heading" in asked:
        return locator["headings"][-1] == asked["heading"]
    first, last = asked["lines"]
    return locator["lines"][0] <= first and last <= locator["lines"][1]


def test_every_source_of_the_demo_is_read(demo: dict[str, Notebook], cast: Cast) -> None:
    expected = {facts["key"]: len(facts["resources"]) for facts in manifest()["notebooks"]}
    client = client_of(cast.clara)
    states = {
        key: [
            row["state"]
            for row in client.get(f"/api/notebooks/{notebook.id}/sources").json()["results"]
        ]
        for key, notebook in demo.items()
    }
    assert states == {key: [SourceStatus.AVAILABLE] * count for key, count in expected.items()}


def test_every_question_of_the_demo_is_answered_from_the_place_where_its_answer_stands(
    demo: dict[str, Notebook], cast: Cast
) -> None:
    wrong: list[str] = []
    asked = manifest()["questions"]
    for one in asked:
        reply = ask(cast.clara, demo[one["notebook"]], one["question"])
        if one["expected_substring"] not in " ".join(reply.text.split()):
            wrong.append(f"{one['question']} answered: {reply.text!r} {reply.done}")
            continue
        places = _places(cast, reply)
        if not any(_stands_there(one, opened) for opened in places):
            seen = [(place["source_label"], place["label"]) for place in places]
            wrong.append(f"{one['question']} cited: {seen}")
    assert len(asked) == 25
    assert not wrong, "\n".join(wrong)


def test_an_answer_of_the_demo_cites_by_page_labels_and_says_so(
    demo: dict[str, Notebook], cast: Cast
) -> None:
    question = "Quin és el pressupost total del pla?"
    reply = ask(cast.clara, demo["sediments"], question)
    labels = {(one.label, one.locator["page"]) for one in reply.citations}
    assert any("iii" in label and page == 3 for label, page in labels), labels
