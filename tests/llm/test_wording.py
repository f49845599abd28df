"""Escaped Markdown shows the very text, and ordinary prose needs no escape."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from apps.llm.wording import CLOSEST, NOT_ANSWERED, escape_markdown, unescape_markdown

RENDER = MarkdownIt("commonmark").render


@given(st.text())
def test_escapes_can_be_undone(text: str) -> None:
    assert unescape_markdown(escape_markdown(text)) == text


@pytest.mark.parametrize(
    "prose",
    [
        "In 1953 Marta Soler (born in Girona) built it: 40 % was stone.",
        "L'aigua baixa; «el delta» creix - o no.",
        "snake_case_words and a–b, 3.5 m/s & more.",
    ],
)
def test_prose_stays_as_it_is(prose: str) -> None:
    assert escape_markdown(prose) == prose


@pytest.mark.parametrize(
    "hostile",
    [
        "**bold** _it_ `code` ~~gone~~",
        "[link](javascript:alert)",
        "![image](http://example.com/x.png)",
        "<script>alert</script>",
        "# heading",
        "- item",
        "+ item",
        "1. item",
        "> quote",
        "a\n===",
        "&lt;b&gt;",
        "<https://example.com>",
    ],
)
def test_what_looks_like_markup_shows_as_text(hostile: str) -> None:
    html = RENDER(escape_markdown(hostile))
    shown = html.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in shown
    assert (
        shown.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
        == hostile
    )


def test_both_sentences_exist_in_every_language_of_the_product() -> None:
    assert set(NOT_ANSWERED) == set(CLOSEST) == {"en", "ca", "es", "pt", "nl"}
