"""Settings of a real worker that reads sources: the test's own database, files and broker."""

import os

from config.settings.test import *
from config.settings.test import DATABASES

if "PROBE_SQLITE_FILE" in os.environ:
    DATABASES["default"]["NAME"] = os.environ["PROBE_SQLITE_FILE"]
CELERY_BROKER_URL = os.environ["PROBE_BROKER_URL"]
