"""Every address of the product. Each has a row in the access table of the tests."""

from django.urls import URLPattern, URLResolver, include, path

from apps.common.health import healthz, readyz
from apps.library import urls as library
from config.readiness import CHECKS

handler404 = "apps.common.problem.not_found"
handler500 = "apps.common.problem.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz(CHECKS), name="readyz"),
    path("api/", include(library.api_patterns)),
]
