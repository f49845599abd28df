"""The stage that the contracts are tried on, built once per module."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client

from tests.contracts.stage import Stage, build_stage
from tests.support.cast import client_of


@pytest.fixture(scope="module")
def stage(django_db_setup: None, django_db_blocker: Any) -> Iterator[Stage]:
    """One stage for the whole table; rows that write are rolled back."""
    with django_db_blocker.unblock():
        cache.clear()
        yield build_stage()
        cache.clear()
        call_command("flush", interactive=False, verbosity=0)
        connection.close()


@pytest.fixture(scope="module")
def browsers(stage: Stage) -> dict[str, Client]:
    """Everybody's browser, signed in."""
    return {name: client_of(user) for name, user in stage.cast.people.items()}
