"""Changing the library. Actor and objects come through the doors; here only state is checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, TypedDict
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.common.errors import Invalid, NotFound
from apps.common.text import clean_filename, fold, one_line
from apps.library.access import references_table_for
from apps.library.addresses import Refusal, refusal_of
from apps.library.facets import sync_facets
from apps.library.models import (
    Attachment,
    Field,
    Link,
    ReferencesTable,
    Resource,
    StoredFile,
    Table,
)
from apps.library.storage import store_file
from apps.library.tables import ATTACHMENTS, LINKS, evidence_field, reference_fields
from apps.vaults import audit
from apps.vaults.actor import Actor
from apps.vaults.models import Workspace
from apps.vaults.roles import Capability

MAX_URLS = 200
_REFUSALS: dict[Refusal, Promise] = {
    Refusal.TOO_LONG: gettext_lazy("The address is longer than 2,000 characters."),
    Refusal.NOT_AN_ADDRESS: gettext_lazy("This is not a web address."),
    Refusal.NOT_WEB: gettext_lazy(
        "Only addresses that begin with http:// or https:// can be read."
    ),
    Refusal.CREDENTIALS: gettext_lazy("Take the name and password out of the address."),
    Refusal.NOT_PUBLIC: gettext_lazy("Only public addresses can be read, not this local one."),
}


class ResourceChanges(TypedDict, total=False):
    """The columns of a record to set; those left out stay as they are."""

    title: str
    kind: str
    authors: Sequence[str]
    tags: Sequence[str]
    year: int | None
    body: str


@dataclass(frozen=True, slots=True)
class RefusedUrl:
    """An address that became no record, and the sentence that says why."""

    url: str
    detail: str


@dataclass(frozen=True, slots=True)
class AddedUrls:
    """What came of a list of addresses, in their order."""

    created: tuple[Resource, ...]
    refused: tuple[RefusedUrl, ...]


@transaction.atomic
def create_references_table(workspace: Workspace) -> Table:
    """The table in `workspace` whose records are the vault's Resources, with its eight fields.

    A vault has one; a second is refused by the database (`IntegrityError`).
    """
    table = Table.objects.create(workspace=workspace, name=_("References"))
    ReferencesTable.objects.create(vault_id=workspace.vault_id, table=table)
    Field.objects.bulk_create(reference_fields(table))
    audit.record(
        "references_table_created",
        vault_id=workspace.vault_id,
        actor_id=None,
        object_kind="table",
        object_id=table.id,
    )
    return table


def add_resource_from_upload(
    actor: Actor, file: "File[bytes]", resource: Resource | None = None
) -> Attachment:
    """The attachment that holds the file: of `resource`, or of a new record titled after the file.

    Raises Invalid for an empty file, TooLarge, StorageFull, NotFound when the record is gone.
    """
    table = references_table_for(actor, Capability.LIBRARY_WRITE)
    filename = clean_filename(file.name or "")
    stored = _store(actor, file, filename)
    with transaction.atomic():
        if resource is None:
            resource = _new_resource(actor, table, _title_of(filename), Resource.Kind.DOCUMENT)
        else:
            resource = _locked(resource)
        attachment = Attachment.objects.create(
            resource=resource,
            field=evidence_field(table, ATTACHMENTS),
            filename=filename,
            stored_file=stored,
        )
        _save_with_lookup(resource)
        _record(actor, "attachment_added", resource, attachment=str(attachment.id))
    return attachment


def _store(actor: Actor, file: "File[bytes]", filename: str) -> StoredFile:
    """Keeps the bytes before any transaction: hashing a large file must not hold a lock."""
    if not file.size:
        raise Invalid(
            _("The file is empty."), code="empty_file", fields={"file": [_("The file is empty.")]}
        )
    return store_file(actor.vault_id, file.chunks(), filename)


def add_resources_from_urls(actor: Actor, urls: Sequence[str]) -> AddedUrls:
    """One record per usable address; the others come back with a sentence each.

    Raises Invalid above 200 addresses.
    """
    table = references_table_for(actor, Capability.LIBRARY_WRITE)
    if len(urls) > MAX_URLS:
        raise Invalid(_("At most 200 addresses at a time."), fields={"urls": [_("Too many.")]})
    usable, refused = _sort_out([url.strip() for url in urls])
    with transaction.atomic():
        field = evidence_field(table, LINKS)
        created = tuple(_resource_of_url(actor, table, field, url) for url in usable)
    return AddedUrls(created, tuple(refused))


def _sort_out(urls: Iterable[str]) -> tuple[list[str], list[RefusedUrl]]:
    usable: list[str] = []
    refused: list[RefusedUrl] = []
    for url in urls:
        if url in usable:
            refused.append(RefusedUrl(url, _("This address is in the list twice.")))
        elif refusal := refusal_of(url, settings.FETCH_ALLOWED_HOSTS):
            refused.append(RefusedUrl(url, str(_REFUSALS[refusal])))
        else:
            usable.append(url)
    return usable, refused


def _resource_of_url(actor: Actor, table: Table, field: Field, url: str) -> Resource:
    parts = urlsplit(url)
    title = unquote(f"{parts.netloc}{parts.path.rstrip('/')}", errors="replace")
    resource = _new_resource(actor, table, title, Resource.Kind.WEB_PAGE)
    link = Link.objects.create(resource=resource, field=field, url=url)
    _save_with_lookup(resource)
    _record(actor, "link_added", resource, link=str(link.id))
    return resource


def add_link(actor: Actor, resource: Resource, url: str) -> Link:
    """One more address for a record; Invalid with a sentence when its spelling is refused."""
    if refusal := refusal_of(url.strip(), settings.FETCH_ALLOWED_HOSTS):
        sentence = str(_REFUSALS[refusal])
        raise Invalid(sentence, code="url_refused", fields={"url": [sentence]})
    with transaction.atomic():
        resource = _locked(resource)
        field = evidence_field(resource.table, LINKS)
        link = Link.objects.create(resource=resource, field=field, url=url.strip())
        _save_with_lookup(resource)
        _record(actor, "link_added", resource, link=str(link.id))
    return link


@transaction.atomic
def update_resource(actor: Actor, resource: Resource, changes: ResourceChanges) -> Resource:
    """The record with these columns changed; evidence is not touched by any of them.

    Raises Invalid for an empty title and NotFound when the record is gone.
    """
    resource = _locked(resource)
    for name, value in _cleaned(changes).items():
        setattr(resource, name, value)
    _save_with_lookup(resource)
    _record(actor, "resource_changed", resource, columns=sorted(changes))
    return resource


def _cleaned(changes: ResourceChanges) -> dict[str, Any]:
    clean: dict[str, Any] = dict(changes)
    if "title" in changes:
        clean["title"] = one_line(changes["title"], 300)
        if not clean["title"]:
            raise Invalid(_("A title is needed."), fields={"title": [_("A title is needed.")]})
    if "authors" in changes:
        clean["authors"] = _distinct(changes["authors"])
    if "tags" in changes:
        clean["tags"] = _distinct(changes["tags"])
    return clean


def _distinct(values: Iterable[str]) -> list[str]:
    """The values on one line each, the first spelling of each kept."""
    kept: dict[str, str] = {}
    for value in values:
        line = one_line(value, 200)
        if line:
            kept.setdefault(fold(line), line)
    return list(kept.values())


def replace_attachment_file(
    actor: Actor, attachment: Attachment, file: "File[bytes]"
) -> Attachment:
    """The same attachment with another file behind it: notebooks see a changed source.

    Raises as `add_resource_from_upload` does.
    """
    filename = clean_filename(file.name or "")
    stored = _store(actor, file, filename)
    with transaction.atomic():
        resource = _locked(attachment.resource)
        kept = Attachment.objects.live().filter(id=attachment.id).first()
        if kept is None:
            raise NotFound
        kept.filename, kept.stored_file = filename, stored
        kept.save(update_fields=["filename", "stored_file", "updated_at"])
        _record(actor, "attachment_replaced", resource, attachment=str(kept.id))
    return kept


@transaction.atomic
def remove_attachment(actor: Actor, attachment: Attachment) -> None:
    """Takes the file off its record. Its bytes stay for citations made before."""
    resource = _locked(attachment.resource)
    if Attachment.objects.live().filter(id=attachment.id).update(deleted_at=timezone.now()):
        _save_with_lookup(resource)
        _record(actor, "attachment_removed", resource, attachment=str(attachment.id))


@transaction.atomic
def remove_link(actor: Actor, link: Link) -> None:
    """Takes the address off its record."""
    resource = _locked(link.resource)
    if Link.objects.live().filter(id=link.id).update(deleted_at=timezone.now()):
        _save_with_lookup(resource)
        _record(actor, "link_removed", resource, link=str(link.id))


@transaction.atomic
def remove_resource(actor: Actor, resource: Resource) -> None:
    """Takes the record out of the library; its files stay for citations made before."""
    resource = _locked(resource)
    resource.deleted_at = timezone.now()
    resource.save(update_fields=["deleted_at", "updated_at"])
    resource.facets.all().delete()
    _record(actor, "resource_removed", resource)


def _new_resource(actor: Actor, table: Table, title: str, kind: Resource.Kind) -> Resource:
    resource = Resource(
        table=table,
        title=one_line(title, 300) or _("Untitled"),
        kind=kind,
        created_by_id=actor.user_id,
    )
    resource.prepare_lookup()
    resource.save()
    return resource


def _locked(resource: Resource) -> Resource:
    """The record as it is now, locked; call inside a transaction. NotFound when it is gone."""
    now = Resource.objects.live().select_for_update().filter(id=resource.id).first()
    if now is None:
        raise NotFound
    return now


def _save_with_lookup(resource: Resource) -> None:
    """Saves the record with everything lists find it by. Call with the row locked."""
    resource.has_sources = resource.attachments.live().exists() or resource.links.live().exists()
    resource.prepare_lookup()
    resource.save()
    sync_facets(resource)


def _title_of(filename: str) -> str:
    """A title out of a file name: without its ending, underscores as spaces."""
    return PurePath(filename).stem.replace("_", " ")


def _record(actor: Actor, action: str, resource: Resource, **detail: object) -> None:
    audit.record(
        action,
        vault_id=actor.vault_id,
        actor_id=actor.user_id,
        object_kind="resource",
        object_id=resource.id,
        **detail,
    )
