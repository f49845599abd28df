"""Records to test with, made by the library's own actions, their files really stored."""

from collections.abc import Sequence

from django.core.files.base import ContentFile

from apps.accounts.models import User
from apps.library.actions import (
    add_link,
    add_resource_from_upload,
    add_resources_from_urls,
    update_resource,
)
from apps.library.models import Attachment, Link, Resource, StoredFile
from apps.library.storage import store_file
from apps.vaults.actor import Actor, actor_for
from apps.vaults.models import Vault, Workspace


def actor_of(user: User, workspace: Workspace | None = None) -> Actor:
    """The actor that the person is in the workspace, or in the first they joined."""
    return actor_for(user, workspace.id if workspace else None)


def resource_with_file(
    by: User,
    title: str = "A record",
    content: bytes = b"One sentence of evidence.\n",
    filename: str = "note.txt",
    **columns: object,
) -> Resource:
    """A record with one attachment; `columns` are kind, authors, tags, year, body."""
    actor = actor_for(by)
    attachment = add_resource_from_upload(actor, ContentFile(content, name=filename))
    return update_resource(actor, attachment.resource, {"title": title, **columns})


def resource_with_link(
    by: User, title: str = "A page", url: str = "https://example.org/page", **columns: object
) -> Resource:
    """A record with one link."""
    actor = actor_for(by)
    (resource,) = add_resources_from_urls(actor, [url]).created
    return update_resource(actor, resource, {"title": title, **columns})


def resource_without_sources(by: User, title: str = "Nothing to read") -> Resource:
    """A record that has lost its only attachment."""
    resource = resource_with_file(by, title)
    resource.attachments.all().delete()
    resource.has_sources = False
    resource.save()
    return resource


def template_record(by: User, title: str = "A template") -> Resource:
    """A record with a file, marked as a template."""
    resource = resource_with_file(by, title)
    resource.is_template = True
    resource.save()
    return resource


def attach(
    by: User, resource: Resource, content: bytes = b"More evidence.\n", filename: str = "more.txt"
) -> Attachment:
    """One more file on a record."""
    return add_resource_from_upload(actor_for(by), ContentFile(content, name=filename), resource)


def link_to(by: User, resource: Resource, url: str = "https://example.org/more") -> Link:
    """One more address on a record."""
    return add_link(actor_for(by), resource, url)


def stored(vault: Vault, content: bytes, filename: str = "file.bin") -> StoredFile:
    """Bytes kept in a vault's storage without any record."""
    return store_file(vault.id, _blocks(content), filename)


def _blocks(content: bytes) -> Sequence[bytes]:
    return [content[start : start + 65536] for start in range(0, len(content), 65536)]
