"""docs/reference/settings.md names exactly the variables that the code reads."""

import ast
import re

from tests.architecture.source import ROOT, modules

PAGE = ROOT / "docs" / "reference" / "settings.md"
_READERS = {"text", "flag", "number", "first_number", "items", "choice", "folder", "database"}


def _read_by_settings() -> set[str]:
    return {
        constant.value
        for module in modules()
        if module.path.startswith("config/")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _READERS
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "env"
        for constant in ast.walk(node.args[0])
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    }


def _documented() -> set[str]:
    first_cells = re.findall(r"^\| (`[^|]+) \|", PAGE.read_text(), flags=re.MULTILINE)
    return {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}


def test_every_setting_is_documented_and_nothing_else_is() -> None:
    assert _documented() == _read_by_settings() | {"DJANGO_SETTINGS_MODULE"}


# Hands a bare environment on to the process that reads files, and takes no setting from it.
_PASSES_ON = "apps/ingestion/isolation.py"


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        module.path
        for module in modules()
        if module.path.startswith("apps/")
        and module.path != _PASSES_ON
        and re.search(r"os\.(environ|getenv)", ast.unparse(module.tree))
    ]
    assert not readers
