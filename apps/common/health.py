"""Is the process alive, and can it do its work: for whoever restarts and routes."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import close_old_connections, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

logger = logging.getLogger(__name__)
Check = Callable[[], None]
CHECK_SECONDS = 3.0


class PartFailedError(Exception):
    """A part answered, but not as it should."""


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers at all; it asks nobody else."""
    return HttpResponse("ok", content_type="text/plain")


def readyz(checks: Mapping[str, Check]) -> Callable[[HttpRequest], HttpResponse]:
    """A view that runs the named checks side by side, each for at most three seconds.

    200, or 503 with the names of those that raised or did not answer; the reasons go to the
    log, not to strangers.
    """

    @require_safe
    @never_cache
    def answer(request: HttpRequest) -> HttpResponse:
        failing = _failing(checks)
        return JsonResponse(
            {"ready": not failing, "failing": failing}, status=503 if failing else 200
        )

    return answer


def _failing(checks: Mapping[str, Check]) -> list[str]:
    # The pool is left without waiting: a check that hangs must not hang the answer.
    pool = ThreadPoolExecutor(max_workers=len(checks), thread_name_prefix="readiness")
    try:
        running = {name: pool.submit(_in_own_connection, check) for name, check in checks.items()}
        failing = []
        for name, run in running.items():
            try:
                run.result(timeout=CHECK_SECONDS)
            except Exception as error:  # whatever a client library raises means "not ready"
                logger.warning("not ready: %s: %r", name, error)
                failing.append(name)
        return failing
    finally:
        pool.shutdown(wait=False)


def _in_own_connection(check: Check) -> None:
    close_old_connections()
    try:
        check()
    finally:
        connection.close()


def check_database() -> None:
    """Raises unless the database answers a query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def check_migrations() -> None:
    """Raises when the code knows migrations that the database does not have."""
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        raise PartFailedError(f"{len(waiting)} migrations are waiting")


def check_storage() -> None:
    """Raises unless a small file can be written, read and removed."""
    name = default_storage.save("readiness/probe", ContentFile(b"quadern"))
    try:
        with default_storage.open(name) as probe:
            if probe.read() != b"quadern":
                raise PartFailedError("the storage gave back something else")
    finally:
        default_storage.delete(name)


def check_channel_layer() -> None:
    """Raises unless the channel layer takes a message for a channel and hands it out."""
    async_to_sync(_send_and_receive)()


async def _send_and_receive() -> None:
    layer = get_channel_layer()
    if layer is None:
        raise PartFailedError("no channel layer is configured")
    async with asyncio.timeout(CHECK_SECONDS):
        channel = await layer.new_channel()
        await layer.send(channel, {"type": "readiness.probe"})
        await layer.receive(channel)
