"""The life of a revision: whole or not at all, pinned ones kept, unchanged ones not repeated."""

import pytest
from django.core.files.base import ContentFile

from apps.library.actions import replace_attachment_file
from apps.library.models import Resource
from apps.notebooks import actions, evidence, revisions
from apps.notebooks.models import (
    Chunk,
    FailedReading,
    Notebook,
    RevisionPin,
    SourceState,
    SourceVersion,
)
from apps.notebooks.values import CitationStatus, RevisionState, SourceStatus
from apps.vaults.actor import actor_for
from tests.support.cast import Cast
from tests.support.factories import resource_with_file
from tests.support.jobs import run_jobs
from tests.support.notebooks import fresh, notebook_of, read_notebook

OLD = b"The weir was finished in 1931 by the miller's guild.\n"
NEW = b"The weir was finished in 1934 by the miller's guild.\n"


def _no_lease() -> None:
    """Stands for a lease that is held."""


def replace(cast: Cast, resource: Resource, content: bytes) -> None:
    attachment = resource.attachments.get()
    replace_attachment_file(
        actor_for(cast.clara), attachment, ContentFile(content, name=attachment.filename)
    )


def refresh(cast: Cast, notebook: Notebook) -> Notebook:
    actions.refresh(notebook, by=actor_for(cast.clara))
    run_jobs()
    return fresh(notebook)


def hits(notebook: Notebook, query: str) -> list[evidence.Evidence]:
    pin = evidence.pin_now(notebook)
    assert pin is not None
    return list(evidence.search([pin], query).hits)


def test_the_first_reading_makes_revision_one(cast: Cast) -> None:
    notebook = read_notebook(cast.clara, resource_with_file(cast.clara, content=OLD))
    revision = notebook.active_revision
    assert revision is not None
    assert (revision.number, revision.state) == (1, RevisionState.COMPLETE)
    assert revision.source_count == 1
    assert revision.chunk_count == Chunk.objects.count() == 1
    assert hits(notebook, "when was the weir finished")[0].text.startswith("The weir was finished")


def test_an_unchanged_refresh_is_recorded_but_activates_nothing(cast: Cast) -> None:
    notebook = read_notebook(cast.clara, resource_with_file(cast.clara, content=OLD))
    again = refresh(cast, notebook)
    assert again.active_revision_id == notebook.active_revision_id
    assert list(again.revisions.order_by("id").values_list("state", flat=True)) == [
        RevisionState.COMPLETE,
        RevisionState.UNCHANGED,
    ]
    assert SourceVersion.objects.count() == 1


def test_only_the_changed_source_is_read_again(cast: Cast) -> None:
    changed = resource_with_file(cast.clara, "Weir", content=OLD)
    same = resource_with_file(cast.clara, "Lock", content=b"The lock keeper lived in the east.\n")
    notebook = read_notebook(cast.clara, changed, same)
    replace(cast, changed, NEW)
    again = refresh(cast, notebook)
    assert again.active_revision is not None
    assert again.active_revision.number == 2
    assert again.active_revision.report == {"kept": 0, "reused": 1, "read": 1, "failed": 0}
    assert "1934" in hits(again, "weir finished")[0].text


def test_an_old_citation_opens_what_it_cited_after_five_updates(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=OLD)
    notebook = read_notebook(cast.clara, resource)
    cited = hits(notebook, "weir finished")[0]
    pinned = notebook.active_revision_id
    assert pinned is not None
    revisions.pin(pinned, RevisionPin.Holder.TURN, cast.clara.id)
    for year in range(1940, 1945):
        replace(cast, resource, f"The weir was finished in {year}.\n".encode())
        notebook = refresh(cast, notebook)
    opened = evidence.open_citation(actor_for(cast.lola), notebook.id, cited.chunk_id, 1)
    assert opened.text == cited.text == OLD.decode()
    assert opened.status is CitationStatus.SUPERSEDED
    assert (opened.revision, opened.current_revision) == (1, 6)


def test_what_retention_does_not_keep_goes_with_its_chunks(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=OLD)
    notebook = read_notebook(cast.clara, resource)
    for year in range(1940, 1945):
        replace(cast, resource, f"The weir was finished in {year}.\n".encode())
        notebook = refresh(cast, notebook)
    numbers = notebook.revisions.filter(state=RevisionState.COMPLETE).values_list(
        "number", flat=True
    )
    assert sorted(numbers) == [4, 5, 6]
    assert Chunk.objects.count() == 3


