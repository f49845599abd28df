"""Evidence is only what attachments and links hold: a word planted anywhere else is found nowhere."""

import pytest

from apps.library.actions import update_resource
from apps.library.models import Resource
from apps.notebooks import evidence
from apps.notebooks.models import Chunk
from apps.vaults.actor import actor_for
from tests.support.cast import Cast
from tests.support.factories import resource_with_file
from tests.support.notebooks import read_notebook

CANARY = "zwartkraaivogel"


@pytest.fixture
def planted(cast: Cast) -> Resource:
    """A record with the canary in every field that is not evidence."""
    resource = resource_with_file(
        cast.clara,
        content=b"The harbour master keeps the keys of the sluice.\n",
        filename=f"{CANARY}.txt",
    )
    return update_resource(
        actor_for(cast.clara),
        resource,
        {
            "title": f"Title {CANARY}",
            "authors": [CANARY],
            "tags": [CANARY],
            "body": f"Notes about the {CANARY}.",
        },
    )


def test_no_search_finds_a_word_of_the_record_itself(cast: Cast, planted: Resource) -> None:
    notebook = read_notebook(cast.clara, planted, title=f"Notebook {CANARY}")
    pin = evidence.pin_now(notebook)
    assert pin is not None
    result = evidence.search([pin], CANARY)
    assert result.hits == ()
    assert result.coverage == 0


def test_no_chunk_holds_it(cast: Cast, planted: Resource) -> None:
    read_notebook(cast.clara, planted)
    assert Chunk.objects.exists()
    assert not Chunk.objects.filter(text__icontains=CANARY).exists()
