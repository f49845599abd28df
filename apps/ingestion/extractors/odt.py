"""Text documents of LibreOffice and others: the sections of the body, then headers and footers."""

from __future__ import annotations

from collections.abc import Iterator

from apps.ingestion.archives import SafeArchive
from apps.ingestion.extractors.odf import OFFICE, STYLE, blocks, open_document
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sections import Section, sections
from apps.ingestion.values import ExtractedPart
from apps.ingestion.xml import Element, children_of, parse_xml

VERSION = 1


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """One part for each heading section, then one each for headers and footers."""
    with open_document(reading) as archive:
        with archive.open("content.xml") as stream:
            body = children_of(stream, f"{OFFICE}text")
            for section in sections(piece for block in body for piece in blocks([block])):
                yield section.part()
        yield from _margins(archive)


def _margins(archive: SafeArchive) -> Iterator[ExtractedPart]:
    """Headers and footers of all page styles; first and left pages repeat the others."""
    pages = _page_styles(archive)
    for place in ("header", "footer"):
        tags = [f"{STYLE}{place}{variant}" for variant in ("", "-left", "-first")]
        found = [piece for page in pages for node in page.iter(*tags) for piece in blocks(node)]
        pieces = [piece._replace(level=0) for piece in found if piece.text.strip()]
        if pieces:
            yield Section(place=place, pieces=list(dict.fromkeys(pieces))).part()


def _page_styles(archive: SafeArchive) -> list[Element]:
    if "styles.xml" not in archive:
        return []
    return list(parse_xml(archive.read("styles.xml")).iter(f"{STYLE}master-page"))
