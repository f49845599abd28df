"""In which language a question is answered."""

import pytest

from apps.chat.language import answer_language


@pytest.mark.parametrize(
    "question, language",
    [
        ("Who keeps the keys of the sluice?", "en"),
        ("Qui té les claus de la resclosa i on són?", "ca"),
        ("¿Quién tiene las llaves de la esclusa y dónde están?", "es"),
        ("Quem tem as chaves da comporta e onde estão?", "pt"),
        ("Wie heeft de sleutels van de sluis en waar zijn ze?", "nl"),
    ],
)
def test_the_small_words_tell(question: str, language: str) -> None:
    assert answer_language(question, []) == language


@pytest.mark.parametrize("likely", ["ca", "nl", "pt"])
def test_without_small_words_the_material_decides(likely: str) -> None:
    assert answer_language("Delta 2027?", [likely, "en"]) == likely


def test_a_language_the_product_does_not_speak_is_passed_over() -> None:
    assert answer_language("Delta 2027?", ["sw", "und", "es"]) == "es"
    assert answer_language("Delta 2027?", ["sw"]) == "en"
