from pathlib import Path

import pytest

from apps.ingestion.chunking import chunk
from apps.ingestion.extractors.numberformats import built_in_format, format_of, shown
from apps.ingestion.extractors.sheets import is_figure
from apps.ingestion.values import ExtractedPart, Note, Reason, Unreadable
from tests.ingestion.files import zip_of
from tests.ingestion.office_files import STRICT, TRANSITIONAL, cells, workbook
from tests.ingestion.reads import read, text_of

EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv"
FORMATS = (
    "<numFmts><numFmt numFmtId='164' formatCode='00000'/></numFmts>"
    "<cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='164'/></cellXfs>"
)


def sheet(folder: Path, rows: str, **more: object) -> list[ExtractedPart]:
    return read(folder, workbook({"Data": rows}, **more), EXCEL)[0]  # type: ignore[arg-type]


def test_a_row_says_what_its_figures_are(tmp_path: Path) -> None:
    rows = (
        cells(1, "Merged title")
        + cells(2, "when", "code", "amount")
        + cells(3, "<c s='1'><v>45351</v></c>", "<c t='s'><v>0</v></c>", 1234.5)
        + cells(4, "<c s='1'><v>45352</v></c>", "<c s='2'><v>77</v></c>", 0.1)
    )
    part = sheet(tmp_path, rows, styles=FORMATS, texts="<si><r><t>00</t></r><r><t>123</t></r></si>")
    assert part[0].text.splitlines() == [
        "Merged title",
        "when | code | amount",
        "when: 2024-02-29 | code: 00123 | amount: 1234.5",
        "when: 2024-03-01 | code: 00077 | amount: 0.1",
    ]
    assert part[0].locator == {"kind": "rows", "sheet": "Data", "columns": "when | code | amount"}


def test_formats_far_away_make_no_rows_and_a_gap_hides_none(tmp_path: Path) -> None:
    empty = "".join(f"<row r='{n}'><c s='1'/></row>" for n in range(3, 603))
    rows = (
        cells(1, "name", "size")
        + cells(2, "a", 1)
        + empty
        + cells(603, "b", 2)
        + '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
    )
    (part,) = sheet(tmp_path, rows)
    assert part.text.splitlines()[1:] == ["name: a | size: 1", "name: b | size: 2"]
    (draft,) = chunk(part, number=0, first_ordinal=0)
    assert draft.locator["rows"] == [1, 603]


def test_a_formula_shows_its_result_or_itself(tmp_path: Path) -> None:
    rows = cells(1, "<c><f>1+1</f><v>2</v></c>", "<c><f>SUM(A1:A1)</f><v></v></c>")
    parts, reading = read(tmp_path, workbook({"Data": rows}), EXCEL)
    assert text_of(parts) == "2 | =SUM(A1:A1) (not calculated)\n"
    assert reading.notes == {Note.FORMULAS_NOT_CALCULATED: 1}


def test_hidden_sheets_are_read_and_named_so(tmp_path: Path) -> None:
    data = workbook({"Shown": cells(1, "x"), "Back": cells(1, "hidden word")}, hidden=["Back"])
    parts, _ = read(tmp_path, data, EXCEL)
    assert [(p.locator["sheet"], p.locator.get("place")) for p in parts] == [
        ("Shown", None),
        ("Back", "hidden"),
    ]
    assert parts[1].text == "hidden word\n"


def test_a_second_table_has_names_of_its_own(tmp_path: Path) -> None:
    rows = (
        cells(1, "name", "size")
        + cells(2, "a", 1)
        + cells(3, "only", "words")
        + cells(6, "city", "people")
        + cells(7, "Vic", 47_000)
    )
    parts = sheet(tmp_path, rows)
    assert [part.locator["columns"] for part in parts] == ["name | size", "city | people"]
    assert parts[0].text.splitlines()[-1] == "name: only | size: words"
    assert parts[1].text.splitlines()[-1] == "city: Vic | people: 47000"


def test_a_very_long_sheet_comes_in_several_parts_with_the_same_names(tmp_path: Path) -> None:
    word = "w" * 300
    rows = cells(1, "name", "size") + "".join(cells(n, word, n) for n in range(2, 3000))
    parts = sheet(tmp_path, rows)
    assert len(parts) > 1
    assert {part.locator["columns"] for part in parts} == {"name | size"}
    assert sum(part.text.count("\n") for part in parts) == 2999


