"""The DOCX form of a demo document: a ZIP of WordprocessingML parts (ECMA-376, part 1).

The archive is stored, not deflated, and its entries carry one fixed date, so that the bytes depend
on the source alone and not on the compression library of a machine.
"""

import io
import zipfile
from collections.abc import Iterator
from xml.sax.saxutils import escape

from demo.values import Block, Grid, Heading, Listing, Paragraph, Source, Span, Spans, parse_spans

_ENTRY_DATE = (2020, 1, 1, 0, 0, 0)
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PARTS = ("styles", "numbering", "footnotes", "header", "footer")
_BULLETS, _NUMBERS = 1, 2


def docx(source: Source) -> bytes:
    """A Word document with styles, lists, tables, footnotes, a header and page numbers."""
    parts = {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _package_relations(),
        "docProps/core.xml": _core_properties(source),
        "word/_rels/document.xml.rels": _document_relations(),
        "word/document.xml": _document(source),
        "word/styles.xml": _styles(source.language),
        "word/numbering.xml": _numbering(),
        "word/footnotes.xml": _footnotes(source),
        "word/header.xml": f"<w:hdr {_W}>{_paragraph(parse_spans(source.title))}</w:hdr>",
        "word/footer.xml": f'<w:ftr {_W}><w:p><w:fldSimple w:instr=" PAGE "/></w:p></w:ftr>',
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, xml in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _ENTRY_DATE), _XML + xml)
    return buffer.getvalue()


def _content_types() -> str:
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_WORD_TYPE}.{name}+xml"/>'
        for name in _PARTS
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_WORD_TYPE}.document.main+xml"/>'
        '<Override PartName="/docProps/core.xml"'
        ' ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>'
        f"{overrides}</Types>"
    )


def _package_relations() -> str:
    return (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties"'
        ' Target="docProps/core.xml"/></Relationships>'
    )


def _document_relations() -> str:
    relations = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{name}" Target="{name}.xml"/>'
        for name in _PARTS
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'


def _core_properties(source: Source) -> str:
    stamp = f"{source.dated_at:%Y-%m-%dT%H:%M:%SZ}"
    return (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(source.title)}</dc:title>"
        f"<dc:creator>{escape(', '.join(source.authors))}</dc:creator>"
        f"<dc:language>{source.language}</dc:language>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{stamp}</dcterms:created>'
        f'<dcterms:modified xsi:type="dcterms:W3CDTF">{stamp}</dcterms:modified>'
        "</cp:coreProperties>"
    )


def _styles(language: str) -> str:
    headings = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:basedOn w:val="Normal"/><w:pPr><w:keepNext/><w:spacing w:before="240" w:after="80"/>'
        f'<w:outlineLvl w:val="{level - 1}"/></w:pPr><w:rPr><w:b/><w:sz w:val="{34 - 4 * level}"/>'
        "</w:rPr></w:style>"
        for level in (1, 2)
    )
    return (
        f"<w:styles {_W}><w:docDefaults><w:rPrDefault><w:rPr>"
        f'<w:rFonts w:ascii="Georgia" w:hAnsi="Georgia"/><w:sz w:val="22"/>'
        f'<w:lang w:val="{language}"/></w:rPr></w:rPrDefault></w:docDefaults>'
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
        '<w:pPr><w:spacing w:after="120"/></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/>'
        '<w:basedOn w:val="Normal"/><w:rPr><w:sz w:val="44"/></w:rPr></w:style>'
        f"{headings}</w:styles>"
    )


def _numbering() -> str:
    kinds = ((_BULLETS, "bullet", "•"), (_NUMBERS, "decimal", "%1."))
    definitions = "".join(
        f'<w:abstractNum w:abstractNumId="{key}"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        f'<w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/>'
        '<w:pPr><w:ind w:left="480" w:hanging="360"/></w:pPr></w:lvl></w:abstractNum>'
        for key, kind, text in kinds
    )
    uses = "".join(
        f'<w:num w:numId="{key}"><w:abstractNumId w:val="{key}"/></w:num>' for key, _, _ in kinds
    )
    return f"<w:numbering {_W}>{definitions}{uses}</w:numbering>"


def _footnotes(source: Source) -> str:
    separators = (
        '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    )
    notes = "".join(
        f'<w:footnote w:id="{number}">{_paragraph(parse_spans(text))}</w:footnote>'
        for number, text in source.notes.items()
    )
    return f"<w:footnotes {_W}>{separators}{notes}</w:footnotes>"


def _document(source: Source) -> str:
    head = (
        _paragraph((Span(source.title),), style="Title"),
        _paragraph((Span(source.byline),)),
        _paragraph((Span(source.notice, italic=True),)),
    )
    body = "".join((*head, *(_block(block) for block in source.blocks)))
    section = (
        '<w:sectPr><w:headerReference w:type="default" r:id="header"/>'
        '<w:footerReference w:type="default" r:id="footer"/><w:pgSz w:w="11906" w:h="16838"/>'
        '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="700"'
        ' w:footer="700" w:gutter="0"/></w:sectPr>'
    )
    return f"<w:document {_W} {_R}><w:body>{body}{section}</w:body></w:document>"


def _block(block: Block) -> str:
    match block:
        case Heading(level, text):
            return _paragraph((Span(text),), style=f"Heading{level}")
        case Paragraph(spans):
            return _paragraph(spans)
        case Listing(items, ordered):
            number = _NUMBERS if ordered else _BULLETS
            return "".join(_paragraph(item, number=number) for item in items)
        case Grid(rows):
            return "".join(_table(rows))
        case _:
            return ""


def _paragraph(spans: Spans, *, style: str = "", number: int = 0) -> str:
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if number:
        properties += f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(_run(span) for span in spans)}</w:p>"


def _run(span: Span) -> str:
    if span.note:
        return (
            '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
            f'<w:footnoteReference w:id="{span.note}"/></w:r>'
        )
    style = ("<w:b/>" if span.bold else "") + ("<w:i/>" if span.italic else "")
    text = escape(span.text)
    return f'<w:r><w:rPr>{style}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def _table(rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    edges = "".join(
        f'<w:{edge} w:val="single" w:sz="4" w:space="0" w:color="999999"/>'
        for edge in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    yield f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>{edges}</w:tblBorders>'
    yield "</w:tblPr><w:tblGrid>" + "<w:gridCol/>" * len(rows[0]) + "</w:tblGrid>"
    for index, row in enumerate(rows):
        header = "<w:trPr><w:tblHeader/></w:trPr>" if index == 0 else ""
        cells = "".join(
            f"<w:tc><w:tcPr/>{_paragraph((Span(cell, bold=index == 0),))}</w:tc>" for cell in row
        )
        yield f"<w:tr>{header}{cells}</w:tr>"
    yield "</w:tbl><w:p/>"
