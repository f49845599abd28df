"""English is what the sources say; Catalan is complete, as proof that the way to a language works."""

import re
from pathlib import Path

import polib
import pytest

from tests.architecture.source import ROOT
from tests.support import messages

CATALAN = ROOT / "locale" / "ca" / "LC_MESSAGES"
SOURCES = {"django.po": messages.of_server, "djangojs.po": messages.of_browser}
_PLACES = re.compile(r"%\(\w+\)[sd]|%[sd]|{\w*}")


def _translated(catalogue: Path) -> dict[str, list[str]]:
    assert catalogue.exists()
    entries = polib.pofile(str(catalogue)).translated_entries()
    return {
        text: [entry.msgstr] if entry.msgstr else list(entry.msgstr_plural.values())
        for entry in entries
        for text in filter(None, (entry.msgid, entry.msgid_plural))
    }


@pytest.mark.parametrize("name", SOURCES)
def test_every_text_has_its_catalan(name: str) -> None:
    assert not sorted(SOURCES[name](ROOT) - _translated(CATALAN / name).keys())


@pytest.mark.parametrize("name", SOURCES)
def test_a_translation_keeps_the_places_of_values(name: str) -> None:
    lost = {
        text: places
        for text, translations in _translated(CATALAN / name).items()
        for translation in translations
        if not (places := set(_PLACES.findall(translation))) <= set(_PLACES.findall(text))
    }
    assert not lost


@pytest.mark.parametrize(
    "template, texts",
    [
        ('{% translate "Hello" %}', ["Hello"]),
        ("{% translate 'May' context 'month' %}", ["May"]),
        ("{% blocktranslate %}Hi {{ name }} (you){% endblocktranslate %}", ["Hi %(name)s (you)"]),
        (
            "{% blocktranslate count n=n %}One{% plural %}{{ n }} pages{% endblocktranslate %}",
            ["One", "%(n)s pages"],
        ),
    ],
)
def test_texts_of_a_template_are_found(template: str, texts: list[str]) -> None:
    assert list(messages.in_template("{% load i18n %}" + template, "test")) == texts


@pytest.mark.parametrize(
    "script, texts",
    [
        ('gettext("Stop")', ["Stop"]),
        ("ngettext('%s page', '%s pages', n)", ["%s page", "%s pages"]),
        ("pgettext('month', \"May\")", ["May"]),
        ("myown.gettext('no')", []),
    ],
)
def test_texts_of_a_script_are_found(script: str, texts: list[str]) -> None:
    assert list(messages.in_script(script)) == texts
