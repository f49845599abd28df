"""Signing in and out with the browser's session."""

from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.core import signing
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from apps.accounts.actions import MAX_PASSWORD
from apps.accounts.client_address import client_address
from apps.accounts.models import User
from apps.accounts.throttle import Attempt, buckets_of
from apps.common.errors import Invalid
from apps.common.http import is_storable

DEVICE_COOKIE = "known_device"
DEVICE_SECONDS = 180 * 24 * 3600


class WrongPair(Invalid):
    """Address and password do not belong together; which of them is wrong is not told."""

    code = "wrong_pair"
    title = gettext_lazy("Not signed in")


def sign_in(request: HttpRequest, email: str, password: str) -> User:
    """The person, now signed in with a fresh session.

    Raises WrongPair, or Throttled after too many wrong tries (RFC 6585: 429).
    Call `remember_device` on the answer.
    """
    account = email.strip().lower()
    attempt = Attempt(buckets_of(account, _address_of(request), _device_of(request, account)))
    attempt.begin()
    user = _person(request, account, password)
    if user is None:
        raise WrongPair(_("This address and password do not belong together."))
    attempt.forgive()
    login(request, user)
    return user


def _person(request: HttpRequest, account: str, password: str) -> User | None:
    if not is_storable(account) or len(account) > 254 or len(password) > MAX_PASSWORD:
        return None
    user = authenticate(request, username=account, password=password)
    return user if isinstance(user, User) else None


def _address_of(request: HttpRequest) -> str:
    return client_address(
        request.META.get("REMOTE_ADDR", ""),
        request.headers.get("X-Forwarded-For", ""),
        settings.TRUSTED_PROXIES,
    )


def _device_of(request: HttpRequest, account: str) -> str | None:
    """The mark of a browser that has signed in to this account before, if it is genuine."""
    mark = request.COOKIES.get(DEVICE_COOKIE, "")
    try:
        known = signing.loads(mark, salt=DEVICE_COOKIE, max_age=DEVICE_SECONDS)
    except signing.BadSignature:
        return None
    return mark if known == account else None


def remember_device(response: HttpResponseBase, user: User) -> None:
    """Leaves the mark of a known browser, so that guesses from elsewhere do not lock it out."""
    response.set_cookie(
        DEVICE_COOKIE,
        signing.dumps(user.email.lower(), salt=DEVICE_COOKIE),
        max_age=DEVICE_SECONDS,
        path=reverse("sign_in"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


@require_POST
def sign_out(request: HttpRequest) -> HttpResponseRedirect:
    """Ends the session and asks the browser to forget what it kept of this site."""
    logout(request)
    response = HttpResponseRedirect(reverse("sign_in"))
    # Not "cookies": the mark of a known browser is meant to outlive the session.
    response["Clear-Site-Data"] = '"cache", "storage"'
    response["Cache-Control"] = "no-store"
    return response
