"""Registers the app with Django."""

from django.apps import AppConfig


class VaultsConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.vaults"
    label = "vaults"
