"""Who finds which record: the filter and the door agree over the whole cast."""

import uuid

import pytest

from apps.common.errors import Forbidden, NotFound
from apps.library import access
from apps.vaults.actor import actor_for
from apps.vaults.roles import Capability
from tests.support.cast import Cast
from tests.support.factories import (
    attach,
    link_to,
    resource_with_file,
    resource_with_link,
    template_record,
)

IN_THE_WORKSPACE = ("neus", "clara", "enric", "lola")


def _opens(door, actor, object_id) -> bool:
    try:
        door(actor, object_id, Capability.LIBRARY_READ)
    except NotFound:
        return False
    return True


@pytest.fixture
def records(cast: Cast):
    ours = resource_with_file(cast.clara, "Ours")
    attach(cast.enric, ours)
    link_to(cast.enric, ours)
    theirs = resource_with_link(cast.otto, "Theirs")
    attach(cast.otto, theirs)
    gone = resource_with_file(cast.clara, "Gone")
    gone.deleted_at = gone.created_at
    gone.save()
    return {"ours": ours, "theirs": theirs, "gone": gone, "template": template_record(cast.clara)}


@pytest.mark.parametrize(
    "visible, door",
    [
        (access.resources_visible_to, access.resource_for),
        (access.attachments_visible_to, access.attachment_for),
        (access.links_visible_to, access.link_for),
        (access.tables_visible_to, access.table_for),
    ],
)
def test_the_filter_lists_exactly_what_the_door_opens(cast, records, visible, door):
    every = visible(cast.actors["neus"]).model.objects.all()
    for name, actor in cast.actors.items():
        listed = {row.id for row in visible(actor)}
        opened = {row.id for row in every if _opens(door, actor, row.id)}
        assert listed == opened, name


def test_people_of_the_workspace_see_its_live_records_and_nobody_else_does(cast, records):
    seen = {
        name: {resource.title for resource in access.resources_visible_to(actor)}
        for name, actor in cast.actors.items()
    }
    assert seen == {
        **{key: {"Ours"} for key in IN_THE_WORKSPACE},
        "victor": set(),
        "otto": {"Theirs"},
    }


def test_a_reader_sees_a_record_but_may_not_write_it(cast, records):
    lola = cast.actors["lola"]
    access.resource_for(lola, records["ours"].id, Capability.LIBRARY_READ)
    with pytest.raises(Forbidden):
        access.resource_for(lola, records["ours"].id, Capability.LIBRARY_WRITE)


def test_an_invisible_record_is_absent_even_for_writing(cast, records):
    with pytest.raises(NotFound):
        access.resource_for(cast.actors["lola"], records["theirs"].id, Capability.LIBRARY_WRITE)


def test_one_foreign_id_refuses_the_whole_list(cast, records):
    clara = cast.actors["clara"]
    ids = [records["ours"].id, records["theirs"].id]
    with pytest.raises(NotFound):
        access.resources_for(clara, ids, Capability.LIBRARY_READ)
    assert access.resources_for(clara, ids[:1] * 2, Capability.LIBRARY_READ) == [records["ours"]]


def test_the_references_table_is_found_only_in_its_own_workspace(cast):
    found = access.references_table_for(cast.actors["lola"], Capability.LIBRARY_READ)
    assert found == cast.references
    with pytest.raises(NotFound):
        access.references_table_for(cast.actors["victor"], Capability.LIBRARY_READ)


def test_an_admin_without_a_workspace_acts_nowhere(cast):
    with pytest.raises(NotFound):
        actor_for(cast.ona)
    with pytest.raises(NotFound):
        actor_for(cast.ona, cast.workspace.id)


def test_who_leaves_the_vault_is_a_stranger_at_once(cast):
    from_before = cast.actors["enric"]
    assert access.resources_visible_to(from_before) is not None
    cast.workspace.vault.memberships.filter(user=cast.enric).delete()
    with pytest.raises(NotFound):
        actor_for(cast.enric, cast.workspace.id)


def test_an_absent_table_is_not_found(cast):
    with pytest.raises(NotFound):
        access.table_for(cast.actors["clara"], uuid.uuid4(), Capability.LIBRARY_READ)
