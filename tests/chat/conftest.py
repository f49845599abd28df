"""A notebook that can be asked, and people who ask it over HTTP."""

from collections.abc import AsyncIterator, Callable, Iterator
from threading import Barrier
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections

from apps.chat import providers, running
from apps.common import db
from apps.llm.client import ModelClient
from apps.notebooks.models import Notebook
from tests.chat.shelves import shelved
from tests.support.cast import Cast

SLUICE = """The sluice of the old harbour was built by Marta Soler in 1953. It holds back forty million litres.

Nobody but the harbour master keeps the keys of the sluice. The harbour master lives in the tower.

The tower was painted blue in 1971. Its lamp can be seen from twelve miles away."""
MILL = "The mill grinds corn for three villages. The mill wheel was carved from a single oak."

Install = Callable[[str, Callable[[], ModelClient]], None]


@pytest.fixture
def notebook(cast: Cast) -> Notebook:
    """Clara's notebook about a sluice and a mill, open to the workspace."""
    return shelved(cast.clara, {"Harbour book": SLUICE, "Mill book": MILL}, title="Water works")


@pytest.fixture
def provider(settings: Any) -> Iterator[Install]:
    """Lets another provider answer for the length of a test."""
    names: list[str] = []

    def install(name: str, factory: Callable[[], ModelClient]) -> None:
        providers.register(name, factory)
        names.append(name)
        settings.CHAT_PROVIDER = name

    yield install
    for name in names:
        providers.forget(name)


@pytest.fixture(scope="session", autouse=True)
def _free_database(django_db_setup: None) -> Iterator[None]:
    """The threads of the pool keep their connections; PostgreSQL drops no database in use."""
    yield
    threads = settings.DATABASE_THREADS
    together = Barrier(threads)

    def close() -> None:
        together.wait()
        connections.close_all()

    for closed in [db.database_threads().submit(close) for _ in range(threads)]:
        closed.result()


@pytest.fixture(autouse=True)
async def _quiet_end() -> AsyncIterator[None]:
    """No answer runs on into the next test, no thread of Django keeps a connection."""
    yield
    await running.settle()
    await sync_to_async(connections.close_all)()
