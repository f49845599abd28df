"""Plain text, source code and RST: the file as it is, cited by its lines."""

from __future__ import annotations

from collections.abc import Iterator

from apps.ingestion.decoding import decode_text
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.sniffing import SOURCE_CODE
from apps.ingestion.values import Block, BlockKind, ExtractedPart, Note

VERSION = 1


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """The whole file as one part; code is only ever cut at line ends."""
    decoded = decode_text(reading.read_bytes())
    if decoded.replaced:
        reading.notes[Note.CHARACTERS_REPLACED] += decoded.replaced
    text = decoded.text
    yield ExtractedPart(
        locator={"kind": "lines"},
        text=text,
        blocks=_blocks(text, reading.source.media_type),
        first_line=1,
    )


def _blocks(text: str, media_type: str) -> tuple[Block, ...]:
    if media_type == SOURCE_CODE:
        return (Block(0, len(text), BlockKind.CODE),)
    return ()