def test_the_strict_variant_and_comments_are_read(tmp_path: Path) -> None:
    note = "<commentList><comment ref='B2'><text><t>why so\nmany</t></text></comment></commentList>"
    for names in (STRICT, TRANSITIONAL):
        parts = sheet(tmp_path, cells(1, "a", 1), names=names, comments=note)
        assert text_of(parts) == "a | 1\n\n\nB2: why so many\n\n"
    (draft,) = chunk(parts[1], number=0, first_ordinal=0)
    assert draft.locator["rows"] == [2, 2]


@pytest.mark.parametrize(
    "number, code, text",
    [
        (45351, "dd/mm/yyyy", "2024-02-29"),
        (45351.5, "m/d/yy h:mm", "2024-02-29 12:00"),
        (0.5, "[$-409]h:mm AM/PM", "12:00"),
        (1.5, "[h]:mm", "36:00:00"),
        (60, "yyyy-mm-dd", "1900-02-29"),
        (1, "d.m.yy", "1900-01-01"),
        (-1, "yyyy", "-1"),
        (1e300, "yyyy", "1e+300"),
        (7, "0000", "0007"),
        (7, '"INV-"0000', "INV-0007"),
        (0.125, "0%", "12.5%"),
        (0.1 + 0.2, "General", "0.3"),
        (12345678901234, "0", "12345678901234"),
        (3.5, '0.0 "days"', "3.5"),
        (5, "[Red]#,##0", "5"),
    ],
)
def test_numbers_are_shown_as_they_are_meant(number: float, code: str, text: str) -> None:
    assert shown(number, format_of(code)) == text


def test_the_second_calendar_begins_in_1904() -> None:
    assert shown(0, built_in_format(14), from_1904=True) == "1904-01-01"
    assert shown(1.25, built_in_format(22), from_1904=True) == "1904-01-02 06:00"


@pytest.mark.parametrize(
    "text, expected",
    [("1,234.50", True), ("12 €", True), ("2024-02-29", True), ("(3.5)", True), ("v2", False)],
)
def test_figures_are_told_from_words(text: str, *, expected: bool) -> None:
    assert is_figure(text) is expected


def test_a_document_type_in_a_sheet_is_refused(tmp_path: Path) -> None:
    laughs = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><workbook>&b;</workbook>'
    data = zip_of({"xl/workbook.xml": laughs})
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, data, EXCEL)
    assert refused.value.failure.reason is Reason.UNSAFE_ARCHIVE


@pytest.mark.parametrize("members", [{"a": "b"}, {"xl/workbook.xml": "<x>"}])
def test_a_broken_workbook_is_damage(tmp_path: Path, members: dict[str, str]) -> None:
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, zip_of(members), EXCEL)
    assert refused.value.failure.reason is Reason.CORRUPT


@pytest.mark.parametrize(
    "data, lines",
    [
        ("\ufeffname,city\nZoë,Århus\n", ["name | city", "name: Zoë | city: Århus"]),
        ("a;b\n1,5;2,3\n", ["a | b", "a: 1,5 | b: 2,3"]),
        ("sep=|\nx|y\n1|2\n", ["x | y", "x: 1 | y: 2"]),
        ("n\tt\n1\t00123\n", ["n | t", "n: 1 | t: 00123"]),
        ('n,t\n1,"two\nlines, one cell"\n', ["n | t", "n: 1 | t: two lines, one cell"]),
        ("just words\nand more\n", ["just words", "and more"]),
        (
            'n,t\n1,"never closed\n' + "x" * 200_000,
            ["n | t", 'n: 1 | t: "never closed', "n: " + "x" * 200_000],
        ),
    ],
)
def test_delimited_rows_are_read_whatever_divides_them(
    tmp_path: Path, data: str, lines: list[str]
) -> None:
    parts, _ = read(tmp_path, data.encode(), CSV)
    assert text_of(parts).splitlines() == lines


def test_rows_of_a_delimited_file_are_counted_as_a_spreadsheet_would(tmp_path: Path) -> None:
    (part,) = read(tmp_path, b'n,t\n\n1,"a\nb"\n2,c\n', CSV)[0]
    assert part.scale is not None
    assert [mark.first for mark in part.scale.marks] == [1, 3, 4]
    assert "sheet" not in part.locator
