"""Who sees which notebook, and may do what with it: the filter and the door agree."""

import pytest

from apps.common.errors import Forbidden, NotFound
from apps.notebooks.access import notebook_for, notebooks_visible_to
from apps.notebooks.models import Notebook
from apps.notebooks.values import Visibility
from apps.vaults.roles import Capability
from tests.support.cast import Cast
from tests.support.factories import resource_with_file
from tests.support.notebooks import notebook_of

READ, CHAT, MANAGE = (
    Capability.NOTEBOOK_READ,
    Capability.NOTEBOOK_CHAT,
    Capability.NOTEBOOK_MANAGE,
)
SHARED = {
    "neus": {READ, CHAT},
    "clara": {READ, CHAT, MANAGE},
    "enric": {READ, CHAT},
    "lola": {READ},
    "victor": set(),
    "otto": set(),
}
PRIVATE = {**{name: set() for name in SHARED}, "clara": {READ, CHAT, MANAGE}}


def _outcome(cast: Cast, name: str, notebook: Notebook, capability: Capability) -> str:
    try:
        notebook_for(cast.actors[name], notebook.id, capability)
    except NotFound:
        return "absent"
    except Forbidden:
        return "forbidden"
    return "open"


@pytest.mark.parametrize("visibility", list(Visibility))
def test_the_door_opens_for_exactly_those_of_the_table(cast: Cast, visibility: Visibility) -> None:
    notebook = notebook_of(cast.clara, resource_with_file(cast.clara), visibility=visibility)
    table = SHARED if visibility is Visibility.WORKSPACE else PRIVATE
    for name, capabilities in table.items():
        for capability in (READ, CHAT, MANAGE):
            expected = "open" if capability in capabilities else "forbidden"
            expected = expected if capabilities else "absent"
            assert _outcome(cast, name, notebook, capability) == expected, (name, capability)


@pytest.mark.parametrize("visibility", list(Visibility))
def test_the_filter_shows_exactly_what_the_door_lets_read(
    cast: Cast, visibility: Visibility
) -> None:
    notebook = notebook_of(cast.clara, resource_with_file(cast.clara), visibility=visibility)
    for name, actor in cast.actors.items():
        is_listed = notebooks_visible_to(actor).filter(id=notebook.id).exists()
        assert is_listed == (_outcome(cast, name, notebook, READ) == "open"), name
