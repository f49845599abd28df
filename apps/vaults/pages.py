"""What every page's frame needs to know."""

from typing import Any

from django.http import HttpRequest

from apps.accounts.models import User
from apps.common.errors import NotFound
from apps.vaults.access import workspaces_visible_to
from apps.vaults.actor import Actor
from apps.vaults.middleware import actor_of


def frame_context(request: HttpRequest) -> dict[str, Any]:
    """The actor and the workspaces to choose from, for the running head; lazily, for a template."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {}
    return {
        "actor": lambda: _actor_or_none(request),
        "workspaces": lambda: workspaces_visible_to(user),
    }


def _actor_or_none(request: HttpRequest) -> Actor | None:
    """Nobody for a person without a workspace: the frame of an error page is theirs too."""
    try:
        actor = actor_of(request)
        return actor if actor.user_id else None
    except NotFound:
        return None
