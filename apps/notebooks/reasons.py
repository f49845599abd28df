"""Sentences for the words that say why a source could not be read.

The words belong to who reads sources, a higher layer: it registers how to say them.
"""

from collections.abc import Callable

from django.utils.translation import gettext as _

Describe = Callable[[str], str]

_describe: list[Describe] = []


def register(describe: Describe) -> None:
    """Makes `describe` the one that gives a reason's sentence in the active language."""
    _describe[:] = [describe]


def sentence_for(reason: str) -> str:
    """The sentence of a reason; a general one while nobody registered."""
    return _describe[0](reason) if _describe else _("The source could not be read.")
