import pytest

from apps.ingestion.reasons import note_sentence, sentence_for
from apps.ingestion.values import MAX_DETAIL, Failure, Note, Reason


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_has_a_sentence_of_its_own(reason: Reason) -> None:
    sentence = sentence_for(reason)
    assert sentence.endswith(".")
    assert [other for other in Reason if sentence_for(other) == sentence] == [reason]


@pytest.mark.parametrize("note", Note)
def test_each_note_counts(note: Note) -> None:
    assert note_sentence(note, 1)
    if note is not Note.REPAIRED:
        assert note_sentence(note, 1) != note_sentence(note, 12)
        assert "12" in note_sentence(note, 12)


def test_words_of_older_rows_do_not_break_a_page() -> None:
    assert sentence_for("forgotten").endswith(".")
    assert note_sentence("forgotten", 2) == ""


def test_a_detail_is_one_short_line() -> None:
    failure = Failure(Reason.CORRUPT, "a\n b" * 900)
    assert len(failure.detail) == MAX_DETAIL
    assert "\n" not in failure.detail
