"""Templates: nothing inline (the page's policy would refuse it), and what they load is built."""

import re
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
INLINE = {
    "script without an address": r"<script(?![^>]*\ssrc=)[^>]*>",
    "style element": r"<style[\s>]",
    "style attribute": r"\sstyle\s*=",
    "event handler": r"<[a-z][^>]*\son[a-z]+\s*=",
    "script as an address": r"javascript:",
}


def _name(path: Path) -> str:
    return path.relative_to(ROOT / "templates").as_posix()


@pytest.mark.parametrize("template", TEMPLATES, ids=_name)
@pytest.mark.parametrize("what", INLINE)
def test_a_template_holds_nothing_inline(template: Path, what: str) -> None:
    assert not re.findall(INLINE[what], template.read_text(), flags=re.IGNORECASE)


@pytest.mark.parametrize("template", TEMPLATES, ids=_name)
def test_a_template_loads_only_what_is_built(template: Path) -> None:
    names = re.findall(r"{%\s*static\s+[\"']([^\"']+)[\"']", template.read_text())
    assert not [name for name in names if not (ROOT / "static" / "dist" / name).exists()]
