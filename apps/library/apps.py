"""Registers the app with Django."""

from django.apps import AppConfig


class LibraryConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.library"
    label = "library"
