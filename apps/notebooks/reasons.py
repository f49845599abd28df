"""Sentences for the words that say why a source could not be read, or what to know of one that was.

The words belong to who reads sources, a higher layer: it registers how to say them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class Wording:
    """How to say a reason, and a remark with its count, in the active language."""

    reason: Callable[[str], str]
    note: Callable[[str, int], str]


_wording: list[Wording] = []


def register(wording: Wording) -> None:
    """Makes these the words for reasons and remarks."""
    _wording[:] = [wording]


def sentence_for(reason: str) -> str:
    """The sentence of a reason; a general one while nobody registered."""
    return _wording[0].reason(reason) if _wording else _("The source could not be read.")


def note_sentence(note: str, count: int) -> str:
    """The remark for `count` occurrences; empty while nobody registered."""
    return _wording[0].note(note, count) if _wording else ""
