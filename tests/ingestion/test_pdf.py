import io
import zlib
from pathlib import Path

import pypdf
import pytest

from apps.ingestion.extractors.pdf import needs_repair
from apps.ingestion.values import ExtractedPart, Limits, Note, Reason, Unreadable
from tests.ingestion.files import PICTURE, PdfWriter, column, pdf, scanned_pdf, text_at
from tests.ingestion.reads import read, text_of

PDF = "application/pdf"


def parts_of(tmp_path: Path, data: bytes) -> list[ExtractedPart]:
    return read(tmp_path, data, PDF)[0]


def test_each_page_is_a_part_with_its_number_and_printed_label(tmp_path: Path) -> None:
    labels = b"/PageLabels<</Nums[0<</S/r>>2<</S/D/St 1>>]>>"
    pages = [text_at(text) for text in ("preface", "more preface", "first", "second")]
    parts = parts_of(tmp_path, pdf(pages, catalog_extra=labels))
    assert [(p.locator["page"], p.locator.get("label")) for p in parts] == [
        (1, "i"),
        (2, "ii"),
        (3, "1"),
        (4, "2"),
    ]


def test_lines_carry_their_offsets_and_boxes_from_the_top_left(tmp_path: Path) -> None:
    (part,) = parts_of(tmp_path, pdf([column(["upper line", "lower line"], x=61.2, y=712.8)]))
    upper, lower = part.lines
    assert part.text[upper.start : upper.end] == "upper line"
    assert part.text[lower.start : lower.end] == "lower line"
    assert upper.x0 == pytest.approx(0.1, abs=0.005)
    assert upper.y1 == pytest.approx(0.1, abs=0.01)
    assert upper.y0 < upper.y1 <= lower.y1
    assert 0 < upper.x1 < 0.3


@pytest.mark.parametrize(
    "extra, box",
    [
        (b"/Rotate 90", (0.1, 0.1)),
        (b"/Rotate 180", (0.9, 0.9)),
        (b"/CropBox[61.2 0 612 712.8]", (0.0, 0.0)),
    ],
)
def test_boxes_are_those_of_the_page_as_displayed(
    tmp_path: Path, extra: bytes, box: tuple[float, float]
) -> None:
    if extra == b"/Rotate 90":
        drawing = text_at("word", x=61.2, y=79.2)
    else:
        drawing = text_at("word", x=61.2, y=712.8)
    (part,) = parts_of(tmp_path, pdf([drawing], page_extra=extra))
    line = part.lines[0]
    nearest = (
        (min(line.x0, line.x1, key=lambda x: abs(x - box[0]))),
        (min(line.y0, line.y1, key=lambda y: abs(y - box[1]))),
    )
    assert nearest == pytest.approx(box, abs=0.02)


def test_ligatures_and_line_end_hyphens_read_as_shown(tmp_path: Path) -> None:
    lines = b"".join(
        b"BT /F1 12 Tf 72 %d Td (%s) Tj ET\n" % (700 - 14 * n, line)
        for n, line in enumerate([b"The o\x01ce is small, know-", b"ledge is not."])
    )
    (part,) = parts_of(tmp_path, pdf([lines], mapping={1: "ffi"}))
    assert part.text == "The office is small, know-\nledge is not."
    assert [part.text[line.start : line.end] for line in part.lines] == part.text.split("\n")


def test_characters_beyond_the_basic_plane_stay_whole(tmp_path: Path) -> None:
    drawing = (
        b"BT /F1 12 Tf 72 700 Td (before \x01 after) Tj ET BT /F1 12 Tf 72 680 Td (next) Tj ET"
    )
    (part,) = parts_of(tmp_path, pdf([drawing], mapping={1: "\U0001d400"}))
    assert part.text == "before \U0001d400 after\nnext"
    assert part.text[part.lines[1].start : part.lines[1].end] == "next"


def test_right_to_left_words_are_in_logical_order(tmp_path: Path) -> None:
    mapping = {1: "\u05dd", 2: "\u05d5", 3: "\u05dc", 4: "\u05e9"}
    drawing = b"BT /F1 12 Tf 72 700 Td (greeting \x01\x02\x03\x04 end) Tj ET"
    (part,) = parts_of(tmp_path, pdf([drawing], mapping=mapping))
    assert part.text == "greeting \u05e9\u05dc\u05d5\u05dd end"


@pytest.mark.parametrize("damage", [{"startxref_error": -37}, {"tail": b"%%EOF\n" + bytes(2048)}])
def test_a_damaged_tail_is_repaired_and_noted(tmp_path: Path, damage: dict[str, object]) -> None:
    parts, reading = read(tmp_path, pdf([text_at("recovered walnut")], **damage), PDF)  # type: ignore[arg-type]
    assert text_of(parts) == "recovered walnut"
    assert reading.notes == {Note.REPAIRED: 1}


def test_an_honest_file_needs_no_repair(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([text_at("x")]))
    assert not needs_repair(str(path))


