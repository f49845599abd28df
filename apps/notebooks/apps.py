"""Registers the app with Django."""

from django.apps import AppConfig


class NotebooksConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.notebooks"
    label = "notebooks"
