"""Workbooks, slides and open documents for the tests, written part by part."""

from collections.abc import Mapping, Sequence

from tests.ingestion.files import zip_of

PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TRANSITIONAL = "http://schemas.openxmlformats.org/{}/2006/{}"
STRICT = "http://purl.oclc.org/ooxml/{}/{}"


def office(main: str, parts: Mapping[str, str], relations: Mapping[str, Sequence[str]]) -> bytes:
    """A package; `relations` gives for each part the parts it points to as "kind target".

    The relation ids of a part are r1, r2 and so on. The main part's content type is told by the
    folder it stands in.
    """
    kind = {"xl": "spreadsheetml.sheet", "ppt": "presentationml.presentation"}
    kind["word"] = "wordprocessingml.document"
    content_type = f"{kind[main.split('/', maxsplit=1)[0]]}.main+xml"
    types = (
        f'<Override ContentType="application/vnd.openxmlformats-officedocument.{content_type}"/>'
    )
    return zip_of(
        {
            "[Content_Types].xml": f"<Types>{types}</Types>",
            "_rels/.rels": rels([f"officeDocument {main}"]),
            **{rels_name(part): rels(targets) for part, targets in relations.items()},
            **parts,
        }
    )


def rels_name(part: str) -> str:
    """Where the relations of a part stand."""
    folder, _, name = part.rpartition("/")
    return f"{folder}/_rels/{name}.rels"


def rels(targets: Sequence[str]) -> str:
    """A part of relations."""
    base = TRANSITIONAL.format("officeDocument", "relationships")
    arrows = "".join(
        f'<Relationship Id="r{n}" Type="{base}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate((t.split() for t in targets), 1)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{arrows}</Relationships>'


def workbook(
    sheets: Mapping[str, str],
    *,
    texts: str = "",
    styles: str = "",
    hidden: Sequence[str] = (),
    comments: str = "",
    names: str = TRANSITIONAL,
    properties: str = "",
) -> bytes:
    """An Excel file; each sheet is given as the XML of its rows."""
    main = names.format("spreadsheetml", "main")
    ids = names.format("officeDocument", "relationships")
    listed = "".join(
        f'<sheet name="{name}" r:id="r{n}" state="{"hidden" if name in hidden else "visible"}"/>'
        for n, name in enumerate(sheets, 1)
    )
    parts = {
        f"xl/sheet{n}.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
        for n, rows in enumerate(sheets.values(), 1)
    }
    targets = [f"worksheet sheet{n}.xml" for n in range(1, len(sheets) + 1)]
    return office(
        "xl/workbook.xml",
        {
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{ids}">{properties}'
            f"<sheets>{listed}</sheets></workbook>",
            **parts,
            "xl/texts.xml": f'<sst xmlns="{main}">{texts}</sst>',
            "xl/styles.xml": f'<styleSheet xmlns="{main}">{styles}</styleSheet>',
            "xl/comments.xml": f'<comments xmlns="{main}">{comments}</comments>',
        },
        {
            "xl/workbook.xml": [*targets, "sharedStrings texts.xml", "styles styles.xml"],
            "xl/sheet1.xml": ["comments comments.xml"] if comments else [],
        },
    )


def cells(number: int, *values: str | float) -> str:
    """A row of a sheet: texts are written in place, figures as numbers."""
    written = "".join(
        f"<c><v>{value}</v></c>"
        if not isinstance(value, str)
        else value
        if value.startswith("<c")
        else f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        for value in values
    )
    return f'<row r="{number}">{written}</row>'


_ODF_SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "presentation": "presentation",
        "meta": "meta",
    }.items()
)


def open_document(
    kind: str,
    body: str,
    *,
    styles: str = "",
    masters: str = "",
    extra: Mapping[str, str] | None = None,
) -> bytes:
    """An open document of kind "text", "spreadsheet" or "presentation"."""
    spaces = f'{_ODF_SPACES} xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return zip_of(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {spaces}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
            "</office:body></office:document-content>",
            "styles.xml": f"<office:document-styles {spaces}><office:master-styles>{masters}"
            "</office:master-styles></office:document-styles>",
            "meta.xml": f"<office:document-meta {spaces}><office:meta><dc:title>Named</dc:title>"
            "</office:meta></office:document-meta>",
            **(extra or {}),
        }
    )
