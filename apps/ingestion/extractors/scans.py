"""Pages that are pictures: recognised one by one, and what goes wrong counted by name."""

from __future__ import annotations

from collections.abc import Callable

from apps.ingestion.extractors import ocr
from apps.ingestion.extractors.layout import Placed
from apps.ingestion.extractors.pictures import Picture, PictureError
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.values import Note

_NOTES: dict[type[Exception], Note] = {
    ocr.UnclearError: Note.PAGES_UNCLEAR,
    ocr.TooSlowError: Note.PAGES_TOO_SLOW,
    ocr.NotInstalledError: Note.PAGES_NOT_RECOGNISED,
    ocr.RecognitionError: Note.PAGES_FAILED,
    PictureError: Note.PAGES_FAILED,
}


def read_scan(reading: Reading, draw: Callable[[], Picture]) -> Placed | None:
    """The text of the page that `draw` draws; None, and a note, when it cannot be read.

    Nothing is drawn without a language to read it in, nor after several pages took too long: the
    next ones would too.
    """
    if not reading.recognition.languages:
        reading.notes[Note.PAGES_NOT_RECOGNISED] += 1
        return None
    if reading.notes[Note.PAGES_TOO_SLOW] >= reading.limits.max_slow_pages:
        reading.notes[Note.PAGES_TOO_SLOW] += 1
        return None
    if missing := len(reading.recognition.missing):
        reading.notes[Note.LANGUAGES_NOT_INSTALLED] = missing
    reading.on_recognising()
    try:
        placed = ocr.recognise(
            draw(), reading.recognition.languages, reading.limits.recognise_seconds
        )
    except tuple(_NOTES) as fault:
        reading.notes[_NOTES[type(fault)]] += 1
        return None
    if placed is None or not any(map(str.isalnum, placed.text)):
        reading.notes[Note.PAGES_WITHOUT_TEXT] += 1
        return None
    return placed
