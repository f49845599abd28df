"""The project's own files, as the checks of this folder read them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_PACKAGES = ("apps", "config")


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file: its path from the root with slashes, and its syntax tree."""

    path: str
    tree: ast.Module

    @property
    def is_migration(self) -> bool:
        return "/migrations/" in self.path


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the apps and of the configuration."""
    files = (f for package in _PACKAGES for f in sorted((ROOT / package).rglob("*.py")))
    return tuple(Module(f.relative_to(ROOT).as_posix(), ast.parse(f.read_text())) for f in files)


@cache
def imports(module: Module) -> tuple[tuple[str, int], ...]:
    """Full dotted names that a module imports, with the line; `from a import b` gives `a.b`."""
    return tuple(_imports(module))


def _imports(module: Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def is_below(name: str, package: str) -> bool:
    """Whether a dotted name is the package or something inside it."""
    return name == package or name.startswith(f"{package}.")
