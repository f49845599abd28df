"""Files for the tests, made byte by byte so that every odd corner is on purpose."""

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


class PdfWriter:
    """Collects objects and writes them with a true cross-reference table."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def add(self, body: bytes) -> int:
        """The number of the new object."""
        self.bodies.append(body)
        return len(self.bodies)

    def stream(self, data: bytes, extra: bytes = b"") -> int:
        """The number of a new stream object."""
        head = b"<</Length %d%s>>" % (len(data), extra)
        return self.add(head + b"stream\n" + data + b"\nendstream")

    def render(self, root: int, trailer: bytes = b"", startxref_error: int = 0) -> bytes:
        """The whole file; `startxref_error` is added to the pointer at its end."""
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number, body in enumerate(self.bodies, 1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        at = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        for offset in offsets:
            out += b"%010d 00000 n \n" % offset
        size = len(offsets) + 1
        out += b"trailer\n<</Size %d/Root %d 0 R%s>>\n" % (size, root, trailer)
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % (at + startxref_error))


def text_at(text: str, x: float = 72, y: float = 700, size: float = 12) -> bytes:
    """Drawing commands for one line of Latin text."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("latin-1")
    return b"BT /F1 %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n" % (size, x, y, escaped)


def column(lines: Sequence[str], x: float = 72, y: float = 740, step: float = 14) -> bytes:
    """Lines below one another."""
    return b"".join(text_at(line, x, y - at * step) for at, line in enumerate(lines))


def to_unicode(mapping: Mapping[int, str]) -> bytes:
    """A character map for a simple font."""
    rows = b"".join(
        b"<%02x> <%s>\n" % (code, text.encode("utf-16-be", "surrogatepass").hex().encode())
        for code, text in mapping.items()
    )
    return (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        b"1 begincodespacerange <00> <ff> endcodespacerange\n"
        b"%d beginbfchar\n%sendbfchar\nendcmap end end" % (len(mapping), rows)
    )


def pdf(
    pages: Sequence[bytes],
    *,
    mapping: Mapping[int, str] | None = None,
    page_extra: bytes = b"",
    catalog_extra: bytes = b"",
    resources: bytes = b"",
    startxref_error: int = 0,
    tail: bytes = b"",
    writer: PdfWriter | None = None,
) -> bytes:
    """A PDF of drawn pages; `mapping` gives the font a character map of its own."""
    w = writer or PdfWriter()
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    if mapping is not None:
        cmap = w.stream(to_unicode({**{c: chr(c) for c in range(32, 127)}, **mapping}))
        widths = b" ".join([b"500"] * 256)
        font = (
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 0/LastChar 255"
            b"/Widths[%s]/ToUnicode %d 0 R>>" % (widths, cmap)
        )
    font_number = w.add(font)
    contents = [w.stream(page) for page in pages]
    tree = len(w.bodies) + len(pages) + 1
    kids = [
        w.add(
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
            b"/Resources<</Font<</F1 %d 0 R>>%s>>%s>>"
            % (tree, content, font_number, resources, page_extra)
        )
        for content in contents
    ]
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    w.add(b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), listed))
    root = w.add(b"<</Type/Catalog/Pages %d 0 R%s>>" % (tree, catalog_extra))
    return w.render(root, startxref_error=startxref_error) + tail


def scanned_pdf(pages: Sequence[bytes]) -> bytes:
    """A PDF whose pages may draw `/Im1 Do`, a small grey picture."""
    w = PdfWriter()
    picture = w.stream(
        zlib.compress(bytes(range(256))),
        b"/Type/XObject/Subtype/Image/Width 16/Height 16/ColorSpace/DeviceGray/BitsPerComponent 8"
        b"/Filter/FlateDecode",
    )
    return pdf(pages, writer=w, resources=b"/XObject<</Im1 %d 0 R>>" % picture)


PICTURE = b"q 500 0 0 500 50 100 cm /Im1 Do Q"


def zip_of(members: Mapping[str, bytes | str]) -> bytes:
    """A deflated zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    """A Word paragraph of one run."""
    return f"<w:p>{properties}<w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def styled(text: str, style: str) -> str:
    """A Word paragraph with a style."""
    return paragraph(text, f"<w:pPr><w:pStyle w:val='{style}'/></w:pPr>")


def table(*rows: Sequence[str]) -> str:
    """A Word table; each cell is given as inner XML."""
    cells = ["".join(f"<w:tc>{cell}</w:tc>" for cell in row) for row in rows]
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def docx(
    body: str, related: Mapping[str, str] | None = None, extra: Mapping[str, bytes] | None = None
) -> bytes:
    """A Word file; `related` are parts such as "styles" or "header1" with their inner XML."""
    related = related or {}
    parts = {
        f"word/{name}.xml": f"<w:{_root(name)} {_W}>{xml}</w:{_root(name)}>"
        for name, xml in related.items()
    }
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{_REL}/{name.rstrip("0123456789")}" Target="{name}.xml"/>'
        for n, name in enumerate(related)
    )
    return zip_of(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
            f'content-types"><Override PartName="/word/document.xml" ContentType="{_MAIN}"/></Types>',
            "_rels/.rels": _relations(
                f'<Relationship Id="r1" Type="{_REL}/officeDocument" Target="word/document.xml"/>'
            ),
            "word/_rels/document.xml.rels": _relations(relations),
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
            **parts,
            **(extra or {}),
        }
    )


def _root(name: str) -> str:
    kind = name.rstrip("0123456789")
    return {"header": "hdr", "footer": "ftr"}.get(kind, kind)


def _relations(xml: str) -> str:
    return (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f"{xml}</Relationships>"
    )


def compound_file() -> bytes:
    """The beginning of an OLE file, as an encrypted or old Office document has it."""
    return bytes.fromhex("D0CF11E0A1B11AE1") + bytes(1016)
