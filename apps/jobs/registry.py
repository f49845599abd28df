"""Who does which kind of job. Lower code queues a kind by its name, higher code registers the handler."""

from collections.abc import Callable

from django.utils.module_loading import autodiscover_modules

from apps.jobs.context import JobContext
from apps.jobs.values import Code, Fail, Json

Handler = Callable[[JobContext], Json | None]

_handlers: dict[str, Handler] = {}


def register(kind: str, handler: Handler) -> None:
    """Makes `handler` do every job of that kind. It gives the job's result as JSON, or None.

    A handler may be run again from the start after a crash: it finds by itself what is done.
    """
    known = _handlers.setdefault(kind, handler)
    if known is not handler:
        raise ValueError(f"Two handlers for {kind}: {known!r} and {handler!r}.")


def handler(kind: str) -> Callable[[Handler], Handler]:
    """`register` as a decorator."""

    def keep(function: Handler) -> Handler:
        register(kind, function)
        return function

    return keep


def forget(kind: str) -> None:
    """Takes a registration back."""
    _handlers.pop(kind, None)


def handler_for(kind: str) -> Handler:
    """The handler; the first question loads every app's `handlers`, so that idle processes stay small.

    Raises `Fail` for a kind that nobody registered.
    """
    if kind not in _handlers:
        autodiscover_modules("handlers")
    if kind not in _handlers:
        raise Fail(Code.UNKNOWN_KIND, kind)
    return _handlers[kind]
