"""The addresses of vaults."""

from django.urls import URLPattern, URLResolver, path

from apps.vaults import pages

page_patterns: list[URLPattern | URLResolver] = [
    path("workspace", pages.choose_workspace, name="choose_workspace"),
]
