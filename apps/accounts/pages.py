"""The pages of signing in and of the profile."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.accounts.actions import change_preferences
from apps.accounts.forms import ProfileForm, SignInForm
from apps.accounts.models import User
from apps.accounts.sessions import remember_device, sign_in
from apps.common.errors import Invalid, Throttled

Page = Callable[[HttpRequest], HttpResponse]
_YEAR = 365 * 24 * 3600


def speaks_many_languages(page: Page) -> Page:
    """Lets strangers choose the language of a page by `?language=`; kept in a cookie."""

    @wraps(page)
    def view(request: HttpRequest) -> HttpResponse:
        wished = request.GET.get("language", "")
        if request.method != "GET" or wished not in dict(settings.LANGUAGES):
            return page(request)
        others = request.GET.copy()
        others.pop("language")
        response = HttpResponseRedirect(f"{request.path}?{others.urlencode()}".removesuffix("?"))
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME, wished, max_age=_YEAR, samesite="Lax", httponly=True
        )
        return response

    return view


@require_http_methods(["GET", "POST"])
@speaks_many_languages
def sign_in_page(request: HttpRequest) -> HttpResponse:
    """Signs a person in and sends them to where they were going."""
    target = _safe_target(request)
    if request.user.is_authenticated:
        return HttpResponseRedirect(target)
    form = SignInForm(request.POST or None)
    status = 200
    if form.is_valid():
        try:
            user = sign_in(request, form.cleaned_data["username"], form.cleaned_data["password"])
        except (Invalid, Throttled) as error:
            form.add_refusal(error)
            status = error.status
        else:
            response = HttpResponseRedirect(target)
            remember_device(response, user)
            return response
    context = {"form": form, "next": request.GET.get("next") or request.POST.get("next", "")}
    return render(request, "accounts/sign_in.html", context, status=status)


def _safe_target(request: HttpRequest) -> str:
    """The page of this site that `next` names, else home."""
    wished = request.POST.get("next") or request.GET.get("next", "")
    allowed = url_has_allowed_host_and_scheme(
        wished, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wished if allowed else reverse("home")


@require_http_methods(["GET", "POST"])
@login_required
def profile(request: HttpRequest) -> HttpResponse:
    """Name, language and theme of the person."""
    user = cast(User, request.user)
    before = {"name": user.name, "language": user.language, "theme": user.theme}
    form = ProfileForm(request.POST or None, initial=before)
    if form.is_valid():
        try:
            change_preferences(user, **form.cleaned_data)
        except Invalid as error:
            form.add_refusal(error)
        else:
            with translation.override(user.language):
                messages.success(request, _("Saved."))
            return redirect("profile")
    return render(request, "accounts/profile.html", {"form": form, "section": "profile"})
