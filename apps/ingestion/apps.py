"""Registers the app with Django."""

from django.apps import AppConfig


class IngestionConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.ingestion"
    label = "ingestion"
