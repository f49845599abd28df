"""The pages of the library."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.common.display import megabytes
from apps.common.http import page_number
from apps.library import queries
from apps.library.values import CataloguePage
from apps.vaults.middleware import actor_of
from apps.vaults.roles import Capability

FILTERS = ("q", "kind", "author", "tag")


@require_safe
@login_required
def library(request: HttpRequest) -> HttpResponse:
    """The References table: search, facets, pages, uploads, and a selection to make notebooks."""
    actor, wishes = actor_of(request), request.GET
    page = queries.library_page(
        actor,
        wishes.get("q", ""),
        wishes.getlist("kind"),
        wishes.getlist("author"),
        wishes.getlist("tag"),
        page_number(wishes.get("page")),
    )
    context = {
        "section": "library",
        "page": page,
        "pager": _pager(page),
        "q": wishes.get("q", ""),
        "query": _kept(wishes),
        "is_filtered": any(wishes.get(name) for name in FILTERS),
        "can_write": actor.may(Capability.LIBRARY_WRITE),
        "can_create": actor.may(Capability.NOTEBOOK_CREATE),
        **upload_limit(),
    }
    return render(request, "library/library.html", context)


@require_safe
@login_required
def resource(request: HttpRequest, resource_id: uuid.UUID) -> HttpResponse:
    """A record: what it holds to read, its fields, and adding to it."""
    record = queries.resource_detail(actor_of(request), resource_id)
    context = {"section": "library", "record": record, **upload_limit()}
    return render(request, "library/resource.html", context)


def upload_limit() -> dict[str, Any]:
    """The largest file taken, as a number for scripts and in words."""
    limit = settings.MAX_UPLOAD_MB
    return {"max_upload_mb": limit, "max_upload_label": megabytes(limit * 1_000_000)}


def _pager(page: CataloguePage) -> dict[str, Any]:
    first = (page.page - 1) * page.page_size + 1
    return {
        "pages": page.pages,
        "previous": page.previous,
        "next": page.next,
        "total": page.total,
        "first": first,
        "last": first + len(page.results) - 1,
    }


def _kept(wishes: QueryDict) -> str:
    """The filters of the address, to go in front of another page's number."""
    kept = QueryDict(mutable=True)
    for name in FILTERS:
        kept.setlist(name, [value for value in wishes.getlist(name) if value])
    return f"{kept.urlencode()}&" if kept else ""
