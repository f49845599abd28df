import io

import pytest

from apps.ingestion.sniffing import Sniffed, sniff
from apps.ingestion.values import Failure, Reason
from tests.ingestion.files import compound_file, docx, paragraph, pdf, text_at, zip_of

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
PDF = pdf([text_at("x")])


def kind(data: bytes, filename: str = "", *, is_upload: bool = True) -> str | Reason:
    found = sniff(io.BytesIO(data), filename=filename, is_upload=is_upload)
    return found.media_type if isinstance(found, Sniffed) else found.reason


def office(main: str) -> bytes:
    return zip_of({"[Content_Types].xml": f'<Override ContentType="application/{main}"/>'})


@pytest.mark.parametrize(
    "data, expected",
    [
        (PDF, "application/pdf"),
        (b"junk before\r\n" + PDF, "application/pdf"),
        (docx(paragraph("x")), WORD),
        (office("vnd.ms-word.document.macroEnabled.main+xml"), WORD),
        (zip_of({"readme.txt": "x"}), "application/zip"),
        (zip_of({"mimetype": "application/epub+zip"}), "application/epub+zip"),
        (zip_of({"mimetype": "text/html"}), "application/zip"),
        (compound_file(), Reason.ENCRYPTED),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "image/png"),
        (b"II+\x00\x08\x00" + bytes(99), "image/tiff"),
        (b"MZ\x90\x00" + bytes(range(256)), "application/x-msdownload"),
        (b"MZ is how some sentences begin", "text/plain"),
        (b"<!doctype html><p>%PDF-1.7 fake", "text/html"),
        (b"\xef\xbb\xbf  <!-- x --><HTML>", "text/html"),
        (b"<?xml version='1.0'?><svg xmlns='x'/>", "image/svg+xml"),
        (b"# Title\n\n```\ncode\n```\n", "text/markdown"),
        ("\ufeffwide".encode("utf-16-le"), "text/plain"),
        ("plain wide text without a mark".encode("utf-16-be"), "text/plain"),
        (b"left\x00right middle\x00\x00 tail\n", "text/plain"),
        (bytes(range(256)) * 9, "application/octet-stream"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nx\n", "text/vtt"),
        (b"\xef\xbb\xbf1\r\n00:00:01,000 --> 00:00:02,000\r\nx\r\n", "application/x-subrip"),
        (b"Received: from x\n by y\nFrom: a@b.cat\nSubject: s\n\nbody", "message/rfc822"),
        (b"From: a\njust a note, and no message\n", "text/plain"),
        (b"Subject: s\nTo: b\n\nnobody sent this", "text/plain"),
        (zip_of({"mimetype": "application/vnd.oasis.opendocument.text-template"}), ODT),
        (b"", Reason.EMPTY),
        (b" \r\n\t", Reason.EMPTY),
    ],
)
def test_the_bytes_decide(data: bytes, expected: str | Reason) -> None:
    assert kind(data) == expected


@pytest.mark.parametrize(
    "filename, expected",
    [
        ("a.md", "text/markdown"),
        ("a.PY", "text/x-source"),
        ("a.csv", "text/csv"),
        ("a.rst", "text/x-rst"),
        ("a", "text/plain"),
        ("a.html", "text/plain"),
    ],
)
def test_a_name_only_chooses_among_kinds_of_text(filename: str, expected: str) -> None:
    assert kind(b"just words", filename) == expected


@pytest.mark.parametrize(
    "data, filename",
    [
        (PDF, "picture.png"),
        (b"<!doctype html><p>x", "report.pdf"),
        (zip_of({"a": "b"}), "fake.docx"),
        (b"words", "words.xlsx"),
    ],
)
def test_an_upload_that_lies_about_its_kind_is_refused(data: bytes, filename: str) -> None:
    assert kind(data, filename) == Reason.TYPE_MISMATCH
    assert kind(data, filename, is_upload=False) != Reason.TYPE_MISMATCH


def test_a_directory_of_millions_of_entries_is_refused_unread() -> None:
    data = bytearray(zip_of({"a": "b"}))
    at = data.rfind(b"PK\x05\x06")
    data[at + 12 : at + 16] = (1 << 30).to_bytes(4, "little")
    assert sniff(io.BytesIO(bytes(data))) == Failure(
        Reason.UNSAFE_ARCHIVE, "The file has too many members."
    )
