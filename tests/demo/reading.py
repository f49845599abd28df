"""Reads the demo documents by means that share nothing with the code under test."""

import re
import zipfile
from html import unescape
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pypdfium2

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def squeezed(text: str) -> str:
    """Text with line-end hyphens joined and every run of white space as one space."""
    return re.sub(r"\s+", " ", re.sub(r"[\x02\ufffe]\s*", "", text)).strip()


def pdf_pages(content: bytes) -> dict[int, tuple[str, str]]:
    """Physical page number from 1 → (printed label, text)."""
    document = pypdfium2.PdfDocument(content)
    try:
        return {
            index + 1: (document.get_page_label(index), _page_text(document, index))
            for index in range(len(document))
        }
    finally:
        document.close()


def _page_text(document: pypdfium2.PdfDocument, index: int) -> str:
    page = document[index]
    text_page = page.get_textpage()
    text = str(text_page.get_text_bounded())
    text_page.close()
    page.close()
    return text


def sections(path: Path, content: bytes) -> dict[str, str]:
    """Heading → the text under it, up to the next heading of any level."""
    readers = {".docx": _docx_paragraphs, ".html": _html_lines, ".md": _markdown_lines}
    found: dict[str, list[str]] = {}
    heading = ""
    for is_heading, text in readers[path.suffix](content):
        heading = text if is_heading else heading
        found.setdefault(heading, []).append("" if is_heading else text)
    return {name: squeezed(" ".join(lines)) for name, lines in found.items()}


def whole_text(path: Path, content: bytes) -> str:
    """All the text of a document."""
    if path.suffix == ".pdf":
        return squeezed(" ".join(text for _, text in pdf_pages(content).values()))
    if path.suffix == ".txt":
        return squeezed(content.decode())
    return squeezed(" ".join(sections(path, content).values()))


def _docx_paragraphs(content: bytes) -> list[tuple[bool, str]]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        root = ET.fromstring(archive.read("word/document.xml"))
    return [
        (_style(paragraph).startswith("Heading"), _text(paragraph))
        for paragraph in root.iter(f"{_W}p")
    ]


def _style(paragraph: ET.Element) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return "" if style is None else style.attrib[f"{_W}val"]


def _text(paragraph: ET.Element) -> str:
    return "".join(run.text or "" for run in paragraph.iter(f"{_W}t"))


def _html_lines(content: bytes) -> list[tuple[bool, str]]:
    lines = content.decode().splitlines()
    return [
        (line.startswith(("<h2", "<h3")), unescape(re.sub("<[^>]+>", " ", line)).strip())
        for line in lines
    ]


def _markdown_lines(content: bytes) -> list[tuple[bool, str]]:
    lines = content.decode().splitlines()
    return [(line.startswith("##"), line.lstrip("# ")) for line in lines]
