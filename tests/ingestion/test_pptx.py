from pathlib import Path

import pytest

from apps.ingestion.values import BlockKind, ExtractedPart, Reason, Unreadable
from tests.ingestion.files import zip_of
from tests.ingestion.office_files import STRICT, TRANSITIONAL, office
from tests.ingestion.reads import read

SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def box(*lines: str, place: str = "") -> str:
    kind = f"<p:nvSpPr><p:nvPr><p:ph type='{place}'/></p:nvPr></p:nvSpPr>" if place else ""
    paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    return f"<p:sp>{kind}<p:txBody>{paragraphs}</p:txBody></p:sp>"


def group(inner: str) -> str:
    return f"<p:grpSp>{inner}</p:grpSp>"


def grid(*rows: tuple[str, ...]) -> str:
    cells = ["".join(f"<a:tc>{c}</a:tc>" for c in row) for row in rows]
    table = "".join(f"<a:tr>{row}</a:tr>" for row in cells)
    return f"<p:graphicFrame><a:graphic><a:tbl>{table}</a:tbl></a:graphic></p:graphicFrame>"


def cell(text: str) -> str:
    return f"<a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody>"


def show(*slides: str, notes: str = "", more: str = "", names: str = TRANSITIONAL) -> bytes:
    """A presentation whose file names run against the order of the show."""
    p, a = names.format("presentationml", "main"), names.format("drawingml", "main")
    spaces = f'xmlns:p="{p}" xmlns:a="{a}"'
    ids = f'xmlns:r="{names.format("officeDocument", "relationships")}"'
    files = [f"slides/s{len(slides) - n}.xml" for n in range(len(slides))]
    listed = "".join(f'<p:sldId r:id="r{n}"/>' for n in range(1, len(slides) + 1))

    def tree(root: str, shapes: str) -> str:
        return f"<p:{root} {spaces}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{root}>"

    chart = f'xmlns:c="{names.format("drawingml", "chart")}" xmlns:a="{a}"'
    return office(
        "ppt/presentation.xml",
        {
            "ppt/presentation.xml": f"<p:presentation {spaces} {ids}><p:sldIdLst>{listed}"
            "</p:sldIdLst></p:presentation>",
            **{f"ppt/{f}": tree("sld", s) for f, s in zip(files, slides, strict=True)},
            "ppt/notes.xml": tree("notes", notes),
            "ppt/chart.xml": f"<c:chartSpace {chart}>{more}</c:chartSpace>",
            "ppt/comments.xml": f"<p:cmLst {spaces}><p:cm><p:text>a remark</p:text></p:cm></p:cmLst>",
        },
        {
            "ppt/presentation.xml": [f"slide {name}" for name in files],
            f"ppt/{files[0]}": [
                "notesSlide ../notes.xml",
                "chart ../chart.xml",
                "comments ../comments.xml",
            ],
        },
    )


def slides_of(folder: Path, data: bytes) -> list[ExtractedPart]:
    return read(folder, data, SLIDES)[0]


@pytest.mark.parametrize("names", [TRANSITIONAL, STRICT])
def test_all_text_of_a_slide_is_found_and_no_two_boxes_melt(tmp_path: Path, names: str) -> None:
    first = (
        box("plain", "second line")
        + group(box("grouped") + group(box("deep")))
        + grid((cell("name"), cell("price")), (cell("pen"), cell("3")))
        + box("4", place="sldNum")
    )
    data = show(first, box("next"), notes=box("1", place="sldNum") + box("spoken"), names=names)
    parts = slides_of(tmp_path, data)
    assert parts[0].text.split("\n\n") == [
        "plain\nsecond line",
        "grouped",
        "deep",
        "name | price\npen | 3",
        "Notes: spoken",
        "Comment: a remark",
    ]
    assert [part.locator for part in parts] == [
        {"kind": "slide", "slide": 1},
        {"kind": "slide", "slide": 2},
    ]
    assert parts[1].text == "next"
    assert parts[0].blocks[3].kind is BlockKind.ROWS


def test_a_chart_is_a_table_of_its_figures(tmp_path: Path) -> None:
    def points(kind: str, *values: str) -> str:
        inner = "".join(f'<c:pt idx="{n}"><c:v>{v}</c:v></c:pt>' for n, v in enumerate(values))
        return f"<c:{kind}><c:numCache>{inner}</c:numCache></c:{kind}>"

    series = f"<c:ser><c:tx><c:v>Sales</c:v></c:tx>{points('cat', 'Q1', 'Q2')}{points('val', '7', '9')}</c:ser>"
    title = "<c:title><a:p><a:r><a:t>By quarter</a:t></a:r></a:p></c:title>"
    (part,) = slides_of(tmp_path, show(box("x"), more=title + series))
    assert "By quarter\n\n | Sales\nQ1 | 7\nQ2 | 9" in part.text


def test_a_merged_cell_is_said_once(tmp_path: Path) -> None:
    table = grid((cell("wide"), cell("")), (cell("a"), cell("b"))).replace(
        "<a:tc>" + cell(""), "<a:tc hMerge='1'>" + cell("wide")
    )
    (part,) = slides_of(tmp_path, show(table))
    assert part.text.startswith("wide\na | b")


def test_groups_nested_without_end_are_cut_short(tmp_path: Path) -> None:
    inner = box("too deep")
    for _ in range(100):
        inner = group(inner)
    (part,) = slides_of(tmp_path, show(box("seen") + inner))
    assert part.text.startswith("seen\n\nComment")


@pytest.mark.parametrize(
    "content, reason",
    [
        ("<!DOCTYPE d [<!ENTITY a 'ha'>]><d>&a;</d>", Reason.UNSAFE_ARCHIVE),
        ("<broken", Reason.CORRUPT),
    ],
)
def test_a_hostile_or_broken_presentation_is_refused(
    tmp_path: Path, content: str, reason: Reason
) -> None:
    with pytest.raises(Unreadable) as refused:
        slides_of(tmp_path, zip_of({"ppt/presentation.xml": content}))
    assert refused.value.failure.reason is reason
