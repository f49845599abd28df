"""Pictures of words for the tests, as a scanner would make them."""

import io
import textwrap
import zlib
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from tests.ingestion.files import PdfWriter, pdf

PROSE = (
    "The river carried less sediment to the delta after the dams were built. Fishermen at the "
    "mouth noticed it first, because the bar moved inland every winter and the old lighthouse "
    "stood in the water. The commission met in autumn and asked for a controlled flood."
)


def word_picture(words: str, size: tuple[int, int] = (1200, 400), height: int = 110) -> Image.Image:
    """Black words in the middle of a white picture."""
    picture = Image.new("L", size, 255)
    font = ImageFont.load_default(height)
    middle = (size[0] / 2, size[1] / 2)
    ImageDraw.Draw(picture).text(middle, words, fill=0, font=font, anchor="mm", align="center")
    return picture


def page_picture(words: str = PROSE) -> Image.Image:
    """A page of prose, large enough to tell which way is up."""
    return word_picture("\n".join(textwrap.wrap(words, 42)), (1300, 700), 48)


def encoded(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    """The bytes of an image file."""
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def announced_png(width: int, height: int) -> bytes:
    """A PNG whose header announces a size that its few bytes do not hold."""
    small = bytearray(encoded(Image.new("L", (1, 1))))
    small[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    small[29:33] = zlib.crc32(bytes(small[12:29])).to_bytes(4, "big")
    return bytes(small)


def pictured_pdf(pages: Sequence[bytes], picture: Image.Image) -> bytes:
    """A PDF whose pages may draw `/Im1 Do`, the picture."""
    writer = PdfWriter()
    grey = picture.convert("L")
    number = writer.stream(
        zlib.compress(grey.tobytes()),
        b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8"
        b"/Filter/FlateDecode" % grey.size,
    )
    return pdf(pages, writer=writer, resources=b"/XObject<</Im1 %d 0 R>>" % number)
