"""The only door to Pillow: images as grey pictures, refused by their size before they are decoded."""

from __future__ import annotations

import math
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PIL import Image, ImageOps

from apps.ingestion.values import Limits, Reason, Unreadable

# What an A4 page has at 400 dots an inch: more makes recognition slower, not better.
MOST_PIXELS = 16_000_000
# A screen has letters of ten pixels, recognition wants twice that; a scanner says how dense it was.
_SMALL_PIXELS = 1_500_000
_SCANNED_DPI = 150
_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")
_BROKEN = (OSError, SyntaxError, ValueError, LookupError, TypeError, EOFError)
_FAULTS = (*_BROKEN, struct.error, zlib.error, ArithmeticError)


class PictureError(Exception):
    """One picture cannot be decoded; others of the same file may be."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A grey picture as it is shown: one byte a pixel, rows from the top."""

    width: int
    height: int
    pixels: bytes


def grey_image(picture: Picture, turn: int = 0) -> Image.Image:
    """The picture for a library that wants Pillow's, turned clockwise by 0, 90, 180 or 270."""
    image = Image.frombytes("L", (picture.width, picture.height), picture.pixels)
    return image.rotate(-turn, expand=True) if turn else image


class ImageFile:
    """An open image file. Frames are counted from 0."""

    def __init__(self, path: str, limits: Limits) -> None:
        """Read the header; `Unreadable` when it is damaged or announces too many pixels."""
        self._limits = limits
        try:
            with _floods_refused(limits.max_pixels):
                self._image = Image.open(path, formats=_FORMATS)
                self._frames = self._count()
        except _FAULTS as error:
            raise Unreadable(Reason.CORRUPT, "The image cannot be opened.") from error

    def __len__(self) -> int:
        return self._frames

    def _count(self) -> int:
        # The frames of other kinds are an animation or previews of the same picture.
        return int(getattr(self._image, "n_frames", 1)) if self._image.format == "TIFF" else 1

    def picture(self, frame: int) -> Picture:
        """A frame as shown, on white; `PictureError` when damaged, `Unreadable` when too large."""
        try:
            with _floods_refused(self._limits.max_pixels):
                self._image.seek(frame)
                self._refuse_floods()
                self._image.draft("L", _bounded(self._image.size))
                return _shown(self._image)
        except _FAULTS as error:
            raise PictureError from error

    def _refuse_floods(self) -> None:
        width, height = self._image.size
        if width * height > self._limits.max_pixels:
            raise Unreadable(Reason.TOO_LARGE, f"{width} × {height}")

    def close(self) -> None:
        """Release the file."""
        self._image.close()


@contextmanager
def _floods_refused(most_pixels: int) -> Iterator[None]:
    """Pillow only warns up to twice its limit: here the warning is a refusal too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        before, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, most_pixels
        try:
            yield
        except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
            raise Unreadable(Reason.TOO_LARGE, f"more than {most_pixels} pixels") from error
        finally:
            Image.MAX_IMAGE_PIXELS = before


def _shown(image: Image.Image) -> Picture:
    """Grey, upright as its camera says, of a size that recognition likes."""
    ImageOps.exif_transpose(image, in_place=True)
    grey = _grey(image)
    size = _bounded(grey.size)
    if grey.width * grey.height < _SMALL_PIXELS and _dpi(image) < _SCANNED_DPI:
        size = (grey.width * 2, grey.height * 2)
    if size != grey.size:
        grey = grey.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    return Picture(grey.width, grey.height, grey.tobytes())


def _grey(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):
        # 16 bits a pixel: converting would cut off all that is lighter than nearly black.
        return image.convert("I").point(lambda value: value / 256).convert("L")
    if not image.has_transparency_data:
        return image.convert("L")
    shown = image.convert("LA")
    ground = Image.new("L", shown.size, 255)
    ground.paste(shown.getchannel("L"), mask=shown.getchannel("A"))
    return ground


def _dpi(image: Image.Image) -> float:
    """Dots per inch as the file says; 0 when it does not."""
    try:
        return min(float(side) for side in image.info.get("dpi", (0,)))
    except (TypeError, ValueError, ZeroDivisionError):
        return 0.0


def _bounded(size: tuple[int, int]) -> tuple[int, int]:
    width, height = size
    shrink = min(1.0, math.sqrt(MOST_PIXELS / max(1, width * height)))
    return max(1, int(width * shrink)), max(1, int(height * shrink))
