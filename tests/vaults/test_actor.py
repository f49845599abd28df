"""Who somebody is in a request, and going from one workspace to another."""

import pytest
from django.test import RequestFactory

from apps.common.errors import Forbidden, NotFound
from apps.vaults.access import require, workspace_for, workspaces_visible_to
from apps.vaults.actions import create_workspace, join_workspace, leave_vault
from apps.vaults.actor import actor_for
from apps.vaults.middleware import SESSION_KEY, ActorMiddleware, resolve_actor
from apps.vaults.pages import frame_context
from apps.vaults.roles import Capability, VaultRole, WorkspaceRole
from tests.support.cast import Cast, client_of


def _request(user, workspace=None, session=None):
    headers = {"X-Workspace": str(workspace)} if workspace else {}
    request = RequestFactory().get("/", headers=headers)
    request.user, request.session = user, dict(session or {})
    return request


@pytest.fixture
def second(cast: Cast):
    """Another workspace of Clara's, where she only reads."""
    workspace = create_workspace(cast.vault, "Segona", by=cast.neus)
    join_workspace(workspace, cast.clara, VaultRole.MEMBER, WorkspaceRole.READER)
    return workspace


@pytest.mark.parametrize(
    "who, vault_role, workspace_role",
    [
        ("neus", "owner", "editor"),
        ("clara", "member", "editor"),
        ("lola", "member", "reader"),
        ("otto", "owner", "editor"),
    ],
)
def test_an_actor_has_the_roles_of_its_own_memberships(cast, who, vault_role, workspace_role):
    actor = cast.actors[who]
    assert (actor.vault_role, actor.workspace_role) == (vault_role, workspace_role)


def test_an_actor_is_resolved_in_one_query(cast, django_assert_num_queries):
    with django_assert_num_queries(1):
        actor_for(cast.clara)


def test_without_a_word_it_is_the_workspace_joined_first(cast, second):
    assert resolve_actor(_request(cast.clara)).workspace_id == cast.workspace.id


def test_the_session_remembers_another_workspace_with_its_own_role(cast, second):
    actor = resolve_actor(_request(cast.clara, session={SESSION_KEY: str(second.id)}))
    assert (actor.workspace_id, actor.workspace_role) == (second.id, WorkspaceRole.READER)


def test_the_header_wins_over_the_session(cast, second):
    session = {SESSION_KEY: str(second.id)}
    actor = resolve_actor(_request(cast.clara, cast.workspace.id, session))
    assert actor.workspace_id == cast.workspace.id


def test_a_workspace_in_the_header_that_is_not_theirs_is_absent(cast):
    for workspace in (cast.victors_workspace.id, cast.ottos_workspace.id, "nonsense"):
        with pytest.raises(NotFound):
            resolve_actor(_request(cast.clara, workspace))


def test_a_remembered_workspace_that_was_taken_away_is_forgotten(cast, second):
    request = _request(cast.clara, session={SESSION_KEY: str(second.id)})
    second.memberships.all().delete()
    assert resolve_actor(request).workspace_id == cast.workspace.id
    assert SESSION_KEY not in request.session


def test_leaving_the_vault_takes_every_right_at_once(cast, second):
    leave_vault(cast.vault, cast.clara)
    assert workspaces_visible_to(cast.clara) == []
    for workspace in (cast.workspace, second):
        with pytest.raises(NotFound):
            workspace_for(cast.clara, workspace.id)


def test_a_place_in_a_workspace_is_worth_nothing_without_the_vault(cast):
    cast.vault.memberships.filter(user=cast.clara).delete()
    with pytest.raises(NotFound):
        actor_for(cast.clara, cast.workspace.id)


def test_the_filter_of_workspaces_lists_exactly_what_the_door_opens(cast, second):
    every = [cast.workspace, cast.victors_workspace, cast.ottos_workspace, second]
    for name, user in cast.users.items():
        opened = []
        for workspace in every:
            try:
                opened.append(workspace_for(user, workspace.id))
            except NotFound:
                continue
        assert set(opened) == set(workspaces_visible_to(user)), name


def test_an_admin_of_the_vault_and_staff_sees_no_workspace_by_that_alone(cast):
    assert workspaces_visible_to(cast.ona) == []


@pytest.mark.parametrize(
    "capability", [Capability.LIBRARY_WRITE, Capability.NOTEBOOK_CREATE, Capability.NOTEBOOK_CHAT]
)
def test_a_reader_may_not_write(cast, capability):
    with pytest.raises(Forbidden):
        require(cast.actors["lola"], capability)


def test_choosing_a_workspace_is_remembered_and_only_for_ones_own(cast, second):
    clara = client_of(cast.clara)
    assert clara.post("/workspace", {"workspace": str(second.id)}).status_code == 302
    assert clara.session[SESSION_KEY] == str(second.id)
    for wrong in (cast.ottos_workspace.id, "nonsense", ""):
        response = clara.post(
            "/workspace", {"workspace": str(wrong)}, headers={"Accept": "application/json"}
        )
        assert response.status_code == 404
    assert clara.session[SESSION_KEY] == str(second.id)


def test_the_frame_of_a_page_knows_somebody_without_a_workspace(cast):
    context = frame_context(_with_actor(_request(cast.ona)))
    assert not context["actor"]
    assert context["workspaces"]() == []


def test_the_frame_asks_for_the_actor_once(cast, django_assert_num_queries):
    context = frame_context(_with_actor(_request(cast.clara)))
    with django_assert_num_queries(1):
        assert context["actor"].vault_name == "Arxiu"
        assert context["actor"].workspace_name == "Sala gran"


def _with_actor(request):
    ActorMiddleware(lambda _: None).process_request(request)
    return request
