"""Markdown, plain text and HTML forms of a demo document."""

import textwrap
from collections.abc import Iterator
from html import escape

from demo.values import Block, Grid, Heading, Listing, Paragraph, Source, Span, Spans

LINE_WIDTH = 78

# Around the article stands what a real site puts there; a reader of web pages must leave it out.
_SITE = {
    "ca": ("Inici", "Mapes", "Contacte", "Aquest lloc fa servir només galetes tècniques."),
    "pt": ("Início", "Dados", "Contactos", "Este sítio usa apenas cookies técnicos."),
    "en": ("Home", "People", "Contact", "This site uses technical cookies only."),
}


def markdown(source: Source) -> bytes:
    """The source itself under its title."""
    head = f"# {source.title}\n\n{source.byline}\n\n*{source.notice}*\n\n"
    return (head + source.text).encode()


def plain_text(source: Source) -> bytes:
    """Lines of at most 78 characters, blocks apart by an empty line."""
    pieces = [source.title, source.byline, source.notice, *source.text.strip().split("\n\n")]
    return ("\n\n".join(_wrapped(piece) for piece in pieces) + "\n").encode()


def _wrapped(piece: str) -> str:
    return "\n".join(
        textwrap.fill(line, LINE_WIDTH, break_on_hyphens=False) for line in piece.splitlines()
    )


def web_page(source: Source) -> bytes:
    """A page of an invented site: navigation, the article, a footer."""
    first, second, third, cookies = _SITE[source.language]
    body = "\n".join(_html(block) for block in source.blocks)
    notes = "\n".join(f"<li>{escape(note)}</li>" for note in source.notes.values())
    return f"""<!doctype html>
<html lang="{source.language}">
<head>
<meta charset="utf-8">
<title>{escape(source.title)}</title>
<meta name="author" content="{escape(", ".join(source.authors))}">
<meta name="date" content="{source.dated_at:%Y-%m-%d}">
</head>
<body>
<header>
<nav><ul><li><a href="/">{first}</a></li><li><a href="/2">{second}</a></li><li><a href="/3">{third}</a></li></ul></nav>
</header>
<main>
<article>
<h1>{escape(source.title)}</h1>
<p>{escape(source.byline)}</p>
<p><em>{escape(source.notice)}</em></p>
{body}
<ol>
{notes}
</ol>
</article>
</main>
<footer>
<p>{cookies}</p>
</footer>
</body>
</html>
""".encode()


def _html(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level + 1}>{escape(text)}</h{level + 1}>"
        case Paragraph(spans):
            return f"<p>{_inline(spans)}</p>"
        case Listing(items, ordered):
            tag = "ol" if ordered else "ul"
            return f"<{tag}>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + f"</{tag}>"
        case Grid(rows):
            return "\n".join(_html_table(rows))
        case _:
            return ""


def _inline(spans: Spans) -> str:
    return "".join(_html_span(span) for span in spans)


def _html_span(span: Span) -> str:
    if span.note:
        return f"<sup>{span.note}</sup>"
    text = escape(span.text, quote=False)
    if span.bold:
        return f"<strong>{text}</strong>"
    return f"<em>{text}</em>" if span.italic else text


def _html_table(rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    yield "<table>"
    yield "<thead>" + _html_row(rows[0], "th") + "</thead>"
    yield "<tbody>"
    yield from (_html_row(row, "td") for row in rows[1:])
    yield "</tbody>"
    yield "</table>"


def _html_row(cells: tuple[str, ...], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
