"""Alive, and ready."""

import threading

import pytest
from django.db.migrations.executor import MigrationExecutor

from apps.common import health
from config.readiness import CHECKS


def _ready(rf, **checks):
    response = health.readyz(checks)(rf.get("/readyz"))
    return response.status_code, response.content


def test_alive_is_said_without_asking_anybody(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")


def test_ready_asks_every_part_that_work_needs(client, transactional_db):
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"ready": True, "failing": []})
    assert list(CHECKS) == ["database", "migrations", "storage", "broker", "channel_layer"]


def test_what_fails_is_named_and_why_is_not_told(rf):
    def fail():
        raise OSError("password of the broker")

    status, content = _ready(rf, database=lambda: None, broker=fail)
    assert (status, content) == (503, b'{"ready": false, "failing": ["broker"]}')


def test_a_part_that_hangs_is_named_after_its_time(rf, monkeypatch):
    monkeypatch.setattr(health, "CHECK_SECONDS", 0.05)
    released = threading.Event()
    status, content = _ready(rf, broker=lambda: released.wait(10))
    released.set()
    assert (status, b"broker" in content) == (503, True)


def test_waiting_migrations_are_not_ready(monkeypatch, db):
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [("0099", False)])
    with pytest.raises(health.PartFailedError, match="1 migrations"):
        health.check_migrations()


def test_a_storage_that_cannot_be_written_is_not_ready(settings, tmp_path):
    folder = tmp_path / "file"
    folder.write_text("not a folder")
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(folder)},
        },
    }
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        health.check_storage()


def test_a_storage_check_leaves_nothing_behind(settings, tmp_path):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }
    health.check_storage()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_channel_layer_that_is_not_there_is_not_ready(settings):
    settings.CHANNEL_LAYERS = {}
    with pytest.raises(health.PartFailedError):
        health.check_channel_layer()


def test_nothing_but_reading_is_taken(client):
    assert client.post("/healthz").status_code == 405
    assert client.post("/readyz").status_code == 405
