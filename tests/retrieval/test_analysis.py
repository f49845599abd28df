"""The terms of sources and questions."""

import pytest

from apps.retrieval.analysis import (
    MAX_QUERY_GRAMS,
    MAX_WORD_CHARS,
    UNKNOWN,
    analyse,
    detect_language,
    informative_terms,
    query_terms,
)


def _words(question: str, *languages: str) -> list[str]:
    return [term.term for term in query_terms(question, languages).words]


@pytest.mark.parametrize(
    "asked, stored, language",
    [
        ("revisions", "revisió", "ca"),
        ("qüestió", "qüestions", "ca"),
        ("intel·ligència", "intelligencia", "ca"),
        ("col·laboració", "col.laboren", "ca"),
        ("guardarlo", "guardar", "es"),
        ("leyes", "ley", "es"),
        ("veces", "vez", "es"),
        ("configuração", "configuracoes", "pt"),
        ("papéis", "papel", "pt"),
        ("ações", "ação", "pt"),
        ("vakantiedagen", "vakantiedag", "nl"),
        ("policies", "policy", "en"),
        ("ran", "runs", "en"),
        ("indices", "index", "en"),
        ("e-mail", "email", "en"),
        ("data base", "database", "en"),
        ("élève", "eleve", "fr"),
        ("don't", "don’t", "en"),
        ("OBrien", "O'Brien", "en"),
    ],
)
def test_a_question_shares_a_word_with_the_source(asked: str, stored: str, language: str) -> None:
    source = analyse(stored, language)
    terms = query_terms(asked, [language])
    shared = [term for term in terms.words if term.term in source.words]
    shared += [term for term in terms.grams if term.term in source.grams]
    assert shared


@pytest.mark.parametrize(
    "asked, stored, language",
    [
        ("pensioen", "pensioenregeling", "nl"),
        ("pensioen", "partnerpensioen", "nl"),
        ("retreival", "retrieval", "en"),
        ("检索", "知识检索平台", UNKNOWN),
        ("索", "知识检索平台", UNKNOWN),
    ],
)
def test_grams_reach_what_words_do_not(asked: str, stored: str, language: str) -> None:
    source = analyse(stored, language)
    asked_grams = {term.term for term in query_terms(asked, [language]).grams}
    assert not {term.term for term in query_terms(asked, [language]).words} & set(source.words)
    assert asked_grams & set(source.grams)


def test_lengths_count_every_word_and_every_gram() -> None:
    counted = analyse("The cat and the hat", "en")
    assert counted.word_count == 5
    assert counted.gram_count == sum(counted.grams.values())
    assert counted.words["the"] == 2


def test_stopwords_are_left_out_of_a_question() -> None:
    assert _words("what is the capital of France", "en") == ["capit", "capital", "franc", "france"]


def test_a_question_of_stopwords_alone_is_asked_as_it_is() -> None:
    assert "be" in _words("to be or not to be", "en")


def test_the_language_of_the_question_decides_what_is_a_stopword() -> None:
    assert "die" in _words("when did he die", "en", "nl")
    assert "die" not in _words("wat is die regeling van ons", "en", "nl")


def test_every_language_of_the_notebook_gives_its_stem() -> None:
    assert {"notebook", "notebooks"} <= set(_words("notebooks", "en", "nl"))


def test_terms_do_not_depend_on_the_order_or_repetition_of_languages() -> None:
    assert query_terms("running jobs", ["en", "nl"]) == query_terms(
        "running jobs", ["nl", "en", "en"]
    )


def test_a_word_asked_twice_counts_twice() -> None:
    once, twice = query_terms("wing", ["en"]), query_terms("wing wing", ["en"])
    assert twice.words[0].weight == 2 * once.words[0].weight


def test_huge_words_and_questions_are_bounded() -> None:
    assert all(len(term) <= MAX_WORD_CHARS for term in analyse("x" * 100_000, "en").words)
    long_question = " ".join(f"word{number}" for number in range(5_000))
    assert len(query_terms(long_question, ["en"]).grams) <= MAX_QUERY_GRAMS


def test_informative_terms_are_folded_distinct_and_without_stopwords() -> None:
    found = informative_terms("Quina és la funció de la Funció d'aquest mòdul?", "ca")
    assert found == ("funcio", "modul")


@pytest.mark.parametrize(
    "text, language",
    [
        ("The notebook lists every source that was read last week.", "en"),
        ("El quadern recull totes les fonts que s'han llegit aquesta setmana.", "ca"),
        ("El cuaderno reúne todas las fuentes que se han leído esta semana.", "es"),
        ("O caderno reúne todas as fontes que foram lidas nesta semana.", "pt"),
        ("Het notitieboek toont alle bronnen die deze week gelezen zijn.", "nl"),
        ("12 34 56", UNKNOWN),
    ],
)
def test_the_language_of_a_text_is_detected(text: str, language: str) -> None:
    assert detect_language(text) == language