def test_a_superseded_object_is_not_read(tmp_path: Path) -> None:
    base = pdf([text_at("amount 1000 draft")])
    new = text_at("amount 2000 final")
    body = b"2 0 obj\n<</Length %d>>stream\n%s\nendstream\nendobj\n" % (len(new), new)
    previous = base.rsplit(b"startxref\n", 1)[1].split()[0]
    table = b"xref\n2 1\n%010d 00000 n \ntrailer\n<</Size 6/Root 5 0 R/Prev %s>>\n"
    data = base + body + table % (len(base), previous)
    data += b"startxref\n%d\n%%%%EOF\n" % (len(base) + len(body))
    assert text_of(parts_of(tmp_path, data)) == "amount 2000 final"


def test_attached_files_are_counted_and_not_read(tmp_path: Path) -> None:
    w = PdfWriter()
    embedded = w.stream(b"attached,4242", b"/Type/EmbeddedFile")
    spec = w.add(b"<</Type/Filespec/F(d.csv)/EF<</F %d 0 R>>>>" % embedded)
    leaf = w.add(b"<</Limits[(d.csv)(d.csv)]/Names[(d.csv)%d 0 R]>>" % spec)
    names = b"/Names<</EmbeddedFiles<</Kids[%d 0 R]>>>>" % leaf
    parts, reading = read(tmp_path, pdf([text_at("body")], writer=w, catalog_extra=names), PDF)
    assert text_of(parts) == "body"
    assert reading.notes == {Note.ATTACHED_FILES_NOT_READ: 1}


def test_a_scanned_page_is_noted_and_an_empty_one_is_not(tmp_path: Path) -> None:
    data = scanned_pdf([text_at("typed"), PICTURE, b"", text_at("end")])
    parts, reading = read(tmp_path, data, PDF)
    assert [part.locator["page"] for part in parts] == [1, 4]
    assert reading.notes == {Note.PAGES_NOT_RECOGNISED: 1}


def test_a_font_without_a_map_is_no_text(tmp_path: Path) -> None:
    drawing = b"BT /F1 12 Tf 72 700 Td (\x01\x01\x01\x01 a) Tj ET"
    parts, reading = read(tmp_path, pdf([drawing], mapping={1: "\ue123"}), PDF)
    assert parts == []
    assert reading.notes == {Note.PAGES_NOT_RECOGNISED: 1}


def test_a_page_that_unpacks_without_end_is_left_out_by_name(tmp_path: Path) -> None:
    w = PdfWriter()
    zeros = zlib.compressobj(9)
    once = b"".join(zeros.compress(bytes(1 << 20)) for _ in range(90)) + zeros.flush()
    bomb = w.stream(zlib.compress(once, 9), b"/Filter[/FlateDecode/FlateDecode]")
    typed = w.stream(text_at("typed"))
    font = w.add(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    tree = len(w.bodies) + 3
    kids = [
        w.add(
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
            b"/Resources<</Font<</F1 %d 0 R>>>>>>" % (tree, contents, font)
        )
        for contents in (bomb, typed)
    ]
    w.add(b"<</Type/Pages/Count 2/Kids[%d 0 R %d 0 R]>>" % (kids[0], kids[1]))
    parts, reading = read(tmp_path, w.render(w.add(b"<</Type/Catalog/Pages %d 0 R>>" % tree)), PDF)
    assert [(part.text, part.locator["page"]) for part in parts] == [("typed", 2)]
    assert reading.notes == {Note.PAGES_TOO_LARGE: 1}


def test_too_many_pages_are_refused_whole(tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, pdf([text_at("x")] * 4), PDF, limits=Limits(max_pages=3))
    assert refused.value.failure.reason is Reason.TOO_LARGE


def test_a_page_of_endless_text_fails_and_the_others_stay(tmp_path: Path) -> None:
    data = pdf([text_at("one"), column(["many words"] * 40), text_at("three")])
    parts, reading = read(tmp_path, data, PDF, limits=Limits(max_page_characters=100))
    assert [part.locator["page"] for part in parts] == [1, 3]
    assert reading.notes == {Note.PAGES_FAILED: 1}


@pytest.mark.parametrize("data", [b"%PDF-1.4\nnothing", pdf([text_at("x")])[:200]])
def test_rubbish_with_a_header_is_damage(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, data, PDF)
    assert refused.value.failure.reason is Reason.CORRUPT


def test_progress_counts_pages(tmp_path: Path) -> None:
    _, reading = read(tmp_path, pdf([text_at("x")] * 3), PDF)
    assert reading.page_count == 3


def encrypted(user_password: str) -> bytes:
    writer = pypdf.PdfWriter(
        clone_from=pypdf.PdfReader(io.BytesIO(pdf([text_at("permission only zebra")])))
    )
    writer.encrypt(user_password, "owner secret", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_file_with_only_permissions_opens(tmp_path: Path) -> None:
    assert text_of(parts_of(tmp_path, encrypted(""))) == "permission only zebra"


def test_a_file_with_a_password_is_named_so(tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, encrypted("user secret"), PDF)
    assert refused.value.failure.reason is Reason.ENCRYPTED
