"""Comparing a notebook's sources with what was read before: what is asked, read, kept, left out."""

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from apps.ingestion.values import Reason
from apps.jobs.models import Job
from apps.jobs.values import MAX_ATTEMPTS, State
from apps.library.actions import remove_attachment
from apps.library.models import Resource
from apps.notebooks import evidence
from apps.notebooks.actions import refresh, retry_resource
from apps.notebooks.models import FailedReading, Fingerprint, Notebook, SourceState, SourceVersion
from apps.notebooks.queries import source_rows
from apps.notebooks.values import RevisionState, SourceStatus
from apps.vaults.actor import actor_for
from tests.support.cast import Cast
from tests.support.factories import attach, link_to, resource_with_file, resource_with_link
from tests.support.jobs import run_jobs
from tests.support.notebooks import fresh, read_notebook
from tests.support.website import Page, Website

DAM = "The weir at Alcorim was built of granite in the year of the great flood."
FISH = "Below it the eels wait for the autumn rains before they go down to the sea."
GATE = "Its third gate has been stuck since the winter, and nobody mends it."


def page(*sentences: str, advert: str = "", etag: str = "") -> Page:
    """An article with what surrounds one: menu, advert, foot."""
    paragraphs = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    html = (
        "<!doctype html><html lang=en><head><title>The weir</title></head><body>"
        "<nav><a href=/a>Home</a> <a href=/b>Weirs</a> <a href=/c>Contact</a></nav>"
        f"<aside class=advertisement><a href=/buy>{advert}</a></aside>"
        f"<main><article><h1>The weir of Alcorim</h1>{paragraphs}</article></main>"
        "<footer><a href=/legal>Legal</a></footer></body></html>"
    )
    return Page(html.encode(), etag=etag)


def web_resource(cast: Cast, website: Website, path: str, title: str = "A page") -> Resource:
    return resource_with_link(cast.clara, title, website.url(path))


def refreshed(cast: Cast, notebook: Notebook, *, hours_later: float = 7) -> Notebook:
    """The notebook after a refresh, `hours_later` than the last look at its addresses."""
    passed = timedelta(hours=hours_later)
    Fingerprint.objects.update(checked_at=F("checked_at") - passed)
    FailedReading.objects.update(failed_at=F("failed_at") - passed)
    refresh(fresh(notebook), by=actor_for(cast.clara))
    run_jobs()
    return fresh(notebook)


def number_of(notebook: Notebook) -> int | None:
    revision = fresh(notebook).active_revision
    return revision.number if revision else None


def found(notebook: Notebook, words: str) -> set[str]:
    """The texts that a search of the notebook gives."""
    pin = evidence.pin_now(fresh(notebook))
    assert pin is not None
    return {hit.text for hit in evidence.search([pin], words).hits}


def says(notebook: Notebook, sentence: str) -> bool:
    return any(sentence in text for text in found(notebook, f'"{sentence}"'))


def states(notebook: Notebook) -> dict[str, tuple[str, str]]:
    """Per source: its state and reason."""
    rows = SourceState.objects.filter(notebook=notebook).select_related(
        "source__attachment", "source__link"
    )
    return {row.source.label.rpartition("/")[2]: (row.state, row.reason) for row in rows}


def test_a_page_that_answers_not_modified_is_unchanged(cast: Cast, website: Website) -> None:
    website.pages["/weir"] = page(DAM, FISH, etag='"one"')
    notebook = read_notebook(cast.clara, web_resource(cast, website, "/weir"))
    refreshed(cast, notebook)
    assert website.statuses("/weir") == [200, 304]
    assert website.visits[-1].if_none_match == '"one"'
    assert number_of(notebook) == 1
    last = notebook.revisions.latest("id")
    assert last.state == RevisionState.UNCHANGED
    assert last.entries.count() == 0
    assert fresh(notebook).last_checked_at == last.finished_at or last.finished_at is not None
    assert SourceVersion.objects.count() == 1


