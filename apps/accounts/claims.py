"""The one-time link of a fresh install: who holds its token may become the owner."""

import hashlib
import secrets
from enum import StrEnum

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import InstallClaim, User


class ClaimState(StrEnum):
    """What a token is worth now."""

    OPEN = "open"
    USED = "used"
    UNKNOWN = "unknown"


@transaction.atomic
def issue_claim() -> str | None:
    """A new token, which makes earlier unused ones worthless; nothing once there is a user."""
    InstallClaim.objects.filter(used_at=None).delete()
    if User.objects.exists():
        return None
    token = secrets.token_urlsafe(32)
    InstallClaim.objects.create(token_hash=_hash(token))
    return token


def claim_state(token: str) -> ClaimState:
    """Whether the token still opens the install, has opened it, or never did.

    A token that was not used is unknown as soon as there is a user.
    """
    claim = InstallClaim.objects.filter(token_hash=_hash(token)).first()
    if claim is None:
        return ClaimState.UNKNOWN
    if claim.used_at is not None:
        return ClaimState.USED
    return ClaimState.UNKNOWN if User.objects.exists() else ClaimState.OPEN


def use_up(token: str) -> bool:
    """Marks the token as used and says whether this call did it. Call inside a transaction.

    The conditional update decides between two claims at once: the second waits for the first
    and then finds nothing to change.
    """
    used = InstallClaim.objects.filter(token_hash=_hash(token), used_at=None).update(
        used_at=timezone.now()
    )
    return used == 1 and not User.objects.exists()


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
