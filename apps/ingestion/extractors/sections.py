"""Blocks gathered below their heading path; one part for each section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from apps.ingestion.values import Block, BlockKind, ExtractedPart, Locator

_MAX_HEADING = 300


class Piece(NamedTuple):
    """A block of a document; `level` is 1 to 9 for headings and 0 for everything else."""

    text: str
    kind: BlockKind = BlockKind.PROSE
    columns: str = ""
    level: int = 0


def part_of(pieces: Iterable[Piece], locator: Locator) -> ExtractedPart:
    """The pieces as one part, joined by empty lines and marked as blocks by their offsets."""
    blocks: list[Block] = []
    texts: list[str] = []
    at = 0
    for piece in pieces:
        blocks.append(Block(at, at + len(piece.text), piece.kind, piece.columns))
        texts.append(piece.text)
        at += len(piece.text) + 2
    return ExtractedPart(locator=locator, text="\n\n".join(texts), blocks=tuple(blocks))


def rows_piece(rows: Iterable[str]) -> Piece:
    """A table whose first row names the columns; empty when no row says anything."""
    filled = [row for row in rows if row.strip(" |")]
    return Piece("\n".join(filled), BlockKind.ROWS, filled[0][:500] if len(filled) > 1 else "")


@dataclass(slots=True)
class Section:
    """The blocks below one heading path, the heading itself first."""

    headings: list[str] = field(default_factory=list)
    place: str = ""
    pieces: list[Piece] = field(default_factory=list)

    def part(self) -> ExtractedPart:
        """The section as a part."""
        locator: Locator = {"kind": "heading", "headings": self.headings}
        if self.place:
            locator["place"] = self.place
        return part_of(self.pieces, locator)


def sections(pieces: Iterable[Piece]) -> Iterator[Section]:
    """The pieces cut before each heading, each section with the path of headings above it."""
    path: list[tuple[int, str]] = []
    section = Section()
    for piece in pieces:
        if piece.level:
            if section.pieces:
                yield section
            title = " ".join(piece.text.split())[:_MAX_HEADING]
            path = [step for step in path if step[0] < piece.level] + [(piece.level, title)]
            section = Section([step[1] for step in path])
        if piece.text.strip():
            section.pieces.append(piece)
    if section.pieces:
        yield section
