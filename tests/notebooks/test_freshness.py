"""Opening a notebook or asking in it compares its sources again, at most once a minute."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.urls import reverse

from apps.chat.turns import open_turn
from apps.chat.values import Question
from apps.jobs.models import Job
from apps.jobs.values import State
from apps.notebooks.models import Notebook
from apps.vaults.actor import actor_for
from tests.support.cast import Cast, client_of
from tests.support.factories import resource_with_file
from tests.support.notebooks import read_notebook


def _waiting() -> int:
    return Job.objects.filter(state=State.QUEUED).count()


def _read(cast: Cast, minutes_ago: int) -> Notebook:
    notebook = read_notebook(cast.clara, resource_with_file(cast.clara))
    passed = timedelta(minutes=minutes_ago)
    Notebook.objects.update(last_checked_at=F("last_checked_at") - passed)
    return notebook


@pytest.mark.parametrize(
    ("name", "minutes_ago", "waiting"),
    [("clara", 5, 1), ("enric", 5, 1), ("lola", 5, 0), ("clara", 0, 0)],
)
def test_opening_checks_for_those_who_may_ask_once_a_minute(
    cast: Cast, name: str, minutes_ago: int, waiting: int
) -> None:
    notebook = _read(cast, minutes_ago)
    client_of(cast.users[name]).get(reverse("notebook", args=[notebook.id]))
    assert _waiting() == waiting


def test_asking_checks_too(cast: Cast) -> None:
    notebook = _read(cast, minutes_ago=5)
    question = Question(notebook.id, "One sentence?", notebook.id)
    open_turn(actor_for(cast.enric), question)
    assert _waiting() == 1
