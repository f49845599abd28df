"""Which provider answers: a registry by name, chosen by the setting `CHAT_PROVIDER`."""

from collections.abc import Callable
from functools import cache

from django.conf import settings

from apps.chat.reading import SearchTools
from apps.llm.client import ModelClient
from apps.llm.extractive import ExtractiveClient

Factory = Callable[[], ModelClient]

_factories: dict[str, Factory] = {}


def register(name: str, factory: Factory) -> None:
    """Makes a provider known under a name."""
    _factories[name] = factory


def forget(name: str) -> None:
    """Takes a provider out again."""
    del _factories[name]


def client() -> ModelClient:
    """The provider that answers now; raises KeyError for a name nobody registered."""
    return _factories[settings.CHAT_PROVIDER]()


@cache
def _extractive() -> ModelClient:
    return ExtractiveClient(SearchTools())


register("extractive", _extractive)
