from collections.abc import Mapping
from pathlib import Path

import pytest

from apps.ingestion.values import Reason, Unreadable
from tests.ingestion.files import zip_of
from tests.ingestion.reads import read

EPUB = "application/epub+zip"
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
)
NAV = (
    "<html xmlns:epub='x'><body><nav epub:type='toc'><a href='text/b.xhtml#x'>Second</a>"
    "<a href='text/a%20a.xhtml'>Chapter 1: Seas</a></nav></body></html>"
)
NCX = (
    "<!DOCTYPE ncx PUBLIC '-//NISO//DTD ncx 2005-1//EN' 'http://x/ncx.dtd'><ncx><navMap><navPoint>"
    "<navLabel><text>From the NCX</text></navLabel><content src='text/c.xhtml'/></navPoint>"
    "</navMap></ncx>"
)


def page(body: str) -> str:
    return (
        f"<?xml version='1.0'?><!DOCTYPE html><html><head><title/></head><body>{body}</body></html>"
    )


def book(chapters: Mapping[str, str], extra: Mapping[str, str] | None = None) -> bytes:
    """A book; chapters by their file name, in the order of the spine."""
    items = "".join(
        f'<item id="c{n}" href="text/{name.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/'
        'elements/1.1/"><dc:title>The Book</dc:title></metadata><manifest><item id="nav" href="nav'
        '.xhtml" properties="nav" media-type="application/xhtml+xml"/><item id="ncx" href="toc.ncx"'
        f'/>{items}</manifest><spine toc="ncx">{spine}</spine></package>'
    )
    files = {f"OPS/text/{name}": text for name, text in chapters.items()}
    return zip_of(
        {
            "mimetype": EPUB,
            "META-INF/container.xml": CONTAINER,
            "OPS/book.opf": opf,
            "OPS/nav.xhtml": NAV,
            "OPS/toc.ncx": NCX,
            **files,
            **(extra or {}),
        }
    )


def test_chapters_come_in_the_order_of_the_spine_below_their_titles(tmp_path: Path) -> None:
    chapters = {
        "b.xhtml": page("<p>no heading<br/>at all</p>"),
        "a a.xhtml": page("<h1>Chapter 1</h1><p>sea</p><h2>Tides</h2><p>moon</p>"),
        "c.xhtml": page("<script src='x'/><h3>Detail</h3><p>fine</p>"),
    }
    parts, reading = read(tmp_path, book(chapters), EPUB)
    assert [part.locator["headings"] for part in parts] == [
        ["Second"],
        ["Chapter 1"],
        ["Chapter 1", "Tides"],
        ["From the NCX", "Detail"],
    ]
    assert parts[0].text == "no heading\nat all"
    assert parts[3].text == "Detail\n\nfine"
    assert reading.title == "The Book"


def locked(name: str) -> dict[str, str]:
    reference = f"<CipherReference URI='{name}'/>"
    return {
        "META-INF/encryption.xml": f"<encryption><CipherData>{reference}</CipherData></encryption>"
    }


def test_scrambled_fonts_are_no_lock(tmp_path: Path) -> None:
    data = book({"b.xhtml": page("<p>x</p>")}, locked("OPS/font.otf"))
    assert [part.text for part in read(tmp_path, data, EPUB)[0]] == ["x"]


ENTITY = "<!DOCTYPE html [<!ENTITY a 'ha'>]>"


@pytest.mark.parametrize(
    "data, reason",
    [
        (book({"b.xhtml": page("x")}, locked("OPS/text/b.xhtml")), Reason.ENCRYPTED),
        (book({"b.xhtml": ENTITY + page("&a;")}), Reason.UNSAFE_ARCHIVE),
        (book({"b.xhtml": page("x")}, {"OPS/book.opf": ENTITY + "<x/>"}), Reason.UNSAFE_ARCHIVE),
        (book({"b.xhtml": "<p>" + " " * (9 << 20)}), Reason.UNSAFE_ARCHIVE),
        (book({}), Reason.CORRUPT),
        (zip_of({"mimetype": EPUB}), Reason.CORRUPT),
        (zip_of({"META-INF/container.xml": "<container/>"}), Reason.CORRUPT),
    ],
    ids=["locked", "entities", "entities in the package", "bomb", "empty", "bare", "no root"],
)
def test_a_book_that_cannot_be_read_says_why(tmp_path: Path, data: bytes, reason: Reason) -> None:
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, data, EPUB)
    assert refused.value.failure.reason is reason
