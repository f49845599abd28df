"""Runs an extractor in this process, for tests of the extractors themselves."""

from pathlib import Path

from apps.ingestion.extractors.reading import Reading, SourceFile
from apps.ingestion.extractors.registry import reader_for
from apps.ingestion.values import ExtractedPart, Limits


def read(
    folder: Path,
    data: bytes,
    media_type: str,
    *,
    charset: str = "",
    is_web_page: bool = False,
    limits: Limits | None = None,
) -> tuple[list[ExtractedPart], Reading]:
    """All parts of a file with this content, and what else was found."""
    path = folder / "source"
    path.write_bytes(data)
    reading = Reading(SourceFile(str(path), media_type, charset, is_web_page), limits or Limits())
    reader = reader_for(media_type)
    assert reader is not None
    return list(reader.extract(reading)), reading


def text_of(parts: list[ExtractedPart]) -> str:
    """The texts of all parts."""
    return "\n\n".join(part.text for part in parts)
