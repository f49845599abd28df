"""Registers the app with Django."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.jobs"
    label = "jobs"
