from email.message import EmailMessage
from pathlib import Path

import pytest

from apps.ingestion.extractors.reading import Reading
from apps.ingestion.values import ExtractedPart, Note
from tests.ingestion.files import docx, paragraph, pdf, text_at
from tests.ingestion.office_files import cells, workbook
from tests.ingestion.reads import read

MAIL = "message/rfc822"
HEADERS = """From: Anna Pou <anna@example.org>
To: b@example.org
Date: Fri, 01 Mar 2024 10:00:00 +0100
Subject: Càlcul"""


def letter(body: str = "Dear all,\n\nplease read.\n", subject: str = "Càlcul") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Anna Pou <anna@example.org>"
    message["To"] = "b@example.org"
    message["Date"] = "Fri, 01 Mar 2024 10:00:00 +0100"
    message["Subject"] = subject
    message.set_content(body)
    return message


def attach(message: EmailMessage, data: bytes, name: str, kind: str = "octet-stream") -> None:
    message.add_attachment(data, maintype="application", subtype=kind, filename=name)


def opened(folder: Path, message: EmailMessage | bytes) -> tuple[list[ExtractedPart], Reading]:
    return read(folder, message if isinstance(message, bytes) else bytes(message), MAIL)


def test_a_message_begins_with_its_headers(tmp_path: Path) -> None:
    (part,), reading = opened(tmp_path, letter())
    assert part.text.split("\n\n") == [
        HEADERS,
        "Dear all,",
        "please read.",
    ]
    assert part.locator == {"kind": "part", "part": 1}
    assert reading.title == "Càlcul"


def test_of_two_versions_the_plain_one_is_read(tmp_path: Path) -> None:
    message = letter("plain words")
    message.add_alternative("<p>rich words</p>", subtype="html")
    (part,), _ = opened(tmp_path, message)
    assert "plain words" in part.text
    assert "rich" not in part.text


def test_a_message_of_html_alone_is_read_as_a_page(tmp_path: Path) -> None:
    message = letter()
    message.set_content("<style>x</style><h1>News</h1><p>a<br>b</p>", subtype="html")
    (part,), _ = opened(tmp_path, message)
    assert part.text.endswith("\n\nNews\n\na\nb")


def test_attachments_are_read_by_their_own_extractors(tmp_path: Path) -> None:
    message = letter()
    attach(message, pdf([text_at("page one"), text_at("page two")]), "report.pdf", "pdf")
    attach(message, docx(paragraph("word text")), "../../etc/note.docx")
    attach(message, workbook({"Data": cells(1, "x", 1)}), "t.xlsx")
    attach(message, b"plain\nlines\n", "l.txt")
    attach(message, bytes(range(256)), "x.bin")
    parts, reading = opened(tmp_path, message)
    places = [part.locator for part in parts[1:]]
    assert {place["kind"] for place in places} == {"part"}
    assert [(p["part"], p["attachment"], p.get("page")) for p in places] == [
        (2, "report.pdf", 1),
        (2, "report.pdf", 2),
        (3, "note.docx", None),
        (4, "t.xlsx", None),
        (5, "l.txt", None),
    ]
    assert [part.text.strip() for part in parts[1:3]] == ["page one", "page two"]
    assert parts[1].lines == ()
    assert places[3]["sheet"] == "Data"
    assert reading.notes == {Note.ATTACHED_FILES_NOT_READ: 1}


def test_a_broken_attachment_does_not_cost_the_message(tmp_path: Path) -> None:
    message = letter()
    attach(message, docx(paragraph("x"))[:-40], "broken.docx")
    attach(message, docx("", extra={"word/document.xml": b"<broken"}), "worse.docx")
    parts, reading = opened(tmp_path, message)
    assert len(parts) == 1
    assert reading.notes == {Note.ATTACHED_FILES_NOT_READ: 2}


def test_messages_in_messages_are_read_to_a_depth(tmp_path: Path) -> None:
    message = letter("innermost", "level 5")
    for level in (4, 3, 2, 1, 0):
        outer = letter(f"text {level}", f"level {level}")
        outer.add_attachment(message)
        message = outer
    parts, reading = opened(tmp_path, message)
    assert [part.locator.get("attachment") for part in parts] == [
        None,
        "level 1",
        "level 1 › level 2",
        "level 1 › level 2 › level 3",
    ]
    assert reading.notes == {Note.ATTACHED_FILES_NOT_READ: 1}


def test_only_so_many_attachments_are_read(tmp_path: Path) -> None:
    message = letter()
    for n in range(53):
        attach(message, b"words", f"{n}.txt")
    parts, reading = opened(tmp_path, message)
    assert len(parts) == 51
    assert reading.notes == {Note.ATTACHED_FILES_NOT_READ: 3}


def test_logos_and_seals_are_not_missed(tmp_path: Path) -> None:
    message = letter()
    attach(message, b"sealed", "smime.p7s", "pkcs7-signature")
    logo = EmailMessage()
    logo.set_content(b"\x89PNG\r\n\x1a\n" + bytes(50), "image", "png", cid="<logo>")
    message.attach(logo)
    parts, reading = opened(tmp_path, message)
    assert (len(parts), reading.notes) == (1, {})


@pytest.mark.parametrize(
    "subject, shown",
    [
        (b"Subject: =?utf-8?q?Caf=C3=A9?=\r\n =?utf-8?q?_two?=", "Café two"),
        (b"Subject: =?no-such?q?x?=", "=?no-such?q?x?="),
        ("Subject: bare é".encode(), "bare é"),
        ("Subject: bare é".encode("cp1252"), "bare é"),
        (b"subject: =?utf-8?b?broken?=", "=?utf-8?b?broken?="),
        (b"Other: x", ""),
    ],
)
def test_headers_are_decoded_however_they_were_sent(
    tmp_path: Path, subject: bytes, shown: str
) -> None:
    (part,), reading = opened(tmp_path, b"From: a@b\r\n" + subject + b"\r\n\r\nbody")
    assert reading.title == shown
    assert part.text.endswith("body")


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Type: text/plain; charset=nonsense",
        b"Content-Type: ;;;\xff",
        b"Content-Type: multipart/mixed",
        b"Content-Transfer-Encoding: base64\r\nContent-Type: text/plain",
        b"Content-Type: text/plain; charset*=x'y'z; name=\"\xe9\"",
    ],
)
def test_a_message_with_odd_headers_is_still_read(tmp_path: Path, head: bytes) -> None:
    parts, _ = opened(tmp_path, b"From: a@b\r\n" + head + b"\r\n\r\nbody\r\n")
    assert parts[0].text.startswith("From: a@b")
