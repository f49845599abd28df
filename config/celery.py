"""The Celery application of the web and worker processes."""

import os

from celery import Celery

from config.messages import CELERY

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("quadern")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(CELERY)
