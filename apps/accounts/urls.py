"""The addresses of accounts."""

from django.urls import URLPattern, URLResolver, path

from apps.accounts import pages, sessions

page_patterns: list[URLPattern | URLResolver] = [
    path("sign-in", pages.sign_in_page, name="sign_in"),
    path("sign-out", sessions.sign_out, name="sign_out"),
    path("profile", pages.profile, name="profile"),
]
