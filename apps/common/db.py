"""The database from async code: one small pool of threads for the whole process.

Django gives every async context its own connection, so that 150 open streams would hold
150 connections. Here ORM work runs in at most `DATABASE_THREADS` threads, each with one.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import connections

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@cache
def database_threads() -> ThreadPoolExecutor:
    """The pool itself, for those who must end its connections."""
    return ThreadPoolExecutor(settings.DATABASE_THREADS, thread_name_prefix="database")


async def in_db_thread(
    work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Runs synchronous database work in the pool and gives its result or raises its error."""
    call = partial(
        contextvars.copy_context().run, _with_kept_connection, partial(work, *args, **kwargs)
    )
    return await asyncio.get_running_loop().run_in_executor(database_threads(), call)


def _with_kept_connection(call: Callable[[], Result]) -> Result:
    _drop_broken_connections()
    try:
        return call()
    finally:
        _drop_broken_connections()


def _drop_broken_connections() -> None:
    """These threads live as long as the process, so their connections may too, while they work.

    Elsewhere under ASGI a thread lives for one request; there `CONN_MAX_AGE` stays 0.
    """
    for connection in connections.all(initialized_only=True):
        connection.close_at = None
        connection.close_if_unusable_or_obsolete()
