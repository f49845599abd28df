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
from django.db import close_old_connections

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(settings.DATABASE_THREADS, thread_name_prefix="database")


async def in_db_thread(
    work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Runs synchronous database work in the pool and gives its result or raises its error."""
    call = partial(
        contextvars.copy_context().run, _with_fresh_connection, partial(work, *args, **kwargs)
    )
    return await asyncio.get_running_loop().run_in_executor(_pool(), call)


def _with_fresh_connection(call: Callable[[], Result]) -> Result:
    close_old_connections()
    try:
        return call()
    finally:
        close_old_connections()
