"""Speaks to a signed-in person in the language of their profile."""

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin


class PersonalLanguageMiddleware(MiddlewareMixin):
    """The profile wins over the browser's wish; strangers keep what `LocaleMiddleware` found."""

    def process_request(self, request: HttpRequest) -> None:
        """Activates the person's language for this request."""
        if request.user.is_authenticated:
            translation.activate(request.user.language)
            request.LANGUAGE_CODE = request.user.language

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Keeps what a signed-in person sees out of shared caches and of the disk."""
        if getattr(request, "user", None) is not None and request.user.is_authenticated:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response
