"""Finds every text for people in the sources, without gettext's tools, which few machines have."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

_CALLS = {
    "_": 1, "gettext": 1, "gettext_lazy": 1, "gettext_noop": 1, "ngettext": 2, "ngettext_lazy": 2,
    "npgettext": 3, "pgettext": 2, "pgettext_lazy": 2,
}  # fmt: skip
_STRING = r"""u?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_IN_TEMPLATE = re.compile(rf"\b((?:\w*gettext|_)\({_STRING}(?:,\s*{_STRING})*)")
_IN_SCRIPT = re.compile(
    rf"(?<![\w.])(gettext|ngettext|pgettext|npgettext)\(\s*({_STRING})(?:\s*,\s*({_STRING}))?"
)


def in_python(source: str) -> Iterator[str]:
    """Texts of gettext calls whose arguments are plain strings; a context is not a text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            texts = node.args[: _CALLS.get(name, 0)]
            yield from _strings(texts[1:] if "pgettext" in name else texts)


def in_template(source: str, name: str) -> Iterator[str]:
    """Texts of `translate` and `blocktranslate`, as Django itself reads them."""
    for call in _IN_TEMPLATE.findall(templatize(source, origin=name)):
        yield from in_python(f"{call})")


def in_script(source: str) -> Iterator[str]:
    """Texts of gettext calls in JavaScript; of a context call only the text."""
    for name, *strings in _IN_SCRIPT.findall(source):
        first, second = (ast.literal_eval(string) if string else "" for string in strings)
        texts = {"gettext": [first], "ngettext": [first, second]}.get(name, [second])
        yield from filter(None, texts)


def of_server(root: Path) -> set[str]:
    """Every text of Python code and templates."""
    code = [f for folder in ("apps", "config") for f in (root / folder).rglob("*.py")]
    pages = [f for f in (root / "templates").rglob("*") if f.suffix in {".html", ".txt"}]
    return {t for f in code for t in in_python(f.read_text())} | {
        t for f in pages for t in in_template(f.read_text(), str(f))
    }


def of_browser(root: Path) -> set[str]:
    """Every text of JavaScript modules."""
    return {t for f in (root / "static" / "src").rglob("*.js") for t in in_script(f.read_text())}


def _strings(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            yield node.value
