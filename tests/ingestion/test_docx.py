import io
import zipfile
from pathlib import Path

import pytest

from apps.ingestion.values import BlockKind, Reason, Unreadable
from tests.ingestion.files import docx, paragraph, styled, table, zip_of
from tests.ingestion.reads import read, text_of

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
STYLES = (
    "<w:style w:styleId='Ttulo1'><w:name w:val='heading 1'/></w:style>"
    "<w:style w:styleId='H2'><w:name w:val='heading 2'/></w:style>"
    "<w:style w:styleId='Mine'><w:name w:val='Mine'/><w:basedOn w:val='H2'/></w:style>"
)
BOX = (
    "<w:p><w:r><w:t>anchor</w:t><mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/"
    "markup-compatibility/2006'><mc:Choice><w:drawing><w:txbxContent>%s</w:txbxContent></w:drawing>"
    "</mc:Choice><mc:Fallback><w:pict><w:txbxContent>%s</w:txbxContent></w:pict></mc:Fallback>"
    "</mc:AlternateContent></w:r></w:p>"
)


def words(tmp_path: Path, data: bytes) -> str:
    return text_of(read(tmp_path, data, WORD)[0])


def test_everything_a_reader_of_the_page_sees_is_read_in_order(tmp_path: Path) -> None:
    inner = table([paragraph("nested")]) + paragraph("")
    body = (
        paragraph("first")
        + table([paragraph("cell"), inner])
        + BOX % (paragraph("box"), paragraph("box"))
        + "<w:p><w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>"
        "<w:p><w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>"
        "<w:p><w:r><w:t>noted</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
        "<w:sdt><w:sdtContent>" + paragraph("control") + "</w:sdtContent></w:sdt>"
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
    )
    data = docx(
        body,
        {
            "header1": paragraph("head"),
            "header2": paragraph("head"),
            "footer1": paragraph("foot"),
            "footnotes": "<w:footnote w:type='separator' w:id='0'>"
            + paragraph("rule")
            + "</w:footnote><w:footnote w:id='2'>"
            + paragraph("note")
            + "</w:footnote>",
        },
    )
    found = words(tmp_path, data).split()
    assert found == (
        [
            "first",
            "cell",
            "|",
            "nested",
            "anchor",
            "box",
            "inserted",
            "link",
            "noted",
            "note",
            "control",
            "head",
            "foot",
        ]
    )


def test_sections_follow_the_headings_in_whatever_language_word_speaks(tmp_path: Path) -> None:
    body = (
        paragraph("before")
        + styled("Capítol", "Ttulo1")
        + paragraph("a")
        + styled("Part", "Mine")
        + paragraph("b")
        + styled("Next", "Ttulo1")
    )
    parts, _ = read(tmp_path, docx(body, {"styles": STYLES}), WORD)
    assert [part.locator["headings"] for part in parts] == [
        [],
        ["Capítol"],
        ["Capítol", "Part"],
        ["Next"],
    ]
    assert parts[2].text == "Part\n\nb"
    assert [parts[2].text[b.start : b.end] for b in parts[2].blocks] == ["Part", "b"]


def test_clause_numbers_are_read_as_printed(tmp_path: Path) -> None:
    numbering = (
        "<w:abstractNum w:abstractNumId='7'>"
        "<w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>"
        "<w:lvl w:ilvl='1'><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl>"
        "<w:lvl w:ilvl='2'><w:numFmt w:val='bullet'/><w:lvlText w:val='x'/></w:lvl>"
        "</w:abstractNum><w:num w:numId='3'><w:abstractNumId w:val='7'/></w:num>"
    )

    def item(text: str, level: int) -> str:
        member = f"<w:pPr><w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='3'/></w:numPr></w:pPr>"
        return paragraph(text, member)

    body = item("one", 0) + item("a", 1) + item("b", 1) + item("dot", 2) + item("two", 0)
    body += item("a", 1)
    found = words(tmp_path, docx(body, {"numbering": numbering})).split("\n\n")
    assert found == ["1. one", "1.a) a", "1.b) b", "• dot", "2. two", "2.a) a"]


def test_a_table_is_rows_with_its_first_row_as_header(tmp_path: Path) -> None:
    cells = [[paragraph(cell) for cell in row] for row in (("name", "price"), ("pen", "3"))]
    parts, _ = read(tmp_path, docx(table(*cells)), WORD)
    block = parts[0].blocks[0]
    assert (block.kind, block.columns) == (BlockKind.ROWS, "name | price")
    assert parts[0].text == "name | price\npen | 3"


def test_a_document_type_is_refused_before_any_entity(tmp_path: Path) -> None:
    laughs = (
        "<!DOCTYPE d [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]>"
        "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
        "<w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>"
    )
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, docx("", extra={"word/document.xml": laughs.encode()}), WORD)
    assert refused.value.failure.reason is Reason.UNSAFE_ARCHIVE


@pytest.mark.parametrize("broken", ["<w:p>", "no xml", ""])
def test_a_broken_main_part_is_damage(tmp_path: Path, broken: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, docx("", extra={"word/document.xml": broken.encode()}), WORD)
    assert refused.value.failure.reason is Reason.CORRUPT


def test_names_that_climb_out_of_the_archive_are_only_names(tmp_path: Path) -> None:
    climbing = {"../../evil.txt": b"x", "/abs.txt": b"x"}
    assert words(tmp_path, docx(paragraph("harmless body"), extra=climbing)) == "harmless body"
    assert [entry.name for entry in tmp_path.iterdir()] == ["source"]


def test_a_comment_stands_below_its_paragraph_with_its_author(tmp_path: Path) -> None:
    body = "<w:p><w:r><w:t>clause</w:t></w:r><w:r><w:commentReference w:id='1'/></w:r></w:p>"
    comment = f"<w:comment w:id='1' w:author='Anna'>{paragraph('why')}{paragraph('so')}</w:comment>"
    data = docx(body + paragraph("next"), {"comments": comment})
    assert words(tmp_path, data).split("\n\n") == ["clause", "[Anna] why", "so", "next"]


def test_the_strict_variant_is_read_like_the_usual_one(tmp_path: Path) -> None:
    usual = docx(styled("Títol", "Ttulo1") + paragraph("x" * 200_000), {"styles": STYLES})
    with zipfile.ZipFile(io.BytesIO(usual)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    old = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    new = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
    strict = zip_of({name: data.replace(old, new) for name, data in members.items()})
    assert members["word/document.xml"].count(old) == 1
    parts, _ = read(tmp_path, strict, WORD)
    assert parts == read(tmp_path, usual, WORD)[0]
    assert parts[0].locator["headings"] == ["Títol"]
