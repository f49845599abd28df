"""Settings of a real worker process in a test: the test's own database and broker, probe jobs only."""

import os

from config.settings.test import *  # noqa: F403 settings extend one another
from config.settings.test import DATABASES, INSTALLED_APPS

INSTALLED_APPS = [name for name in INSTALLED_APPS if name != "apps.ingestion"]
INSTALLED_APPS += ["tests.support.probe"]
if "PROBE_SQLITE_FILE" in os.environ:
    DATABASES["default"]["NAME"] = os.environ["PROBE_SQLITE_FILE"]
CELERY_BROKER_URL = os.environ["PROBE_BROKER_URL"]
