"""Every address of the product. Each has a row in the access table of the tests."""

from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import JavaScriptCatalog

from apps.accounts import urls as accounts
from apps.chat import pages as chat_pages
from apps.chat import urls as chat
from apps.common.health import healthz, readyz
from apps.library import urls as library
from apps.notebooks import pages as notebook_pages
from apps.notebooks import urls as notebooks
from apps.vaults import urls as vaults
from config.readiness import CHECKS

handler404 = "apps.common.problem.not_found"
handler500 = "apps.common.problem.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz(CHECKS), name="readyz"),
    path("jsi18n/", JavaScriptCatalog.as_view(), name="javascript-catalog"),
    path("welcome", notebook_pages.welcome, name="welcome"),
    path("", include(accounts.page_patterns)),
    path("", include(vaults.page_patterns)),
    path("", include(library.page_patterns)),
    path("", include(notebooks.page_patterns)),
    path("", chat_pages.home, name="home"),
    path("notebooks/<uuid:notebook_id>", chat_pages.notebook, name="notebook"),
    path("api/", include(library.api_patterns)),
    path("api/", include(notebooks.api_patterns)),
    path("api/", include(chat.api_patterns)),
]
