"""Changing the library: what is kept in step, what is refused, what is written in the log."""

import pytest
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction

from apps.common.errors import Forbidden, Invalid, NotFound
from apps.library import actions
from apps.library.models import Attachment, Facet, Link, Resource, StoredFile
from apps.library.storage import open_stored
from apps.vaults.models import AuditRecord
from tests.support.cast import Cast
from tests.support.factories import attach, link_to, resource_with_file, resource_with_link

pytestmark = pytest.mark.everywhere


def _facets(resource) -> set[tuple[str, str]]:
    return set(Facet.objects.filter(resource=resource).values_list("name", "value"))


def _last_audit() -> str:
    return AuditRecord.objects.latest("id").action


def test_the_references_table_has_its_eight_fields_in_order(cast: Cast):
    fields = cast.references.fields.values_list("key", "kind")
    assert list(fields) == [
        ("title", "text"),
        ("type", "select"),
        ("authors", "author"),
        ("year", "number"),
        ("tags", "tags"),
        ("notes", "long_text"),
        ("attachments", "attachment"),
        ("links", "url"),
    ]


def test_a_vault_has_one_references_table(cast):
    with pytest.raises(IntegrityError), transaction.atomic():
        actions.create_references_table(cast.victors_workspace)


def test_an_upload_makes_a_record_titled_after_the_file(cast):
    file = ContentFile(b"Words.", name="annual_report 2024.pdf")
    attachment = actions.add_resource_from_upload(cast.actors["clara"], file)
    resource = Resource.objects.get()
    assert (resource.title, resource.has_sources) == ("annual report 2024", True)
    assert resource.table == cast.references
    assert attachment.field.key == "attachments"
    assert attachment.filename == "annual_report 2024.pdf"
    with open_stored(attachment.stored_file) as kept:
        assert kept.read() == b"Words."
    assert _last_audit() == "attachment_added"


def test_the_same_content_is_kept_once_per_vault(cast):
    resource_with_file(cast.clara, content=b"same")
    resource_with_file(cast.enric, content=b"same")
    resource_with_file(cast.otto, content=b"same")
    kept = StoredFile.objects.order_by("id")
    assert [one.vault for one in kept] == [cast.vault, cast.ottos_vault]


def test_an_upload_can_go_to_a_record_that_is_there(cast):
    resource = resource_with_link(cast.clara)
    attach(cast.enric, resource)
    assert (Resource.objects.count(), resource.attachments.count()) == (1, 1)


def test_an_empty_file_makes_no_record(cast):
    with pytest.raises(Invalid, match="empty"):
        actions.add_resource_from_upload(cast.actors["clara"], ContentFile(b"", name="a.txt"))
    assert (Resource.objects.count(), StoredFile.objects.count()) == (0, 0)


@pytest.mark.parametrize("who, error", [("lola", Forbidden), ("victor", NotFound)])
def test_who_may_not_write_adds_nothing(cast, who, error):
    actor = cast.actors[who]
    with pytest.raises(error):
        actions.add_resource_from_upload(actor, ContentFile(b"x", name="a.txt"))
    with pytest.raises(error):
        actions.add_resources_from_urls(actor, ["https://example.org/"])
    assert Resource.objects.count() == 0


def test_usable_addresses_become_records_and_the_others_come_back_with_reasons(cast):
    urls = [
        " https://example.org/a%20b/ ",
        "http://127.0.0.1/",
        "ftp://example.org/x",
        "https://user:pass@example.org/",
        "not an address",
        "https://example.org/" + "x" * 2000,
        "https://example.org/a%20b/",
    ]
    added = actions.add_resources_from_urls(cast.actors["clara"], urls)
    (resource,) = added.created
    assert (resource.title, resource.kind) == ("example.org/a b", "web_page")
    assert Link.objects.get().url == "https://example.org/a%20b/"
    assert [refusal.url for refusal in added.refused] == [url.strip() for url in urls[1:]]
    assert all(refusal.detail.endswith(".") for refusal in added.refused)


def test_more_than_two_hundred_addresses_are_refused_together(cast):
    urls = [f"https://example.org/{number}" for number in range(201)]
    with pytest.raises(Invalid):
        actions.add_resources_from_urls(cast.actors["clara"], urls)
    assert Resource.objects.count() == 0


