"""What every page's frame needs to know, and going to another workspace."""

import uuid
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_POST

from apps.accounts.models import User
from apps.common.errors import NotFound
from apps.vaults.access import workspace_for, workspaces_visible_to
from apps.vaults.actor import Actor
from apps.vaults.middleware import SESSION_KEY, actor_of


def frame_context(request: HttpRequest) -> dict[str, Any]:
    """The actor and the workspaces to choose from, for the running head; lazily, for a template."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {}
    return {
        "actor": SimpleLazyObject(lambda: _actor_or_none(request)),
        "workspaces": lambda: workspaces_visible_to(user),
    }


def _actor_or_none(request: HttpRequest) -> Actor | None:
    """Nobody for a person without a workspace: the frame of an error page is theirs too."""
    actor = actor_of(request)
    try:
        _ = actor.user_id  # it is lazy: reading a fact of it is what resolves it
    except NotFound:
        return None
    return actor


@login_required
@require_POST
def choose_workspace(request: HttpRequest) -> HttpResponseRedirect:
    """Goes on at home in another workspace of the person; NotFound for one that is not theirs."""
    if not isinstance(request.user, User):
        raise NotFound
    workspace = workspace_for(request.user, _uuid(request.POST.get("workspace", "")))
    request.session[SESSION_KEY] = str(workspace.id)
    return HttpResponseRedirect(reverse("home"))


def _uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound from None
