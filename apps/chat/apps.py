"""Registers the app with Django."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.chat"
    label = "chat"
