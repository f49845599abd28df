"""What every page's frame needs to know."""

from typing import Any

from django.http import HttpRequest

from apps.accounts.models import User
from apps.vaults.access import workspaces_visible_to


def frame_context(request: HttpRequest) -> dict[str, Any]:
    """The actor and the workspaces to choose from, for the running head; lazily, for a template."""
    if not isinstance(getattr(request, "user", None), User):
        return {}
    return {
        "actor": getattr(request, "actor", None),
        "workspaces": lambda: workspaces_visible_to(request.user),
    }
