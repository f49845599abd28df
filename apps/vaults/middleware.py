"""Gives each request its actor."""

import uuid

from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject
from rest_framework.request import Request

from apps.common.errors import NotFound
from apps.vaults.actor import Actor, actor_for

SESSION_KEY = "workspace_id"


class ActorMiddleware(MiddlewareMixin):
    """Sets `request.actor`, resolved when first used; reading it raises NotFound for strangers."""

    def process_request(self, request: HttpRequest) -> None:
        """Promises the actor; no query yet."""
        request.actor = SimpleLazyObject(lambda: resolve_actor(request))  # type: ignore[attr-defined]


def resolve_actor(request: HttpRequest) -> Actor:
    """The actor in the workspace that the header, or else the session, names.

    A workspace in the header that the person does not belong to is NotFound; one in the
    session falls back to the workspace they joined first.
    """
    if not request.user.is_authenticated:
        raise NotFound
    named = request.headers.get("X-Workspace")
    if named is not None:
        return actor_for(request.user, _uuid_or_not_found(named))
    kept = request.session.get(SESSION_KEY)
    if kept is not None:
        try:
            return actor_for(request.user, uuid.UUID(kept))
        except NotFound:
            del request.session[SESSION_KEY]
    return actor_for(request.user)


def _uuid_or_not_found(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound from None


def actor_of(request: HttpRequest | Request) -> Actor:
    """The actor of a request with its type; NotFound for somebody who acts nowhere."""
    actor: Actor = request.actor  # type: ignore[union-attr]
    return actor
