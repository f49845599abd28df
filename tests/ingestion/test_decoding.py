import pytest

from apps.ingestion.decoding import decode_page, decode_text

SAMPLE = "Café “naïve” résumé – 50 € für Straße"


@pytest.mark.parametrize(
    "encoding, prefix",
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-16-le", b""),
        ("cp1252", b""),
    ],
)
def test_a_text_says_the_same_in_every_encoding(encoding: str, prefix: bytes) -> None:
    decoded = decode_text(prefix + (SAMPLE + "\n").encode(encoding) * 3)
    assert decoded.text == (SAMPLE + "\n") * 3
    assert decoded.replaced == 0


@pytest.mark.parametrize(
    "encoding, text",
    [
        ("cp1251", "Привет мир, это простой текст на русском языке. "),
        ("iso8859-7", "Καλημέρα κόσμε, αυτό είναι ένα κείμενο. "),
        ("shift_jis", "これは日本語のテキストです。"),
        ("cp1250", "Žluťoučký kůň příliš úpěl ďábelské ódy. "),
        ("cp1252", "Übermut tut selten gut. "),
    ],
)
def test_older_encodings_are_recognised(encoding: str, text: str) -> None:
    assert decode_text((text * 5).encode(encoding)).text == text * 5


def test_a_few_foreign_bytes_do_not_spoil_a_utf8_text() -> None:
    decoded = decode_text("première ligne\n".encode() + "deuxième ligne\n".encode("cp1252"))
    assert decoded.text == "première ligne\ndeuxi\ufffdme ligne\n"
    assert decoded.replaced == 1


PAGE = "<html><head>%s</head><body>Žluťoučký kůň</body></html>"


@pytest.mark.parametrize(
    "meta, encoding, declared",
    [
        ('<meta charset="iso-8859-1">', "utf-8", "utf-8"),  # the header wins
        ("<meta charset='windows-1250'>", "cp1250", ""),
        ('<meta http-equiv=x content="text/html; charset=windows-1250">', "cp1250", "utf-9000"),
        ("", "utf-8", "bogus"),
        ('<meta charset="x-nothing">', "utf-8", "undefined"),
        ('<meta charset="utf-16">', "utf-8", ""),  # it could not be read if that were true
    ],
)
def test_a_page_is_read_by_mark_then_header_then_meta(
    meta: str, encoding: str, declared: str
) -> None:
    page = PAGE % meta
    assert decode_page(page.encode(encoding), declared).text == page


def test_a_byte_order_mark_beats_the_header() -> None:
    assert decode_page(b"\xef\xbb\xbf" + "é".encode(), "iso-8859-1").text == "é"


def test_latin_1_means_windows_1252_on_the_web() -> None:
    assert decode_page("“€”".encode("cp1252"), "iso-8859-1").text == "“€”"


def test_meta_beyond_the_first_kilobyte_is_too_late() -> None:
    page = "<html>" + " " * 1100 + '<meta charset="cp1250">é'
    assert decode_page(page.encode()).text.endswith("é")
