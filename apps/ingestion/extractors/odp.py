"""Presentations of LibreOffice and others, slide by slide, notes and comments marked."""

from __future__ import annotations

from collections.abc import Iterator

from apps.ingestion.extractors.odf import DRAW, PRESENTATION, blocks, open_document
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sections import Piece, part_of
from apps.ingestion.values import ExtractedPart
from apps.ingestion.xml import Element, outermost

VERSION = 1

_PAGE = frozenset({f"{DRAW}page"})


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """One part for each slide, all texts of it one below the other."""
    with open_document(reading) as archive, archive.open("content.xml") as stream:
        for number, page in enumerate(outermost(stream, _PAGE), 1):
            pieces = [piece for piece in _slide(page) if piece.text.strip(" |\n")]
            yield part_of(pieces, {"kind": "slide", "slide": number})


def _slide(page: Element) -> Iterator[Piece]:
    yield from blocks(page)
    for notes in page.iterchildren(f"{PRESENTATION}notes"):
        for piece in blocks(notes):
            if piece.text.strip():
                yield piece._replace(text=f"Notes: {piece.text}", columns="")