def test_without_validators_another_advert_is_no_change(cast: Cast, website: Website) -> None:
    website.pages["/weir"] = page(DAM, FISH, advert="Boots, half price")
    notebook = read_notebook(cast.clara, web_resource(cast, website, "/weir"))
    website.pages["/weir"] = page(DAM, FISH, advert="Umbrellas for everybody")
    refreshed(cast, notebook)
    assert website.statuses("/weir") == [200, 200]
    assert number_of(notebook) == 1
    assert SourceVersion.objects.count() == 1


def test_a_changed_text_becomes_a_new_version_in_a_new_revision(
    cast: Cast, website: Website
) -> None:
    website.pages["/weir"] = page(DAM, FISH, etag='"one"')
    notebook = read_notebook(cast.clara, web_resource(cast, website, "/weir"))
    website.pages["/weir"] = page(DAM, GATE, etag='"two"')
    refreshed(cast, notebook)
    assert number_of(notebook) == 2
    assert says(notebook, GATE)
    assert not says(notebook, FISH)
    versions = SourceVersion.objects.order_by("id")
    assert [version.source_id for version in versions] == [versions[0].source_id] * 2


def test_a_page_that_is_gone_stays_as_it_was_and_is_called_stale(
    cast: Cast, website: Website
) -> None:
    website.pages["/weir"] = page(DAM, FISH)
    resource = web_resource(cast, website, "/weir")
    notebook = read_notebook(cast.clara, resource)
    del website.pages["/weir"]
    refreshed(cast, notebook)
    assert states(notebook) == {"weir": (SourceStatus.STALE, Reason.NOT_FOUND)}
    (row,) = source_rows(fresh(notebook)).rows
    assert row.state == SourceStatus.STALE
    assert row.reason_sentence
    assert says(notebook, FISH)
    assert number_of(notebook) == 1


def test_a_page_that_comes_back_is_available_again(cast: Cast, website: Website) -> None:
    website.pages["/weir"] = page(DAM, FISH)
    notebook = read_notebook(cast.clara, web_resource(cast, website, "/weir"))
    del website.pages["/weir"]
    refreshed(cast, notebook)
    website.pages["/weir"] = page(DAM, FISH)
    refreshed(cast, notebook)
    assert states(notebook) == {"weir": (SourceStatus.AVAILABLE, "")}
    assert number_of(notebook) == 1


def test_an_address_is_not_asked_again_before_its_time(cast: Cast, website: Website) -> None:
    website.pages["/weir"] = page(DAM)
    notebook = read_notebook(cast.clara, web_resource(cast, website, "/weir"))
    refreshed(cast, notebook, hours_later=5.9)
    assert website.statuses("/weir") == [200]
    refreshed(cast, notebook, hours_later=0.2)
    assert website.statuses("/weir") == [200, 200]


def test_retrying_one_resource_asks_for_that_one_only(cast: Cast, website: Website) -> None:
    website.pages["/weir"] = page(DAM)
    website.pages["/eels"] = page(FISH)
    weir = web_resource(cast, website, "/weir", "Weir")
    eels = web_resource(cast, website, "/eels", "Eels")
    notebook = read_notebook(cast.clara, weir, eels, resource_with_file(cast.clara, "File"))
    before = list(SourceVersion.objects.order_by("id").values_list("id", "created_at"))
    retry_resource(notebook, weir.id)
    run_jobs()
    assert website.statuses("/weir") == [200, 200]
    assert website.statuses("/eels") == [200]
    assert list(SourceVersion.objects.order_by("id").values_list("id", "created_at")) == before
    assert number_of(notebook) == 1


def test_a_page_that_only_a_browser_could_draw_has_a_named_error(
    cast: Cast, website: Website
) -> None:
    shell = b"<!doctype html><html><body><div id=root></div><script src=/app.js></script></body>"
    website.pages["/app"] = Page(shell)
    website.pages["/weir"] = page(DAM)
    notebook = read_notebook(
        cast.clara, web_resource(cast, website, "/app"), web_resource(cast, website, "/weir")
    )
    assert states(notebook) == {
        "app": (SourceStatus.ERROR, Reason.NO_READABLE_TEXT),
        "weir": (SourceStatus.AVAILABLE, ""),
    }
    assert says(notebook, DAM)


