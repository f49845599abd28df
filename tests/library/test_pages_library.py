"""The pages of the library as its members see them."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.support.cast import Cast, client_of
from tests.support.factories import (
    resource_with_file,
    resource_with_link,
    resource_without_sources,
)


def _library(client: Client, **wishes: str) -> str:
    return client.get(reverse("library"), wishes).content.decode()


def test_an_editor_sees_the_records_and_ways_to_add_more(cast: Cast) -> None:
    resource_with_file(cast.clara, "Delta plan")
    page = _library(client_of(cast.enric))
    assert "Delta plan" in page
    assert "data-choose-files" in page
    assert "data-select=" in page


def test_a_reader_sees_the_records_and_no_way_to_change_them(cast: Cast) -> None:
    resource_with_file(cast.clara, "Delta plan")
    page = _library(client_of(cast.lola))
    assert "Delta plan" in page
    assert "data-choose-files" not in page
    assert "data-select=" not in page


def test_another_vault_shows_neither_title_nor_count(cast: Cast) -> None:
    resource_with_file(cast.clara, "Delta plan")
    page = _library(client_of(cast.otto))
    assert "Delta plan" not in page
    assert "Nothing here yet" in page


def test_an_empty_library_says_the_next_step(cast: Cast) -> None:
    assert "Upload documents" in _library(client_of(cast.clara))
    assert "Upload documents" not in _library(client_of(cast.lola))


def test_a_search_without_result_offers_the_whole_list(cast: Cast) -> None:
    resource_with_file(cast.clara, "Delta plan")
    page = _library(client_of(cast.clara), q="volcano")
    assert "Nothing matches" in page
    assert "Show all records" in page


def test_a_record_with_nothing_to_read_cannot_be_chosen(cast: Cast) -> None:
    record = resource_without_sources(cast.clara, "Only a title")
    page = _library(client_of(cast.clara))
    assert "Nothing to read" in page
    box = page.split(f'data-select="{record.id}"')[1].split(">")[0]
    assert "disabled" in box


def test_hostile_titles_are_text(cast: Cast) -> None:
    resource_with_file(cast.clara, "<script>alert(1)</script>")
    page = _library(client_of(cast.clara))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_longer_list_costs_no_more_queries(cast: Cast) -> None:
    client = client_of(cast.lola)
    resource_with_file(cast.clara, "First")
    before = _counted(client)
    for number in range(8):
        resource_with_file(cast.clara, f"Record {number}")
    assert _counted(client) == before


def _counted(client: Client) -> int:
    with CaptureQueriesContext(connection) as queries:
        _library(client)
    return len(queries)


def test_a_record_shows_what_it_holds(cast: Cast) -> None:
    record = resource_with_link(cast.clara, "A page")
    address = reverse("resource", args=[record.id])
    page = client_of(cast.clara).get(address).content.decode()
    assert 'rel="noopener noreferrer nofollow"' in page
    assert "data-remove=" in page
    assert "data-remove=" not in client_of(cast.lola).get(address).content.decode()
    assert client_of(cast.otto).get(address).status_code == 404
