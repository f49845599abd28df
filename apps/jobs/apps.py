"""Registers the app with Django."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.jobs"
    label = "jobs"

    def ready(self) -> None:
        """Loads every app's `tasks`, among them the one that plugs in the sending of wake-ups."""
        autodiscover_modules("tasks")