def test_a_removed_resource_is_out_of_the_search_at_once(cast: Cast) -> None:
    kept = resource_with_file(cast.clara, "Lock", content=b"The lock keeper lived in the east.\n")
    removed = resource_with_file(cast.clara, "Weir", content=OLD)
    notebook = read_notebook(cast.clara, kept, removed)
    cited = hits(notebook, "weir finished")[0]
    actions.remove_resource(notebook, removed.id, by=actor_for(cast.clara))
    assert all(hit.resource_id == kept.id for hit in hits(notebook, "weir finished lock"))
    opened = evidence.open_citation(actor_for(cast.clara), notebook.id, cited.chunk_id, 1)
    assert opened.status is CitationStatus.REMOVED
    assert opened.text == OLD.decode()


def test_a_failed_refresh_keeps_the_version_in_use_as_stale(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=OLD)
    notebook = read_notebook(cast.clara, resource)
    replace(cast, resource, b"\x00\x01\x02\x03" * 64)
    again = refresh(cast, notebook)
    state = SourceState.objects.get(notebook=notebook)
    assert state.state == SourceStatus.STALE
    assert state.reason
    assert "1931" in hits(again, "weir finished")[0].text


def test_a_new_source_that_fails_is_left_out_and_says_why(cast: Cast) -> None:
    good = resource_with_file(cast.clara, "Weir", content=OLD)
    bad = resource_with_file(cast.clara, "Blob", content=b"\x00\x01\x02\x03" * 64)
    notebook = read_notebook(cast.clara, good, bad)
    assert notebook.active_revision is not None
    assert notebook.active_revision.source_count == 1
    state = SourceState.objects.get(notebook=notebook, source__resource=bad)
    assert (state.state, bool(state.reason)) == (SourceStatus.ERROR, True)


def test_a_lasting_fault_is_not_looked_for_again_until_asked(cast: Cast) -> None:
    bad = resource_with_file(cast.clara, "Blob", content=b"\x00\x01\x02\x03" * 64)
    notebook = read_notebook(cast.clara, resource_with_file(cast.clara, content=OLD), bad)
    failed_at = FailedReading.objects.get().failed_at
    again = refresh(cast, notebook)
    assert FailedReading.objects.get().failed_at == failed_at
    assert SourceState.objects.get(source__resource=bad).state == SourceStatus.ERROR
    actions.retry_resource(again, bad.id)
    run_jobs()
    assert FailedReading.objects.get().failed_at > failed_at


def test_a_second_notebook_shares_the_version_and_its_chunks(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=OLD)
    first = read_notebook(cast.clara, resource, title="One")
    second = read_notebook(cast.clara, resource, title="Two")
    assert SourceVersion.objects.count() == 1
    assert hits(first, "weir")[0].chunk_id == hits(second, "weir")[0].chunk_id


def test_a_draft_whose_base_moved_is_not_activated(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=OLD)
    notebook = read_notebook(cast.clara, resource)
    draft = revisions.begin(notebook.id, job_id=900, fence=1)
    for source_id, version_id in revisions.held_sources(draft.base).items():  # type: ignore[arg-type]
        revisions.add(draft, source_id, version_id)
    Notebook.objects.filter(id=notebook.id).update(active_revision=None)
    with pytest.raises(revisions.NotActivatable):
        revisions.activate(draft, assert_lease=_no_lease, report={})


def test_a_draft_with_a_missing_chunk_is_not_activated(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=OLD)
    notebook = read_notebook(cast.clara, resource)
    draft = revisions.begin(notebook.id, job_id=901, fence=1)
    for source_id, version_id in revisions.held_sources(draft.base).items():  # type: ignore[arg-type]
        revisions.add(draft, source_id, version_id)
    Chunk.objects.all().delete()
    with pytest.raises(revisions.NotActivatable):
        revisions.activate(draft, assert_lease=_no_lease, report={})


def test_cancelling_leaves_the_active_revision_in_use(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=OLD)
    notebook = read_notebook(cast.clara, resource)
    replace(cast, resource, NEW)
    actions.refresh(notebook, by=actor_for(cast.clara))
    actions.cancel_refresh(notebook)
    run_jobs()
    assert "1931" in hits(fresh(notebook), "weir")[0].text


def test_deleting_a_notebook_removes_all_that_was_derived_and_no_record(cast: Cast) -> None:
    resource = resource_with_file(cast.clara, content=OLD)
    notebook = read_notebook(cast.clara, resource)
    actions.delete_notebook(notebook, by=actor_for(cast.clara))
    assert not Notebook.objects.exists()
    assert not SourceVersion.objects.exists()
    assert not Chunk.objects.exists()
    assert Resource.objects.filter(id=resource.id, deleted_at=None).exists()


def test_a_notebook_is_not_ready_before_it_was_read(cast: Cast) -> None:
    notebook = notebook_of(cast.clara, resource_with_file(cast.clara, content=OLD))
    assert evidence.pin_now(fresh(notebook)) is None
