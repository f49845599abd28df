"""Lists of notebooks and of their sources: the same number of queries for few rows and for many."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.notebooks import queries
from apps.notebooks.models import Notebook
from apps.notebooks.values import SourceStatus, Visibility
from apps.vaults.actor import actor_for
from tests.support.cast import Cast
from tests.support.factories import attach, resource_with_file
from tests.support.jobs import run_jobs
from tests.support.notebooks import fresh, notebook_of


def _cost(read: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        read()
    return len(captured)


@pytest.mark.parametrize("is_read", [False, True], ids=["queued", "read"])
def test_cards_cost_the_same_for_few_and_for_many(cast: Cast, is_read: bool) -> None:
    resource = resource_with_file(cast.clara)
    lola = actor_for(cast.lola)

    def make(count: int) -> int:
        for number in range(count):
            notebook_of(cast.clara, resource, title=f"Notebook {number}")
        if is_read:
            run_jobs()
        return _cost(lambda: queries.notebook_cards(lola))

    assert make(2) == make(5) <= 12


def test_sources_cost_the_same_for_few_and_for_many(cast: Cast) -> None:
    def cost(count: int) -> int:
        resources = [resource_with_file(cast.clara, f"Record {n}") for n in range(count)]
        for resource in resources:
            attach(cast.clara, resource)
        notebook = notebook_of(cast.clara, *resources)
        run_jobs()
        return _cost(lambda: queries.source_rows(fresh(notebook)))

    assert cost(1) == cost(4) <= 12


def test_a_private_notebook_is_on_nobody_elses_list_nor_in_its_count(cast: Cast) -> None:
    resource = resource_with_file(cast.clara)
    notebook_of(cast.clara, resource, title="Hers", visibility=Visibility.PRIVATE)
    notebook_of(cast.clara, resource, title="Ours")
    for name, actor in cast.actors.items():
        page = queries.notebook_cards(actor)
        expected = {"clara": 2, "neus": 1, "enric": 1, "lola": 1}.get(name, 0)
        assert (page.total, len(page.rows)) == (expected, expected), name


def test_a_source_in_trouble_says_why_in_a_sentence(cast: Cast) -> None:
    bad = resource_with_file(cast.clara, "Blob", content=b"\x00\x01\x02\x03" * 64)
    notebook: Notebook = notebook_of(cast.clara, bad)
    run_jobs()
    (row,) = queries.source_rows(fresh(notebook)).rows
    assert row.state is SourceStatus.ERROR
    assert row.reason_sentence.endswith(".")
    assert queries.notebook_detail(actor_for(cast.clara), fresh(notebook)).attention_count == 1


def test_what_was_left_out_of_a_source_is_said(cast: Cast) -> None:
    text = "Naïve café in Latin-1 beside UTF-8: “ok”\n".encode() + b"caf\xe9 \x81\n"
    notebook: Notebook = notebook_of(cast.clara, resource_with_file(cast.clara, content=text))
    run_jobs()
    (row,) = queries.source_rows(fresh(notebook)).rows
    assert row.state is SourceStatus.AVAILABLE
    assert row.notes == row.sources[0].notes != ()
