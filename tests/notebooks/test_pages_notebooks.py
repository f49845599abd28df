"""The pages of notebooks, conversations and evidence as each of the cast sees them."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.notebooks.models import Chunk, Notebook
from apps.notebooks.values import Visibility
from tests.support.cast import Cast, client_of
from tests.support.factories import resource_with_file
from tests.support.notebooks import notebook_of, read_notebook

TEXT = b"# Weirs\n\nThe weir of Montalt stands at kilometre 12 of the river."


def _read(cast: Cast, **facts: object) -> Notebook:
    record = resource_with_file(cast.clara, "Weirs", content=TEXT, filename="weirs.md")
    return read_notebook(cast.clara, record, title="About weirs", **facts)


def _page(client: Client, notebook: Notebook, **wishes: str) -> str:
    return client.get(reverse("notebook", args=[notebook.id]), wishes).content.decode()


def _evidence(notebook: Notebook) -> str:
    passage = Chunk.objects.order_by("id").last()
    assert passage
    address = reverse("evidence", args=[notebook.id, passage.id])
    return f"{address}?revision=1"


def test_the_creator_sees_settings_composer_and_sources(cast: Cast) -> None:
    page = _page(client_of(cast.clara), _read(cast))
    for part in ("data-composer", "data-delete", "data-add", "data-title", "Weirs"):
        assert part in page


def test_an_editor_asks_but_manages_nothing(cast: Cast) -> None:
    page = _page(client_of(cast.enric), _read(cast))
    assert "data-composer" in page
    for part in ("data-delete", "data-add>", "data-title aria", "data-retry"):
        assert part not in page


def test_a_reader_reads_and_is_told_how_to_ask(cast: Cast) -> None:
    page = _page(client_of(cast.lola), _read(cast))
    assert "data-composer" not in page
    assert "You can read this conversation." in page


def test_a_private_notebook_is_a_missing_page_for_everybody_else(cast: Cast) -> None:
    notebook = _read(cast, visibility=Visibility.PRIVATE)
    for person in (cast.enric, cast.lola, cast.neus, cast.victor, cast.otto):
        response = client_of(person).get(reverse("notebook", args=[notebook.id]))
        assert response.status_code == 404
        assert b"About weirs" not in response.content
        for name in ("home", "notebooks"):
            assert b"About weirs" not in client_of(person).get(reverse(name)).content


def test_a_notebook_being_read_shows_its_progress(cast: Cast) -> None:
    notebook = notebook_of(cast.clara, resource_with_file(cast.clara, "Weirs"))
    page = _page(client_of(cast.clara), notebook)
    assert 'class="strip"' in page
    assert "1 running" in page
    assert 'data-ready="false"' in page
    assert "1 running" in client_of(cast.clara).get(reverse("home")).content.decode()


def test_the_list_of_sources_comes_alone_for_the_script(cast: Cast) -> None:
    part = _page(client_of(cast.clara), _read(cast), part="sources")
    assert "Weirs" in part
    assert "<html" not in part


def test_the_evidence_marks_the_passage_in_its_text(cast: Cast) -> None:
    notebook = _read(cast)
    page = client_of(cast.lola).get(_evidence(notebook)).content.decode()
    marked = page.split('<mark id="passage">')[1].split("</mark>")[0]
    assert "stands at kilometre 12" in marked
    assert "Revision 1" in page


def test_evidence_of_a_removed_source_says_so(cast: Cast) -> None:
    notebook = _read(cast)
    address = _evidence(notebook)
    notebook.members.all().delete()
    page = client_of(cast.clara).get(address).content.decode()
    assert "no longer in the notebook" in page


def test_evidence_of_another_vault_is_a_missing_page(cast: Cast) -> None:
    assert client_of(cast.otto).get(_evidence(_read(cast))).status_code == 404


def test_the_original_is_offered_as_a_download(cast: Cast) -> None:
    notebook = _read(cast)
    version = Chunk.objects.order_by("id").last()
    assert version
    address = reverse("source_file", args=[notebook.id, version.version_id])
    response = client_of(cast.lola).get(address)
    assert response.status_code == 200
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert b"".join(response.streaming_content) == TEXT  # type: ignore[attr-defined]
    assert client_of(cast.otto).get(address).status_code == 404


def test_a_longer_list_of_notebooks_costs_no_more_queries(cast: Cast) -> None:
    record = resource_with_file(cast.clara, "Weirs")
    client = client_of(cast.lola)
    read_notebook(cast.clara, record, title="One")
    before = _counted(client, "notebooks"), _counted(client, "home")
    for number in range(3):
        read_notebook(cast.clara, record, title=f"Notebook {number}")
    assert (_counted(client, "notebooks"), _counted(client, "home")) == before


def _counted(client: Client, name: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        client.get(reverse(name))
    return len(queries)
