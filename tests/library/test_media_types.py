"""What a stored file is said to be."""

import pytest

from apps.library.media_types import UNKNOWN, may_be_inline, media_type_of


@pytest.mark.parametrize(
    "head, name, media_type",
    [
        (b"%PDF-1.7\n", "report.pdf", "application/pdf"),
        (b"%PDF-1.7\n", "report", "application/pdf"),
        (b"<!doctype html>", "report.pdf", UNKNOWN),
        (b"\x7fELF", "photo.png", UNKNOWN),
        (b"\x89PNG\r\n\x1a\n", "photo.txt", "image/png"),
        (b"\xff\xd8\xff\xe0", "a.jpg", "image/jpeg"),
        (b"GIF89a", "a.gif", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "a.webp", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVE", "a.webp", UNKNOWN),
        (b"<svg onload=alert(1)>", "a.svg", "image/svg+xml"),
        (b"<html>", "A.HTML", "text/html"),
        (
            b"PK\x03\x04",
            "a.docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (b"", "a.md", "text/markdown"),
        (b"", "", UNKNOWN),
        (b"", "pdf", UNKNOWN),
    ],
)
def test_bytes_decide_before_names(head, name, media_type):
    assert media_type_of(head, name) == media_type


@pytest.mark.parametrize(
    "media_type", ["text/html", "image/svg+xml", "application/xhtml+xml", "text/plain", UNKNOWN]
)
def test_nothing_active_is_ever_shown_in_place(media_type):
    assert not may_be_inline(media_type)
