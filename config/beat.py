"""The Celery application of the clock, `celery -A config.beat beat`.

It sends task names at their times and does none of the work, so it leaves Django's apps
alone: a third of the memory.
"""

import os

from celery import Celery

from config.messages import CELERY

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("quadern", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(CELERY)
