"""Ranking: whose statistics count, order, coverage, and questions nobody expects."""

import time

import pytest

from tests.retrieval.builders import Shelf

_VERSIONS = {
    3: ["The pension plan covers every employee.", "Holidays are agreed with the manager."],
    5: ["A pension is paid from the age of 67.", "The fund publishes a yearly report."],
    9: ["Employees report sickness before nine.", "The pension fund is supervised."],
}
_DOCUMENTS = {
    "d1": "Das partnerpensioen en de pensioenregeling gelden voor iedereen.",
    "d2": "L'élève n'a pas d'eau : l'hôtel est fermé aujourd'hui.",
    "d3": "Ticket POL-358 mentions C++ and .NET 4.8 and foo_bar-baz.",
    "d4": "To be or not to be, that is the question.",
    "d5": "知识检索平台支持中文查询。",
    "d6": "O’Brien said “don’t panic” at 10:45.",
}
_STRANGE = [
    '"', '"unbalanced', "a AND", "OR", "NOT x", "NEAR(a b, 3)", "foo*", "*", "^start", "title:foo",
    "d1:x", "-", "--", "(((", "{x}", "a + b", "'; DROP TABLE chunks; --", "%", "_", "\\", "\x00",
    "", "   ", "the", "x" * 20_000, "a " * 5_000, "\ud83d", "\u202e\u202d",
    "Straße STRASSE strasse", "ﬁle file", "' '' '", "·", "l'", "'s", "知", "\u0301",
]  # fmt: skip


def _bits(shelf: Shelf, question: str, versions: list[int] | None = None) -> list[object]:
    return list(shelf.search(question, versions).chunks)


@pytest.mark.parametrize("question", ["pension fund", "report", "employee pensions", "the"])
def test_how_versions_are_stored_together_changes_no_bit(question: str) -> None:
    apart = Shelf(_VERSIONS)
    for groups in ([[3, 5, 9]], [[9, 3], [5]], [[9], [5], [3]]):
        assert _bits(Shelf(_VERSIONS, groups), question) == _bits(apart, question)


@pytest.mark.parametrize("groups", [None, [[3, 5, 9]], [[5, 9], [3]]])
def test_leaving_a_source_out_is_never_having_had_it(groups: list[list[int]] | None) -> None:
    without = Shelf({version: _VERSIONS[version] for version in (3, 9)})
    shelf = Shelf(_VERSIONS, groups)
    expected = without.search("pension fund report")
    assert shelf.search("pension fund report", [3, 9]) == expected


def test_ties_are_broken_by_version_then_place() -> None:
    shelf = Shelf({8: ["same words", "same words"], 2: ["same words"]})
    found = [(chunk.version_id, chunk.ordinal) for chunk in shelf.search("same words").chunks]
    assert found == [(2, 0), (8, 0), (8, 1)]


def test_ties_at_the_cut_are_broken_alike() -> None:
    shelf = Shelf({number: ["same words"] for number in range(20, 0, -1)})
    found = [chunk.version_id for chunk in shelf.search("same words", limit=5).chunks]
    assert found == [1, 2, 3, 4, 5]


def test_every_channel_explains_its_score_and_rank() -> None:
    ranking = Shelf(_VERSIONS).search("the pension plan covers employees", with_ranks=True)
    best = ranking.chunks[0]
    assert (best.version_id, best.ordinal) == (3, 0)
    assert best.words_score > 0
    assert ranking.ranks[0] == (1, 1)


def test_a_chunk_found_by_grams_alone_has_no_rank_among_words() -> None:
    shelf = Shelf({1: ["de pensioenregeling geldt", "iets anders"]}, language="nl")
    assert shelf.search("pensioen", with_ranks=True).ranks == ((0, 1),)


def test_coverage_tells_a_good_question_from_a_stray_one() -> None:
    shelf = Shelf(_VERSIONS)
    assert shelf.search("pension fund supervised").coverage > 0.7
    assert shelf.search("aerodynamic drag of a pension").coverage < 0.4
    assert shelf.search("zzz").coverage == 0.0


def test_nothing_asked_and_nothing_indexed_give_nothing() -> None:
    assert Shelf(_VERSIONS).search("pension", []).chunks == ()
    assert Shelf({1: []}).search("pension").chunks == ()
    assert Shelf(_VERSIONS).search("").chunks == ()


@pytest.mark.parametrize("question", _STRANGE, ids=range(len(_STRANGE)))
def test_no_question_is_read_as_a_query_language(question: str) -> None:
    start = time.perf_counter()
    Shelf({1: list(_DOCUMENTS.values())}).search(question)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize(
    "question, document",
    [
        ("POL-358", "d3"), ("C++", "d3"), (".NET", "d3"), ("foo_bar-baz", "d3"),
        ("to be or not to be", "d4"), ("pensioen", "d1"), ("eleve", "d2"), ("élève", "d2"),
        ("eau", "d2"), ("hotel", "d2"), ("O'Brien", "d6"), ("OBrien don't", "d6"),
        ("10:45", "d6"), ("检索", "d5"), ("中文查询", "d5"), ("e\u0301le\u0300ve", "d2"),
        ("PENSIOENREGELING", "d1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "fr", "nl", "und"])
def test_each_document_is_found_first_by_its_own_words(
    question: str, document: str, language: str
) -> None:
    shelf = Shelf({1: list(_DOCUMENTS.values())}, language=language)
    best = shelf.search(question).chunks[0]
    assert list(_DOCUMENTS)[best.ordinal] == document


def test_a_ligature_and_a_line_end_hyphen_do_not_hide_a_word() -> None:
    shelf = Shelf(
        {1: ["An o\ufb03ce with e\ufb03cient know-\nledge and co\u00adoperation.", "Else."]}
    )
    for question in ("office", "efficient", "knowledge", "cooperation"):
        assert shelf.search(question).chunks[0].words_score > 0
