"""Changing accounts."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.claims import use_up
from apps.accounts.models import User
from apps.common.errors import Conflict, Invalid
from apps.common.http import is_storable
from apps.common.text import one_line

MAX_PASSWORD = 1000


class ClaimUsed(Conflict):
    """The link does not open the install (any more)."""

    code = "claim_used"
    title = gettext_lazy("This link does not open anything")


@dataclass(frozen=True, slots=True)
class AccountDraft:
    """What somebody says about themselves when they make an account."""

    name: str
    email: str
    password: str
    language: str = "en"


@transaction.atomic
def claim_install(token: str, draft: AccountDraft) -> User:
    """The first account of a fresh install; the token works once.

    Raises Invalid with the wrong fields, and ClaimUsed for a token that is used, replaced or
    made up. Of two claims at the same time one wins.
    """
    _refuse_unusable(draft)
    if not use_up(token):
        raise ClaimUsed(_("This link has been used, or a newer one has replaced it."))
    return User.objects.create_user(
        draft.email.strip(),
        draft.password,
        name=one_line(draft.name, 120),
        language=draft.language,
        is_staff=True,
    )


def create_account(
    email: str, password: str | None = None, *, name: str, is_staff: bool = False
) -> User:
    """An account made by the machine itself; without a password nobody can sign in to it."""
    return User.objects.create_user(email, password, name=name, is_staff=is_staff)


def _refuse_unusable(draft: AccountDraft) -> None:
    fields = {
        "name": [] if one_line(draft.name, 120) else [_("Say how to call you.")],
        "email": _faults_of_email(draft.email.strip()),
        "password": _faults_of_password(draft),
        "language": [] if draft.language in dict(settings.LANGUAGES) else [_("Choose one.")],
    }
    wrong = {name: faults for name, faults in fields.items() if faults}
    if wrong:
        raise Invalid(_("Look at the marked fields."), fields=wrong)


def _faults_of_email(email: str) -> list[str]:
    try:
        validate_email(email)
    except ValidationError as error:
        return list(error.messages)
    return []


def _faults_of_password(draft: AccountDraft) -> list[str]:
    if len(draft.password) > MAX_PASSWORD or not is_storable(draft.password):
        return [_("This password cannot be used.")]
    try:
        validate_password(draft.password, User(email=draft.email, name=draft.name))
    except ValidationError as error:
        return list(error.messages)
    return []


def change_preferences(user: User, *, name: str, language: str, theme: str) -> User:
    """The person with another name, language or theme; Invalid names what cannot be."""
    fields = {
        "name": [] if one_line(name, 120) else [_("Say how to call you.")],
        "language": [] if language in dict(settings.LANGUAGES) else [_("Choose one.")],
        "theme": [] if theme in User.Theme.values else [_("Choose one.")],
    }
    wrong = {field: faults for field, faults in fields.items() if faults}
    if wrong:
        raise Invalid(_("Look at the marked fields."), fields=wrong)
    user.name, user.language, user.theme = one_line(name, 120), language, theme
    user.save(update_fields=["name", "language", "theme"])
    return user