def test_a_removed_attachment_is_not_in_the_next_revision(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=DAM.encode(), filename="weir.txt")
    second = attach(cast.clara, resource, FISH.encode(), "eels.txt")
    notebook = read_notebook(cast.clara, resource)
    assert says(notebook, FISH)
    remove_attachment(actor_for(cast.clara), second)
    refreshed(cast, notebook)
    assert number_of(notebook) == 2
    assert set(states(notebook)) == {"weir.txt"}
    assert not says(notebook, FISH)
    assert says(notebook, DAM)


def test_a_link_that_fails_is_stale_although_the_file_beside_it_was_read(
    cast: Cast, website: Website
) -> None:
    website.pages["/eels"] = page(FISH)
    resource = resource_with_file(cast.clara, content=DAM.encode(), filename="weir.txt")
    link_to(cast.clara, resource, website.url("/eels"))
    notebook = read_notebook(cast.clara, resource)
    del website.pages["/eels"]
    refreshed(cast, notebook)
    assert states(notebook) == {
        "weir.txt": (SourceStatus.AVAILABLE, ""),
        "eels": (SourceStatus.STALE, Reason.NOT_FOUND),
    }
    assert notebook.members.get().state == SourceStatus.STALE
    assert says(notebook, FISH)


def test_a_fault_that_may_pass_is_tried_again_later_and_nothing_waits_for_it(
    cast: Cast, website: Website
) -> None:
    website.pages["/weir"] = Page(b"busy", 503, headers={"Retry-After": "120"})
    notebook = read_notebook(
        cast.clara, web_resource(cast, website, "/weir"), resource_with_file(cast.clara)
    )
    assert number_of(notebook) == 1
    assert states(notebook)["weir"] == (SourceStatus.ERROR, Reason.HTTP_STATUS)
    job = Job.objects.get()
    assert job.state == State.QUEUED
    assert job.available_at >= timezone.now() + timedelta(seconds=100)
    website.pages["/weir"] = page(DAM)
    run_jobs(later=True)
    assert states(notebook)["weir"] == (SourceStatus.AVAILABLE, "")
    assert number_of(notebook) == 2
    assert says(notebook, DAM)
    assert Job.objects.get().state == State.SUCCEEDED


def test_a_fault_that_does_not_pass_is_tried_three_times_and_then_left(
    cast: Cast, website: Website
) -> None:
    website.pages["/weir"] = Page(b"busy", 503)
    notebook = read_notebook(cast.clara, web_resource(cast, website, "/weir"))
    run_jobs(later=True)
    assert website.statuses("/weir") == [503] * MAX_ATTEMPTS
    assert states(notebook) == {"weir": (SourceStatus.ERROR, Reason.HTTP_STATUS)}
    assert not Job.objects.filter(state__in=[State.QUEUED, State.RUNNING]).exists()


def test_a_fault_that_lasts_is_not_tried_again(cast: Cast, website: Website) -> None:
    notebook = read_notebook(cast.clara, web_resource(cast, website, "/nowhere"))
    run_jobs(later=True)
    assert website.statuses("/nowhere") == [404]
    assert Job.objects.get().state == State.SUCCEEDED
    assert states(notebook) == {"nowhere": (SourceStatus.ERROR, Reason.NOT_FOUND)}


def test_a_page_that_sends_the_reader_inside_is_not_followed(cast: Cast, website: Website) -> None:
    inside = f"http://127.0.0.2:{website.port}/keys"
    website.pages["/door"] = Page(b"", 302, headers={"Location": inside})
    website.pages["/keys"] = page(GATE)
    notebook = read_notebook(cast.clara, web_resource(cast, website, "/door"))
    assert states(notebook) == {"door": (SourceStatus.ERROR, Reason.FORBIDDEN_ADDRESS)}
    assert website.statuses("/keys") == []
