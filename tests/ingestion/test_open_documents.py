from pathlib import Path

import pytest

from apps.ingestion.chunking import chunk
from apps.ingestion.values import BlockKind, Note, Reason, Unreadable
from tests.ingestion.files import zip_of
from tests.ingestion.office_files import open_document
from tests.ingestion.reads import read

BASE = "application/vnd.oasis.opendocument"
TEXT, SHEETS, SLIDES = f"{BASE}.text", f"{BASE}.spreadsheet", f"{BASE}.presentation"


def p(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}>{p(text) if text else ''}</table:table-cell>"


def row(*cells: str, times: int = 1) -> str:
    return (
        f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'
    )


def sheet(name: str, *rows: str, style: str = "") -> str:
    attributes = f'table:name="{name}" table:style-name="{style}"'
    return f"<table:table {attributes}>{''.join(rows)}</table:table>"


def test_a_text_is_read_in_the_order_of_its_pages(tmp_path: Path) -> None:
    body = (
        "<text:tracked-changes><text:deletion><text:p>deleted</text:p></text:deletion>"
        "</text:tracked-changes>"
        + p("before")
        + '<text:h text:outline-level="1">One</text:h>'
        + p("a<text:s text:c='2'/>b<text:tab/>c<text:line-break/>d<text:span>e</text:span>")
        + p(
            "called<text:note><text:note-citation>1</text:note-citation><text:note-body>"
            + p("note")
            + "</text:note-body></text:note> on<office:annotation><dc:creator>Anna</dc:creator>"
            + p("why")
            + "</office:annotation>"
        )
        + '<text:h text:outline-level="2">Two</text:h>'
        + f"<text:list><text:list-item>{p('first')}<text:list><text:list-item>{p('inner')}"
        f"</text:list-item></text:list></text:list-item></text:list>"
        + p(f"anchor<draw:frame><draw:text-box>{p('boxed')}</draw:text-box></draw:frame>")
        + sheet("t", row(cell("name"), cell("price")), row(cell("pen"), cell("3")))
    )
    masters = (
        f"<style:master-page><style:header>{p('top')}</style:header>"
        f"<style:header-left>{p('top')}</style:header-left></style:master-page>"
    )
    parts, reading = read(tmp_path, open_document("text", body, masters=masters), TEXT)
    assert [part.locator.get("headings") for part in parts] == [[], ["One"], ["One", "Two"], []]
    assert parts[1].text.split("\n\n") == ["One", "a  b\tc\nde", "called on", "note", "[Anna] why"]
    assert parts[2].text.split("\n\n") == [
        "Two",
        "• first",
        "• inner",
        "anchor",
        "boxed",
        "name | price\npen | 3",
    ]
    assert parts[2].blocks[-1].kind is BlockKind.ROWS
    assert (parts[3].locator["place"], parts[3].text) == ("header", "top")
    assert reading.title == "Named"
    assert "deleted" not in "".join(part.text for part in parts)


def test_slides_hold_all_their_boxes_and_marked_notes(tmp_path: Path) -> None:
    group = f"<draw:g><draw:custom-shape>{p('grouped')}</draw:custom-shape></draw:g>"
    frame = f"<draw:frame><draw:text-box>{p('plain')}</draw:text-box></draw:frame>"
    notes = f"<presentation:notes><draw:frame>{p('spoken')}</draw:frame></presentation:notes>"
    table = f"<draw:frame>{sheet('t', row(cell('in table')))}</draw:frame>"
    body = f"<draw:page>{frame}{group}{table}{notes}</draw:page><draw:page>{frame}</draw:page>"
    parts, _ = read(tmp_path, open_document("presentation", body), SLIDES)
    assert parts[0].text.split("\n\n") == ["plain", "grouped", "in table", "Notes: spoken"]
    assert [part.locator["slide"] for part in parts] == [1, 2]


def test_rows_of_a_sheet_keep_their_numbers_and_names(tmp_path: Path) -> None:
    date = "office:value-type='date' office:date-value='2024-02-29'"
    formula = "table:formula='of:=SUM([.A1])' office:value-type='float'"
    remark = f"<office:annotation><dc:creator>Pau</dc:creator>{p('sure?')}</office:annotation>"
    commented = f"<table:table-cell>{remark}{p('00123')}</table:table-cell>"
    body = sheet(
        "Data",
        row(cell("when"), cell("code"), cell("sum")),
        row(cell("29 Feb", date), commented, cell("", formula)),
        row(cell(""), times=600),
        row(cell("later"), cell("", "table:number-columns-repeated='2'"), times=3),
        row(cell("", "table:number-columns-repeated='16384'"), times=1_048_000),
    ) + sheet("Back", row(cell("x", "table:number-columns-repeated='3'")), style="ta1")
    styles = '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>'
    parts, reading = read(tmp_path, open_document("spreadsheet", body, styles=styles), SHEETS)
    assert parts[0].text.splitlines() == [
        "when | code | sum",
        "when: 2024-02-29 | code: 00123 | sum: =SUM([.A1]) (not calculated)",
        "later",
    ]
    (draft,) = chunk(parts[0], number=0, first_ordinal=0)
    assert (draft.locator["sheet"], draft.locator["rows"]) == ("Data", [1, 605])
    assert parts[1].text == "[Pau] sure?"
    assert parts[2].text == "x | x | x\n"
    assert parts[2].locator == {"kind": "rows", "sheet": "Back", "place": "hidden"}
    assert reading.notes == {Note.FORMULAS_NOT_CALCULATED: 1}


def test_a_cell_repeated_beyond_reason_stays_small(tmp_path: Path) -> None:
    wide = cell("bomb", "table:number-columns-repeated='999999'")
    body = sheet("S", row(*[wide] * 200, times=1_000_000))
    (part,) = read(tmp_path, open_document("spreadsheet", body), SHEETS)[0]
    assert len(part.text) < 100_000


@pytest.mark.parametrize("kind", ["text", "spreadsheet", "presentation"])
@pytest.mark.parametrize(
    "members, reason",
    [
        ({"content.xml": "<!DOCTYPE d [<!ENTITY a 'ha'>]><d>&a;</d>"}, Reason.UNSAFE_ARCHIVE),
        ({"content.xml": "<broken"}, Reason.CORRUPT),
        ({"other": ""}, Reason.CORRUPT),
        (
            {"content.xml": "noise", "META-INF/manifest.xml": "<m:encryption-data/>"},
            Reason.ENCRYPTED,
        ),
        ({"content.xml": " " * (9 << 20)}, Reason.UNSAFE_ARCHIVE),
    ],
    ids=["entities", "broken", "empty", "password", "bomb"],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, kind: str, members: dict[str, str], reason: Reason
) -> None:
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, zip_of(members), f"{BASE}.{kind}")
    assert refused.value.failure.reason is reason