def test_a_change_keeps_facets_order_and_search_in_step(cast):
    resource = resource_with_file(
        cast.clara, "Before", kind="report", authors=["Anna", "ANNA", " "], tags=["a", "b"]
    )
    assert _facets(resource) == {
        ("kind", "report"),
        ("author", "Anna"),
        ("tag", "a"),
        ("tag", "b"),
    }
    changed = actions.update_resource(
        cast.actors["enric"],
        resource,
        {
            "title": "  Després\tnow ",
            "kind": "law",
            "authors": ["Bel"],
            "tags": ["b"],
            "year": 2020,
        },
    )
    assert _facets(resource) == {("kind", "law"), ("author", "Bel"), ("tag", "b")}
    assert (changed.title, changed.sort_key) == ("Després now", "despres now")
    assert changed.search_text == "despres now bel b 2020"
    assert _last_audit() == "resource_changed"


def test_a_change_leaves_other_columns_alone(cast):
    resource = resource_with_file(cast.clara, "Kept", year=1999, body="Notes")
    changed = actions.update_resource(cast.actors["clara"], resource, {"tags": ["new"]})
    assert (changed.title, changed.year, changed.body) == ("Kept", 1999, "Notes")
    cleared = actions.update_resource(cast.actors["clara"], resource, {"year": None})
    assert (cleared.year, cleared.tags) == (None, ["new"])


def test_a_title_of_nothing_but_marks_is_refused(cast):
    resource = resource_with_file(cast.clara, "Kept")
    with pytest.raises(Invalid):
        actions.update_resource(cast.actors["clara"], resource, {"title": "\u202e \u200b"})


def test_two_people_who_change_different_columns_both_keep_their_change(cast):
    resource = resource_with_file(cast.clara, "Kept")
    seen_by_enric = Resource.objects.get(id=resource.id)
    actions.update_resource(cast.actors["clara"], resource, {"tags": ["clara"]})
    both = actions.update_resource(cast.actors["enric"], seen_by_enric, {"authors": ["Enric"]})
    assert (both.tags, both.authors) == (["clara"], ["Enric"])


def test_replacing_a_file_keeps_the_identity_of_the_attachment(cast):
    attachment = attach(cast.clara, resource_with_link(cast.clara), b"old", "old.txt")
    file = ContentFile(b"new", name="new.txt")
    actions.replace_attachment_file(cast.actors["enric"], attachment, file)
    now = Attachment.objects.get(id=attachment.id)
    assert (now.filename, now.stored_file.size) == ("new.txt", 3)
    assert now.stored_file != attachment.stored_file
    assert _last_audit() == "attachment_replaced"


def test_taking_the_last_thing_to_read_off_a_record_shows_in_lists(cast):
    clara = cast.actors["clara"]
    resource = resource_with_file(cast.clara)
    link = link_to(cast.clara, resource)
    actions.remove_attachment(clara, resource.attachments.get())
    assert Resource.objects.get().has_sources
    actions.remove_link(clara, link)
    assert not Resource.objects.get().has_sources
    assert resource.attachments.live().count() == resource.links.live().count() == 0


def test_removing_twice_is_written_in_the_log_once(cast):
    attachment = resource_with_file(cast.clara).attachments.get()
    for _ in range(2):
        actions.remove_attachment(cast.actors["clara"], attachment)
    assert AuditRecord.objects.filter(action="attachment_removed").count() == 1


def test_a_removed_record_cannot_be_changed_or_added_to(cast):
    clara, resource = cast.actors["clara"], resource_with_file(cast.clara)
    attachment = resource.attachments.get()
    actions.remove_resource(clara, resource)
    assert _facets(resource) == set()
    for late in (
        lambda: actions.update_resource(clara, resource, {"title": "Late"}),
        lambda: actions.remove_resource(clara, resource),
        lambda: attach(cast.clara, resource),
        lambda: link_to(cast.clara, resource),
        lambda: actions.replace_attachment_file(
            clara, attachment, ContentFile(b"late", name="late.txt")
        ),
    ):
        with pytest.raises(NotFound):
            late()


def test_the_log_of_a_vault_holds_no_content(cast):
    resource_with_file(cast.clara, "Canary title", b"canary words", "canary.txt", body="canary")
    for record in AuditRecord.objects.filter(vault=cast.vault):
        assert "canary" not in str((record.detail, record.object_id, record.action)).lower()
