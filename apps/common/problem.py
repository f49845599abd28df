"""Errors become answers here and nowhere else: problem JSON (RFC 9457) for programs, a page for people."""

import logging
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions as drf
from rest_framework.response import Response

from apps.common.errors import (
    Forbidden,
    Invalid,
    NotFound,
    QuadernError,
    Throttled,
    TooLarge,
    Unavailable,
)

log = logging.getLogger(__name__)
PROBLEM_TYPE = "application/problem+json"


class SignedOut(QuadernError):
    """Nobody is signed in."""

    status = 401
    code = "signed_out"
    title = _("Signed out")


class MethodNotAllowed(QuadernError):
    """The address exists, the verb does not."""

    status = 405
    code = "method_not_allowed"
    title = _("Not possible here")


def body_of(error: QuadernError) -> dict[str, Any]:
    """The problem object of an error: type, title, detail, code, fields, status."""
    return {
        "type": f"about:blank#{error.code}",
        "title": str(error.title),
        "detail": str(error.sentence),
        "code": error.code,
        "fields": error.fields,
        "status": error.status,
    }


def problem_response(error: QuadernError) -> JsonResponse:
    """The error as a finished problem answer with its status and headers."""
    response = JsonResponse(body_of(error), status=error.status, content_type=PROBLEM_TYPE)
    _add_headers(response, error)
    return response


def answer_api_error(exception: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """Django REST framework's exception handler; unknown errors go on as 500."""
    error = as_known(exception)
    if error is None:
        return None
    response = Response(body_of(error), status=error.status, content_type=PROBLEM_TYPE)
    _add_headers(response, error)
    return response


def as_known(exception: Exception) -> QuadernError | None:
    """The error of our tree that says what this exception means, or nothing."""
    match exception:
        case QuadernError():
            return exception
        case Http404() | drf.NotFound():
            return NotFound()
        case drf.NotAuthenticated() | drf.AuthenticationFailed():
            return SignedOut(_("Sign in to go on."))
        case PermissionDenied() | drf.PermissionDenied():
            return Forbidden(_("You may see this, but not change it."))
        case drf.ValidationError():
            return Invalid(_("Look at the marked fields."), fields=_fields(exception.detail))
        case drf.ParseError():
            return Invalid(str(exception.detail), code="unreadable_body")
        case drf.UnsupportedMediaType():
            return Invalid(_("This address does not read that kind of body."), code="media_type")
        case drf.NotAcceptable():
            return Invalid(_("This address does not answer in that form."), code="not_acceptable")
        case drf.MethodNotAllowed():
            return MethodNotAllowed(_("This address does not do that."))
        case drf.Throttled():
            wait = int(getattr(exception, "wait", None) or 1)
            return Throttled(_("Wait a moment and try again."), retry_after=wait)
        case RequestDataTooBig():
            return TooLarge(_("The request is larger than this address takes."))
        case SuspiciousOperation():
            return Invalid(_("The request was not understood."))
        case OperationalError() | InterfaceError():
            return Unavailable(_("The database does not answer. Nothing was lost; try again."))
    return None


def _fields(detail: object) -> dict[str, list[str]]:
    if isinstance(detail, dict):
        return {str(name): _sentences(value) for name, value in detail.items()}
    return {"": _sentences(detail)}


def _sentences(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in _sentences(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _sentences(part)]
    return [str(value)]


def _add_headers(response: HttpResponse, error: QuadernError) -> None:
    if isinstance(error, Throttled):
        response["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unavailable):
        response["Retry-After"] = "5"
    response["Cache-Control"] = "no-store"


def wants_json(request: HttpRequest) -> bool:
    """Whether a program is asking: an API address, or JSON preferred."""
    return request.path.startswith("/api/") or not request.accepts("text/html")


def error_page(request: HttpRequest, error: QuadernError) -> HttpResponse:
    """The error as a page in the look of the product."""
    html = render_to_string("error.html", {"error": error}, request=request)
    response = HttpResponse(html, status=error.status)
    _add_headers(response, error)
    return response


class ProblemMiddleware(MiddlewareMixin):
    """Turns what a plain Django view raised into a problem or a page.

    The innermost of the chain. Being for threads only it makes the whole chain run in one
    thread: with an asynchronous one each middleware hops to a thread and back, twice, which
    costs a request ten times what the middlewares themselves do.
    """

    async_capable = False

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The answer for a known error; unknown ones go on to Django's handling."""
        error = as_known(exception)
        if error is None:
            return None
        if isinstance(error, Unavailable):
            log.warning("unavailable: %s", exception)
        return problem_response(error) if wants_json(request) else error_page(request, error)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler404: the same words for absent and invisible."""
    return problem_response(NotFound()) if wants_json(request) else error_page(request, NotFound())


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: no traceback, nothing about the inside."""
    error = QuadernError(_("Something broke on our side. What you had saved is kept."))
    error.status = 500
    error.code = "server_error"
    if wants_json(request):
        return problem_response(error)
    return error_page(request, error)
