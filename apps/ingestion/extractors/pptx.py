"""PowerPoint presentations, slide by slide (ECMA-376 part 1, chapters 19 and 21).

All text of a slide: boxes in groups of groups, tables, charts, diagrams, then the speaker's notes
and comments, marked as such. Text of layouts and masters belongs to no slide. Slides count by their
order in the show, hidden ones included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apps.ingestion.archives import open_archive
from apps.ingestion.extractors.package import Package, relation_id
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.extractors.sections import Piece, part_of, rows_piece
from apps.ingestion.values import ExtractedPart
from apps.ingestion.xml import Element

VERSION = 1

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_SIGNS = {f"{_A}br": "\n", f"{_A}tab": "\t"}
_SEPARATOR = " | "
_MAX_DEPTH = 60
# Numbers, dates and the small picture of the slide on its page of notes.
_FURNITURE = frozenset({"sldNum", "dt", "hdr", "ftr", "sldImg"})
_NUMBER = frozenset({"sldNum"})


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """One part for each slide."""
    with open_archive(reading.source.path, reading.limits) as archive:
        package = Package(archive, "ppt/presentation.xml")
        reading.title = package.title()
        slides = _slides(package)
        for number, part in enumerate(slides, 1):
            pieces = [piece for piece in _slide(package, part) if piece.text.strip(" |\n")]
            yield part_of(pieces, {"kind": "slide", "slide": number})
            reading.on_progress(number, len(slides))


def _slides(package: Package) -> list[str]:
    """The parts of the slides in the order of the show."""
    targets = package.targets(package.main)
    listed = package.root(package.main).iterfind(f"{_P}sldIdLst/{_P}sldId")
    return [targets[key] for node in listed if (key := relation_id(node)) in targets]


def _slide(package: Package, part: str) -> Iterator[Piece]:
    yield from _shapes(package.root(part).iterfind(f"{_P}cSld/{_P}spTree"), _NUMBER)
    for chart in package.related(part, "chart"):
        yield from _chart(package.root(chart))
    for diagram in package.related(part, "diagramData"):
        for point in package.root(diagram).iter(f"{_D}t"):
            yield Piece(_paragraphs(point))
    for notes in package.related(part, "notesSlide"):
        root = package.root(notes)
        yield from _marked("Notes", _shapes(root.iterfind(f"{_P}cSld/{_P}spTree"), _FURNITURE))
    for comments in package.related(part, "comments"):
        yield from _comments(package.root(comments))


def _shapes(nodes: Iterable[Element], left_out: frozenset[str], depth: int = 0) -> Iterator[Piece]:
    """The texts below the nodes in the order of drawing, each shape on its own."""
    for node in nodes:
        if node.tag == f"{_P}sp" and _placeholder(node) not in left_out:
            yield from (Piece(_paragraphs(body)) for body in node.iterchildren(f"{_P}txBody"))
        elif node.tag == f"{_P}graphicFrame":
            for table in node.iter(f"{_A}tbl"):
                yield rows_piece(_row(row) for row in table.iterchildren(f"{_A}tr"))
        elif node.tag == _CHOICE and len(node):
            yield from _shapes(node[0], left_out, depth + 1)
        elif node.tag in {f"{_P}grpSp", f"{_P}spTree"} and depth < _MAX_DEPTH:
            yield from _shapes(node, left_out, depth + 1)


def _placeholder(shape: Element) -> str:
    place = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return "" if place is None else place.get("type", "")


def _row(row: Element) -> str:
    """The cells of a row; a merged cell has its text once."""
    merged = ("hMerge", "vMerge")
    cells = [
        cell
        for cell in row.iterchildren(f"{_A}tc")
        if not any(cell.get(name) in {"1", "true"} for name in merged)
    ]
    return _SEPARATOR.join(" ".join(_paragraphs(cell).split()) for cell in cells)


def _paragraphs(node: Element) -> str:
    lines = (_line(paragraph) for paragraph in node.iter(f"{_A}p"))
    return "\n".join(line for line in lines if line.strip())


def _line(paragraph: Element) -> str:
    nodes = paragraph.iter(f"{_A}t", *_SIGNS)
    return "".join(_SIGNS.get(str(node.tag)) or node.text or "" for node in nodes)


def _chart(root: Element) -> Iterator[Piece]:
    """A chart's titles, then its figures as a table: a row for each category."""
    for title in root.iter(f"{_C}title"):
        yield Piece(_paragraphs(title))
    series = list(root.iter(f"{_C}ser"))
    names = [" ".join(node.findtext(f"{_C}tx//{_C}v", "").split()) for node in series]
    figures = [_points(node, ("val", "yVal")) for node in series]
    places: dict[str, str] = {}
    for node in series:
        places |= _points(node, ("cat", "xVal"))
    keys = list(dict.fromkeys([*places, *(key for column in figures for key in column)]))
    rows = [[places.get(key, ""), *(column.get(key, "") for column in figures)] for key in keys]
    if rows:
        yield rows_piece(_SEPARATOR.join(row) for row in [["", *names], *rows])


def _points(series: Element, kinds: tuple[str, ...]) -> dict[str, str]:
    """The stored values of a series by their index."""
    return {
        point.get("idx", ""): " ".join((point.findtext(f"{_C}v") or "").split())
        for kind in kinds
        for point in series.iterfind(f"{_C}{kind}//{_C}pt")
    }


def _comments(root: Element) -> Iterator[Piece]:
    """Comments of both generations: a text element, or paragraphs."""
    for node in root:
        text = _paragraphs(node) or (node.findtext(f"{_P}text") or "")
        yield from _marked("Comment", [Piece(text)])


def _marked(word: str, pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        if piece.text.strip():
            yield piece._replace(text=f"{word}: {piece.text}", columns="")
