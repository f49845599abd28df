"""Searched text and the way back to the shown one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.folding import fold_accents, normalise, search_text

_PRINTED = st.text(alphabet="aÀé ĿŀñﬁＡ①ß’'-\u00ad\u200b\n·'\"x1\u0301е字한", max_size=40)


@pytest.mark.parametrize(
    "shown, searched",
    [
        ("OFFICE", "office"),
        ("o\ufb03ce", "office"),
        ("know-\nledge", "knowledge"),
        ("know-  \r\n  ledge", "knowledge"),
        ("co\u00adopera\u00adtion", "cooperation"),
        ("ker\u00ad\nnel", "kernel"),
        ("L\u2019aigua", "l'aigua"),
        ("e\u0301le\u0300ve", "élève"),
        ("Straße", "strasse"),
        ("a\x00b", "a b"),
        ("a\ud83db", "a b"),
        ("\u202eabc\u202d", "abc"),
    ],
)
def test_shown_text_is_searched_as_one_would_type_it(shown: str, searched: str) -> None:
    assert normalise(shown).replace("\n", " ") == normalise(searched).replace("\n", " ")


def test_a_hyphen_before_a_capital_at_a_line_end_stays() -> None:
    assert "-" in normalise("Anglo-\nSaxon")


@pytest.mark.parametrize(
    "word, folded",
    [("élève", "eleve"), ("funció", "funcio"), ("œuvre", "oeuvre"), ("łódź", "lodz"), ("ñ", "n")],
)
def test_accents_are_folded(word: str, folded: str) -> None:
    assert fold_accents(word) == folded


def test_the_offset_map_leads_back_to_the_pages_own_wording() -> None:
    shown = "The o\ufb03ce shares know-\nledge."
    searched = search_text(shown)
    for word, wording in (("office", "o\ufb03ce"), ("knowledge", "know-\nledge")):
        at = searched.text.index(word)
        start, end = searched.shown_span(at, at + len(word))
        assert shown[start:end] == wording


@given(_PRINTED)
def test_searching_with_and_without_offsets_reads_the_same_text(shown: str) -> None:
    assert search_text(shown).text == normalise(shown)


@given(st.text(max_size=60))
def test_offsets_never_run_backwards_nor_outside(shown: str) -> None:
    searched = search_text(shown)
    assert list(searched.starts) == sorted(searched.starts)
    bounds = zip(searched.starts, searched.ends, strict=True)
    assert all(0 <= start < end <= len(shown) for start, end in bounds)
