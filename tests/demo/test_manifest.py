"""The demo vault is what its manifest says, and its questions have one answer in one place."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from apps.library.models import Resource
from apps.notebooks.values import ConversationMode, Visibility
from demo.build import HOME, build, read_manifest
from demo.values import NOTICES
from tests.demo.reading import pdf_pages, sections, squeezed, whole_text

MANIFEST = read_manifest()
FILES = [file for resource in MANIFEST["resources"] for file in resource["files"]]
FILES_BY_KEY = {resource["key"]: resource["files"] for resource in MANIFEST["resources"]}
LANGUAGES = {"en", "ca", "es", "pt", "nl"}


def _ask(question: dict[str, Any]) -> str:
    return str(question["question"])


def test_building_again_gives_the_committed_bytes(tmp_path: Path) -> None:
    built = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in build(tmp_path)}
    assert built.keys() == set(FILES)
    assert [file for file in FILES if (HOME / file).read_bytes() != built[file]] == []


def test_no_document_lies_beside_the_manifest() -> None:
    present = {path for path in (HOME / "documents").rglob("*") if path.is_file()}
    assert {path.relative_to(HOME).as_posix() for path in present} == set(FILES)
    assert sum(path.stat().st_size for path in present) < 2_000_000


def test_the_documents_cover_five_languages_and_the_kinds_that_quadern_reads() -> None:
    assert {resource["language"] for resource in MANIFEST["resources"]} == LANGUAGES
    assert {Path(file).suffix for file in FILES} == {".pdf", ".docx", ".html", ".md", ".txt"}


@pytest.mark.parametrize("resource", MANIFEST["resources"], ids=lambda resource: resource["key"])
def test_a_document_says_in_its_language_that_it_is_invented(resource: dict[str, Any]) -> None:
    for file in resource["files"]:
        path = HOME / file
        assert NOTICES[resource["language"]] in whole_text(path, path.read_bytes())


def test_notebooks_name_resources_that_exist_and_differ_in_who_sees_them() -> None:
    assert len(FILES_BY_KEY) == len(MANIFEST["resources"])
    for notebook in MANIFEST["notebooks"]:
        assert set(notebook["resources"]) <= FILES_BY_KEY.keys()
        assert len(set(notebook["resources"])) == len(notebook["resources"])
    assert [notebook["visibility"] for notebook in MANIFEST["notebooks"]] == [
        "workspace",
        "private",
        "workspace",
    ]


def test_the_manifest_speaks_the_words_of_the_models() -> None:
    assert {resource["kind"] for resource in MANIFEST["resources"]} <= set(Resource.Kind.values)
    for notebook in MANIFEST["notebooks"]:
        Visibility(notebook["visibility"])
        ConversationMode(notebook["conversation_mode"])


def test_there_are_five_questions_in_each_language() -> None:
    assert Counter(question["language"] for question in MANIFEST["questions"]) == dict.fromkeys(
        LANGUAGES, 5
    )


@pytest.mark.parametrize("question", MANIFEST["questions"], ids=_ask)
def test_the_answer_stands_where_the_manifest_says(question: dict[str, Any]) -> None:
    path = HOME / question["file"]
    content = path.read_bytes()
    if "page" in question:
        label, text = pdf_pages(content)[question["page"]]
        assert label == question.get("label", "")
    elif "heading" in question:
        text = sections(path, content)[question["heading"]]
    else:
        first, last = question["lines"]
        text = "\n".join(content.decode().splitlines()[first - 1 : last])
    assert question["expected_substring"] in squeezed(text)


@pytest.mark.parametrize("question", MANIFEST["questions"], ids=_ask)
def test_the_answer_stands_only_once_in_its_notebook(question: dict[str, Any]) -> None:
    notebook = next(each for each in MANIFEST["notebooks"] if each["key"] == question["notebook"])
    files = [file for key in notebook["resources"] for file in FILES_BY_KEY[key]]
    texts = [whole_text(HOME / file, (HOME / file).read_bytes()) for file in files]
    assert question["file"] in files
    assert sum(text.count(question["expected_substring"]) for text in texts) == 1


def test_the_printed_page_number_differs_from_the_physical_one_after_a_roman_preface() -> None:
    pages = pdf_pages((HOME / "documents/ca/pla-gestio-delta.pdf").read_bytes())
    labels = [label for label, _ in pages.values()]
    assert labels[:4] == ["i", "ii", "iii", "1"]
    assert all(text.rstrip().endswith(label) for label, text in pages.values())


def test_one_document_breaks_words_at_line_ends() -> None:
    pages = pdf_pages((HOME / "documents/nl/ruimte-voor-de-rivier.pdf").read_bytes())
    assert "\x02" in "".join(text for _, text in pages.values())
