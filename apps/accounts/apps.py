"""Registers the app with Django."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.accounts"
    label = "accounts"
