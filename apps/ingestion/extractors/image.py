"""Images: one part per frame, its text recognised."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from apps.ingestion.extractors.pictures import ImageFile
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.scans import read_scan
from apps.ingestion.values import ExtractedPart, Locator, Reason, Unreadable

VERSION = 1


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """The frames with text, in order."""
    with closing(ImageFile(reading.source.path, reading.limits)) as image:
        total = len(image)
        if total > reading.limits.max_pages:
            raise Unreadable(Reason.TOO_LARGE, f"{total} images")
        reading.page_count = total
        for frame in range(reading.source.skip_until, total):
            reading.on_progress(frame, total)
            part = _frame(image, frame, reading)
            if part is not None:
                yield part
        reading.on_progress(total, total)


def _frame(image: ImageFile, frame: int, reading: Reading) -> ExtractedPart | None:
    placed = read_scan(reading, lambda: image.picture(frame))
    if placed is None:
        return None
    locator: Locator = {"kind": "frame", "frame": frame + 1, "frames": len(image)}
    return ExtractedPart(locator=locator, text=placed.text, lines=placed.lines)
