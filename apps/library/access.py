"""Which records may an actor see, and may they do that with this one: the filter and the door."""

import uuid
from collections.abc import Collection

from django.db.models import QuerySet

from apps.common.errors import NotFound
from apps.library.models import Attachment, Facet, Link, Resource, ResourceQuerySet, Table
from apps.vaults.access import require
from apps.vaults.actor import Actor
from apps.vaults.roles import Capability


def tables_visible_to(actor: Actor) -> QuerySet[Table]:
    """The tables of the actor's workspace."""
    return Table.objects.filter(workspace_id=actor.workspace_id, workspace__vault_id=actor.vault_id)


def table_for(actor: Actor, table_id: uuid.UUID, capability: Capability) -> Table:
    """The table with this id; NotFound when invisible, Forbidden without the capability."""
    table = tables_visible_to(actor).filter(id=table_id).first()
    if table is None:
        raise NotFound
    require(actor, capability)
    return table


def references_table_for(actor: Actor, capability: Capability = Capability.LIBRARY_READ) -> Table:
    """The vault's References table; NotFound when it stands in another workspace."""
    table = tables_visible_to(actor).filter(references_of__vault_id=actor.vault_id).first()
    if table is None:
        raise NotFound
    require(actor, capability)
    return table


def resources_visible_to(actor: Actor) -> ResourceQuerySet:
    """The Resources of the actor's workspace: live records of the vault's References table."""
    # SECURITY: one `.filter()`, so that workspace and vault are asked of the same table row.
    return Resource.objects.live().filter(
        table__workspace_id=actor.workspace_id, table__references_of__vault_id=actor.vault_id
    )


def facets_visible_to(actor: Actor) -> QuerySet[Facet]:
    """The facet values of the Resources the actor sees; removed records and templates have none."""
    return Facet.objects.filter(
        table__workspace_id=actor.workspace_id, table__references_of__vault_id=actor.vault_id
    )


def resource_for(actor: Actor, resource_id: uuid.UUID, capability: Capability) -> Resource:
    """The Resource with this id; NotFound when invisible, Forbidden without the capability."""
    resource = resources_visible_to(actor).filter(id=resource_id).first()
    if resource is None:
        raise NotFound
    require(actor, capability)
    return resource


def resources_for(
    actor: Actor, resource_ids: Collection[uuid.UUID], capability: Capability
) -> list[Resource]:
    """All of these Resources, each once, or NotFound when any of them is invisible."""
    wanted = set(resource_ids)
    found = list(resources_visible_to(actor).filter(id__in=wanted))
    if len(found) != len(wanted):
        raise NotFound
    require(actor, capability)
    return found


def attachments_visible_to(actor: Actor) -> QuerySet[Attachment]:
    """The attachments of the Resources the actor sees."""
    return Attachment.objects.live().filter(resource__in=resources_visible_to(actor))


def attachment_for(actor: Actor, attachment_id: uuid.UUID, capability: Capability) -> Attachment:
    """The attachment with its record and file; NotFound when invisible, Forbidden without right."""
    attachment = (
        attachments_visible_to(actor)
        .select_related("resource", "stored_file")
        .filter(id=attachment_id)
        .first()
    )
    if attachment is None:
        raise NotFound
    require(actor, capability)
    return attachment


def links_visible_to(actor: Actor) -> QuerySet[Link]:
    """The links of the Resources the actor sees."""
    return Link.objects.live().filter(resource__in=resources_visible_to(actor))


def link_for(actor: Actor, link_id: uuid.UUID, capability: Capability) -> Link:
    """The link with its record; NotFound when invisible, Forbidden without the capability."""
    link = links_visible_to(actor).select_related("resource").filter(id=link_id).first()
    if link is None:
        raise NotFound
    require(actor, capability)
    return link
