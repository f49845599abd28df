"""The worker is killed, again and again, in the middle of reading fifty sources."""

import random
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from apps.jobs.models import Job
from apps.jobs.values import State
from apps.library.models import Resource
from apps.notebooks import evidence, index
from apps.notebooks.demo import FOLDER
from apps.notebooks.models import Chunk, Notebook, RevisionSource, SourceState, SourceVersion
from apps.notebooks.values import RevisionState, SourceStatus
from tests.support.cast import Cast
from tests.support.factories import resource_with_file
from tests.support.notebooks import fresh, notebook_of
from tests.support.valkey import ValkeyServer
from tests.support.worker import WorkerProcess, eventually

pytestmark = [pytest.mark.everywhere, pytest.mark.django_db(transaction=True)]

SOURCES = 50
KILLS = 4
PAPERS = sorted((FOLDER / "documents").rglob("*.pdf"))
SENTENCE = "On day {day} of the survey of brook{number} the gauge stood at {mark} centimetres.\n"

Written = dict[int, tuple[datetime, datetime | None]]


@pytest.fixture
def reader(valkey: ValkeyServer, tmp_path: Path) -> Iterator[WorkerProcess]:
    """A worker that reads sources, not started yet."""
    process = WorkerProcess(valkey.broker_url, tmp_path, "tests.flows.worker_settings")
    yield process
    process.kill()


def _survey(number: int) -> bytes:
    lines = [SENTENCE.format(day=day, number=number, mark=day * 7 % 90) for day in range(150)]
    return "".join(lines).encode()


def _fifty(cast: Cast) -> list[Resource]:
    """Papers with pages and surveys in plain text, one after the other in the notebook."""
    return [_one(cast, number) for number in range(SOURCES)]


def _one(cast: Cast, number: int) -> Resource:
    if number % 5:
        name = f"survey-{number}.txt"
        return resource_with_file(cast.clara, f"{number:02} survey", _survey(number), name)
    paper = PAPERS[number // 5 % len(PAPERS)]
    return resource_with_file(cast.clara, f"{number:02} paper", paper.read_bytes(), paper.name)


def _finished(notebook: Notebook) -> int:
    return RevisionSource.objects.filter(revision__notebook=notebook).count()


def _written() -> Written:
    """Every whole version that is there, with when it was begun and finished."""
    whole = SourceVersion.objects.filter(completed_at__isnull=False)
    return {row[0]: row[1:] for row in whole.values_list("id", "created_at", "completed_at")}


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_any_moment_nothing_is_lost_doubled_or_read_again(
    cast: Cast, reader: WorkerProcess, seed: int
) -> None:
    notebook = notebook_of(cast.clara, *_fifty(cast))
    before: Written = {}
    for moment in sorted(random.Random(seed).sample(range(1, SOURCES - 2), KILLS)):
        reader.start()
        eventually(lambda moment=moment: _finished(notebook) >= moment, f"source {moment}")
        reader.kill()
        assert fresh(notebook).active_revision is None, "half of the sources were shown"
        assert Job.objects.get().state == State.RUNNING, "the job had ended before the kill"
        now = _written()
        assert before.items() <= now.items(), "a version was thrown away or written again"
        before = now
    reader.start()
    eventually(lambda: Job.objects.get().state == State.SUCCEEDED, "the end of the job")
    _must_be_whole(fresh(notebook))
    assert before.items() <= _written().items()
    _must_find_each_survey_once(fresh(notebook))


def _must_be_whole(notebook: Notebook) -> None:
    """One revision, active, complete, each source in it once, all counts equal."""
    revision = notebook.revisions.get()
    assert revision == notebook.active_revision
    assert (revision.state, revision.number) == (RevisionState.COMPLETE, 1)
    entries = list(revision.entries.select_related("version"))
    assert len({entry.source_id for entry in entries}) == len(entries) == SOURCES
    assert len(_written()) == SOURCES
    said = sum(entry.version.chunk_count for entry in entries)
    versions = [entry.version_id for entry in entries]
    stored = Chunk.objects.filter(version_id__in=versions).count()
    indexed = index.indexed_count(notebook.index_space.pk, versions)
    assert (revision.source_count, revision.chunk_count) == (SOURCES, said)
    assert said == stored == indexed
    states = SourceState.objects.filter(notebook=notebook).values_list("state", flat=True)
    assert list(states) == [SourceStatus.AVAILABLE] * SOURCES
    job = Job.objects.get()
    assert (job.progress_done, job.progress_total) == (SOURCES, SOURCES)


def _must_find_each_survey_once(notebook: Notebook) -> None:
    pin = evidence.pin_now(notebook)
    assert pin is not None
    for resource in Resource.objects.filter(title__endswith="survey"):
        number = int(resource.title[:2])
        hits = evidence.search([pin], f"brook{number}").hits
        assert {hit.resource_id for hit in hits if f"brook{number} " in hit.text} == {resource.id}
        assert len({hit.chunk_id for hit in hits}) == len(hits)
