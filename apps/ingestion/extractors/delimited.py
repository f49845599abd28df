"""Comma-, semicolon- and tab-separated files: rows as a spreadsheet would show them (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from apps.ingestion.decoding import decode_text
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sheets import Cell, Row, is_figure, one_line, sheet_parts
from apps.ingestion.values import ExtractedPart, Note

VERSION = 1

_DELIMITERS = ",;\t|"
_SAMPLE_CHARACTERS = 20_000
_SAMPLE_ROWS = 50


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """The rows of the file, counted as a spreadsheet counts them."""
    decoded = decode_text(reading.read_bytes())
    if decoded.replaced:
        reading.notes[Note.CHARACTERS_REPLACED] += decoded.replaced
    yield from sheet_parts(_rows(decoded.text), {"kind": "rows"})


def _rows(text: str) -> Iterator[Row]:
    delimiter = _declared(text) or _likeliest(text)
    for number, record in enumerate(_records(text, delimiter), 1):
        if number == 1 and _declared(text):
            continue
        texts = [one_line(value) for value in record]
        cells = tuple(
            Cell(column, value, is_figure(value)) for column, value in enumerate(texts, 1) if value
        )
        yield Row(number, number, cells)


def _declared(text: str) -> str:
    """The delimiter that Excel's own first line "sep=;" names, or nothing."""
    first = text[:8].split("\n", maxsplit=1)[0].strip("\r")
    return first[4] if first.startswith("sep=") and len(first) == 5 else ""


def _likeliest(text: str) -> str:
    """The delimiter under which most of the first rows have the same number of cells."""
    sample = text[:_SAMPLE_CHARACTERS]
    return max(_DELIMITERS, key=lambda delimiter: _agreement(sample, delimiter))


def _agreement(sample: str, delimiter: str) -> tuple[float, int]:
    try:
        widths = [len(r) for r in islice(_reader(sample, delimiter), _SAMPLE_ROWS) if r]
    except csv.Error:
        return 0.0, 0
    width, times = Counter(widths).most_common(1)[0] if widths else (0, 0)
    return (times / len(widths), width) if width > 1 else (0.0, 0)


def _reader(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _records(text: str, delimiter: str) -> Iterator[Sequence[str]]:
    """The records; quotes mean nothing in a file where one is never closed."""
    try:
        for _ in _reader(text, delimiter):
            pass
    except csv.Error:
        return (line.rstrip("\r\n").split(delimiter) for line in io.StringIO(text, newline=""))
    return _reader(text, delimiter)
