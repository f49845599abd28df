from pathlib import Path

import pytest

from apps.ingestion.values import BlockKind, Reason, Unreadable
from tests.ingestion.reads import read, text_of

BODY = "The quokka lives on Rottnest Island and weighs about three kilograms. " * 12
ARTICLE = """<!doctype html><html><head><title>Quokkas</title></head><body>
<nav>menu menu</nav><header>site name</header><article><h1>Animals</h1><p>BODY</p>
<h2>Figures</h2><table><tr><th>name</th><th>weight</th></tr><tr><td>quokka</td><td>3 kg</td></tr></table>
<ul><li>one</li><li>two</li></ul><pre>x = 1
y = 2</pre></article>
<footer>imprint</footer></body></html>""".replace("BODY", BODY)


def page(tmp_path: Path, html: str | bytes, charset: str = "") -> str:
    data = html if isinstance(html, bytes) else html.encode()
    return text_of(read(tmp_path, data, "text/html", charset=charset, is_web_page=True)[0])


@pytest.mark.parametrize("is_web_page", [True, False])
def test_headings_are_context_and_tables_keep_their_rows(tmp_path: Path, is_web_page: bool) -> None:
    parts, reading = read(tmp_path, ARTICLE.encode(), "text/html", is_web_page=is_web_page)
    figures = parts[-1]
    assert figures.locator["headings"] == ["Animals", "Figures"]
    rows = next(b for b in figures.blocks if b.kind is BlockKind.ROWS)
    assert figures.text[rows.start : rows.end] == "name | weight\nquokka | 3 kg"
    assert rows.columns == "name | weight"
    assert "x = 1\ny = 2" in figures.text
    assert "• one" in figures.text
    assert reading.title == "Quokkas"
    assert "menu" not in text_of(parts)


def test_a_web_page_is_read_without_what_frames_it(tmp_path: Path) -> None:
    text = page(tmp_path, ARTICLE)
    assert "Rottnest" in text
    assert "imprint" not in text


def test_an_uploaded_file_is_read_whole(tmp_path: Path) -> None:
    text = text_of(read(tmp_path, ARTICLE.encode(), "text/html")[0])
    assert "imprint" in text
    assert "site name" in text


@pytest.mark.parametrize(
    "hidden",
    [
        "<span style='display: none'>secret</span>",
        "<p style='visibility:hidden'>secret</p>",
        "<p style='font-size:0'>secret</p>",
        "<div hidden>secret</div>",
        "<template>secret</template>",
        "<script>secret</script>",
        "<style>secret</style>",
        "<!-- secret -->",
        "<noscript>secret</noscript>",
    ],
)
@pytest.mark.parametrize("is_web_page", [True, False])
def test_what_no_reader_sees_is_not_read(tmp_path: Path, hidden: str, is_web_page: bool) -> None:
    html = f"<html><body><article><p>{BODY}</p>{hidden}</article></body></html>"
    parts, _ = read(tmp_path, html.encode(), "text/html", is_web_page=is_web_page)
    assert "quokka" in text_of(parts)
    assert "secret" not in text_of(parts)


@pytest.mark.parametrize(
    "html",
    [
        "<div id=root></div><noscript>Please enable JavaScript to run this app.</noscript>",
        "<body><p>You need to enable JavaScript to view this site.</p>",
        "<h1>Before you continue</h1><p>Our 312 partners store cookies.</p><button>Accept</button>",
        "<title>Not found</title><h1>404</h1><p>This page does not exist.</p>",
        "<title>Seite nicht gefunden</title><p>Leider.</p>",
        "<head><meta http-equiv='refresh' content='0;url=http://10.0.0.1/'></head><body>wait",
    ],
    ids=["shell", "script notice", "consent", "soft 404", "german 404", "refresh"],
)
def test_a_notice_is_no_content(tmp_path: Path, html: str) -> None:
    with pytest.raises(Unreadable) as refused:
        page(tmp_path, html)
    assert refused.value.failure.reason is Reason.NO_READABLE_TEXT


def test_a_short_page_about_cookies_and_404s_is_still_content(tmp_path: Path) -> None:
    html = f"<title>HTTP</title><h1>Cookies</h1><p>A 404 is not found. {BODY}</p>"
    assert "A 404 is not found" in page(tmp_path, html)


def test_a_small_honest_page_is_read(tmp_path: Path) -> None:
    assert page(tmp_path, "<h1>Hours</h1><p>Open from nine to five.") == (
        "Hours\n\nOpen from nine to five."
    )


def test_the_charset_of_the_header_reaches_the_text(tmp_path: Path) -> None:
    html = f"<meta charset='iso-8859-1'><article><p>Žluťoučký kůň. {BODY}</p></article>"
    assert "Žluťoučký kůň" in page(tmp_path, html, "utf-8")


@pytest.mark.parametrize("tag", ["div", "b", "table", "section"])
def test_a_page_nested_beyond_reason_fails_by_name(tmp_path: Path, tag: str) -> None:
    with pytest.raises(Unreadable) as refused:
        page(tmp_path, f"<{tag}>" * 50_000)
    assert refused.value.failure.reason is Reason.CORRUPT


def test_unclosed_paragraphs_and_items_are_no_nesting(tmp_path: Path) -> None:
    parts, _ = read(tmp_path, b"<ul>" + b"<li><p>x y" * 5_000, "text/html")
    assert text_of(parts).count("x y") == 5_000
