"""How tokens are cut and what is taken off them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval import tokens as module
from apps.retrieval.folding import normalise
from apps.retrieval.tokens import is_run, split_token, tokens


@pytest.mark.parametrize(
    "text, found",
    [
        ("Ticket POL-358 mentions C++ and .NET 4.8", "ticket pol-358 mentions c++ and net 4.8"),
        ("“don’t panic” at 10:45.", "don't panic at 10:45"),
        ("foo_bar-baz, (x)", "foo_bar-baz x"),
        ("1,200 apples, 3 pears", "1,200 apples 3 pears"),
        ("知识检索 abc", "知识检索 abc"),
        ("naïve", "naïve"),
        ("\"'--%_\\", ""),
    ],
)
def test_text_is_cut_into_tokens(text: str, found: str) -> None:
    assert tokens(normalise(text)) == found.split()


@pytest.mark.parametrize(
    "token, language, words, joined",
    [
        ("l'hôtel", "fr", ["hôtel"], ""),
        ("d'aigua", "ca", ["aigua"], ""),
        ("qu'il", "fr", ["il"], ""),
        ("instal·lar-se", "ca", ["installar"], ""),
        ("col.laboren", "ca", ["collaboren"], ""),
        ("anar-se'n", "ca", ["anar"], ""),
        ("esborrar-los", "ca", ["esborrar"], ""),
        ("porta'l", "ca", ["porta"], ""),
        ("arquivá-lo", "pt", ["arquivá"], ""),
        ("guarda-chuva", "pt", ["guarda", "chuva"], "guardachuva"),
        ("e-mail", "en", ["e", "mail"], "email"),
        ("don't", "en", ["dont"], ""),
        ("o'brien", "en", ["o", "brien"], "obrien"),
        ("notebook's", "en", ["notebook"], ""),
        ("auto's", "nl", ["auto"], ""),
        ("c++", "en", ["c++"], ""),
        ("pol-358", "en", ["pol", "358"], "pol358"),
        ("检索", "zh", [], ""),
    ],
)
def test_tokens_lose_their_clitics(
    token: str, language: str, words: list[str], joined: str
) -> None:
    assert split_token(token, language) == (tuple(words), joined)


def test_runs_are_told_from_words() -> None:
    assert is_run("検索")
    assert not is_run("search")


@given(st.text(alphabet="aZéñßø09 '-_.,:/&@·•+#()\n\u2010", max_size=60))
def test_the_fast_pattern_cuts_latin_text_like_the_general_one(text: str) -> None:
    searched = normalise(text)
    assert tokens(searched) == module._TOKEN.findall(searched)


@given(st.text(max_size=60), st.sampled_from(["en", "ca", "es", "pt", "nl", "fr", "und"]))
def test_any_token_of_any_text_can_be_split(text: str, language: str) -> None:
    for token in tokens(normalise(text)):
        assert split_token(token, language).words or is_run(token)
