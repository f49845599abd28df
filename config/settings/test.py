"""Tests: quick hashing, channel layer and cache in memory, the database in a file so that threads share it."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("QUADERN_DATA", tempfile.mkdtemp(prefix="quadern-test-"))

from config.settings.base import *
from config.settings.base import DATABASES, STORAGES

SECRET_KEY = "only for tests"
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
if str(DATABASES["default"]["ENGINE"]).endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(Path(os.environ["QUADERN_DATA"]) / "test.sqlite3")}
CELERY_BROKER_URL = "memory://"
# Whitenoise warns about a missing folder, and warnings are errors.
(Path(os.environ["QUADERN_DATA"]) / "static").mkdir(exist_ok=True)
