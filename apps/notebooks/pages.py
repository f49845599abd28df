"""The pages of notebooks, of the evidence behind answers, and of a fresh install."""

import json
import uuid
from typing import Any

from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.actions import AccountDraft, ClaimUsed
from apps.accounts.claims import ClaimState, claim_state
from apps.accounts.forms import FounderForm
from apps.accounts.models import User
from apps.accounts.pages import speaks_many_languages
from apps.accounts.queries import is_claimed
from apps.common.errors import Invalid, QuadernError
from apps.common.http import page_number
from apps.library.downloads import file_response
from apps.library.founding import found_install
from apps.notebooks import evidence as citations
from apps.notebooks import queries
from apps.notebooks.demo import load_demo
from apps.vaults.middleware import actor_of
from apps.vaults.roles import Capability


def running_context(request: HttpRequest) -> dict[str, Any]:
    """How many notebooks are being read now, for the running head; counted when it is drawn."""
    if not isinstance(getattr(request, "user", None), User):
        return {}
    return {"running_count": lambda: _running_count(request)}


def _running_count(request: HttpRequest) -> int:
    try:
        return len(queries.running_notebooks(actor_of(request)))
    except QuadernError:
        # Somebody without a workspace still gets their error page.
        return 0


@require_http_methods(["GET", "POST"])
@sensitive_post_parameters("password", "token")
@speaks_many_languages
def welcome(request: HttpRequest) -> HttpResponse:
    """Makes the owner of a fresh install, with an empty vault or with the demo's."""
    token = request.POST.get("token") or request.GET.get("token", "")
    state = claim_state(token)
    if state is not ClaimState.OPEN:
        return _closed(request, state)
    form = FounderForm(request.POST or None)
    status = 200
    if form.is_valid():
        try:
            return _found(request, token, form.cleaned_data)
        except ClaimUsed:
            return _closed(request, ClaimState.USED)
        except Invalid as error:
            form.add_refusal(error)
            status = 400
    return render(request, "accounts/welcome.html", {"form": form, "token": token}, status=status)


def _found(request: HttpRequest, token: str, facts: dict[str, str]) -> HttpResponse:
    draft = AccountDraft(facts["name"], facts["email"], facts["password"], get_language() or "en")
    founded = found_install(token, draft, facts["vault_name"])
    if request.POST.get("start") == "demo":
        load_demo(founded.actor)
    login(request, founded.owner)
    return HttpResponseRedirect(reverse("home"))


def _closed(request: HttpRequest, state: ClaimState) -> HttpResponse:
    if request.user.is_authenticated:
        return HttpResponseRedirect(reverse("home"))
    context = {"taken": state is ClaimState.USED or is_claimed()}
    return render(request, "accounts/welcome_closed.html", context, status=410)


@require_safe
@login_required
def notebooks(request: HttpRequest) -> HttpResponse:
    """The notebooks the actor may find, searchable, and the dialog that makes one."""
    q = request.GET.get("q", "")
    page = queries.notebook_cards(actor_of(request), q, page_number(request.GET.get("page")))
    context = {
        "section": "notebooks",
        "page": page,
        "q": q,
        "query": f"{urlencode({'q': q})}&" if q else "",
        "can_create": actor_of(request).may(Capability.NOTEBOOK_CREATE),
    }
    return render(request, "notebooks/notebooks.html", context)


@require_safe
@login_required
def evidence(request: HttpRequest, notebook_id: uuid.UUID, chunk_id: int) -> HttpResponse:
    """The passage behind a citation, in the version the answer was written from."""
    raw = request.GET.get("revision")
    opened = citations.open_citation(
        actor_of(request), notebook_id, chunk_id, page_number(raw) if raw else None
    )
    context = {
        "section": "notebooks",
        "passage": opened,
        "is_pdf": opened.media_type == "application/pdf",
        "lines": json.dumps(opened.lines),
        "page_number": opened.locator.get("page") or 1,
        "turn_id": request.GET.get("turn", ""),
        "n": request.GET.get("n", ""),
    }
    return render(request, "notebooks/evidence.html", context)


@require_safe
@login_required
def source_file(request: HttpRequest, notebook_id: uuid.UUID, version_id: int) -> HttpResponseBase:
    """The bytes of a source version, ranged; shown in place only when the viewer asks."""
    entry = citations.version_for(actor_of(request), notebook_id, version_id)
    return file_response(
        request,
        entry.version.stored_file,
        entry.source.label,
        inline=request.GET.get("inline") == "1",
    )
