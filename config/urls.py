"""Every address of the product. Each has a row in the access table of the tests."""

from django.urls import URLPattern, URLResolver

handler404 = "apps.common.problem.not_found"
handler500 = "apps.common.problem.server_error"

urlpatterns: list[URLPattern | URLResolver] = []
