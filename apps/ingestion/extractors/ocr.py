"""The only door to pytesseract: a grey picture turned upright and read, word by word.

Tesseract runs as a child of this process and in its group, so that whoever kills the group takes it
along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import monotonic
from typing import Any

import pytesseract
from PIL import Image

from apps.ingestion.extractors.layout import Placed
from apps.ingestion.extractors.pictures import Picture, grey_image
from apps.ingestion.values import Line

# Mean confidence per character. Turned or blurred text comes out below 60, print above 85.
_FLOOR = 65.0
_SURE = 80.0
# Tesseract's own measure of how much better one orientation is than the next.
_SURE_TURN = 3.0
_OTHER_TURNS = (90, 270, 180)


class UnclearError(Exception):
    """There is writing, but no reading of it can be trusted."""


class TooSlowError(Exception):
    """Recognition did not end within its time."""


class RecognitionError(Exception):
    """The program failed on this picture."""


class NotInstalledError(Exception):
    """The program is gone."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, its confidence from 0 to 100, its line and its box in pixels."""

    text: str
    confidence: float
    paragraph: tuple[int, int]
    line: int
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The words read with the picture turned clockwise by `turn`."""

    turn: int
    size: tuple[int, int]
    words: tuple[_Word, ...]

    @property
    def confidence(self) -> float:
        """The mean over all characters; 0 without any."""
        weight = sum(len(word.text) for word in self.words)
        total = sum(word.confidence * len(word.text) for word in self.words)
        return total / weight if weight else 0.0


def recognise(picture: Picture, languages: Sequence[str], seconds: float) -> Placed | None:
    """The text of a picture, lines by a newline and paragraphs by an empty line; None without any.

    Boxes are fractions of the picture as given, also where it had to be turned. `UnclearError`
    below the floor of confidence, `TooSlowError` after `seconds`.
    """
    reader = _Reader(picture, "+".join(languages), monotonic() + seconds)
    turn = reader.orientation()
    attempt = reader.read(turn or 0)
    if turn is None and attempt.words and attempt.confidence < _SURE:
        # A few words say too little of how the page lies: the best reading decides.
        attempt = _best_turned(reader, attempt)
    if not attempt.words:
        return None
    if attempt.confidence < _FLOOR:
        raise UnclearError
    return _placed(attempt)


def _best_turned(reader: _Reader, best: _Attempt) -> _Attempt:
    for turn in _OTHER_TURNS:
        best = max(best, reader.read(turn), key=lambda attempt: attempt.confidence)
        if best.confidence >= _SURE:
            break
    return best


class _Reader:
    """Calls of the program on one picture, within one time."""

    def __init__(self, picture: Picture, languages: str, deadline: float) -> None:
        self._picture = picture
        self._languages = languages
        self._deadline = deadline

    def orientation(self) -> int | None:
        """By how much the page must be turned clockwise; None where that cannot be told."""
        try:
            found = self._call(pytesseract.image_to_osd, self._image(0))
        except RecognitionError:
            return None
        sure = float(found["orientation_conf"]) >= _SURE_TURN
        return int(found["rotate"]) % 360 if sure else None

    def read(self, turn: int) -> _Attempt:
        """The words with the picture turned."""
        image = self._image(turn)
        table = self._call(pytesseract.image_to_data, image, lang=self._languages)
        return _Attempt(turn, image.size, tuple(_words(table)))

    def _image(self, turn: int) -> Image.Image:
        image = grey_image(self._picture, turn)
        # It decides how the picture is handed over: uncompressed takes the least time.
        image.format = "TIFF"
        return image

    def _call(self, function: Any, image: Image.Image, **options: Any) -> dict[str, Any]:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TooSlowError
        try:
            found: dict[str, Any] = function(
                image, timeout=left, output_type=pytesseract.Output.DICT, **options
            )
        except pytesseract.TesseractNotFoundError as error:
            raise NotInstalledError from error
        except pytesseract.TesseractError as error:
            raise RecognitionError from error
        except RuntimeError as error:
            raise TooSlowError from error
        except (OSError, ValueError, LookupError, SystemExit) as error:
            raise RecognitionError from error
        return found


def _words(table: Mapping[str, Sequence[Any]]) -> Iterator[_Word]:
    """The rows of Tesseract's table that are words (level 5) and not white space."""
    for at, written in enumerate(table["text"]):
        text, confidence = str(written).strip(), float(table["conf"][at])
        if not text or confidence < 0:
            continue
        left, top = table["left"][at], table["top"][at]
        yield _Word(
            text,
            confidence,
            (table["block_num"][at], table["par_num"][at]),
            table["line_num"][at],
            (left, top, left + table["width"][at], top + table["height"][at]),
        )


def _placed(attempt: _Attempt) -> Placed:
    pieces: list[str] = []
    lines: list[Line] = []
    at = 0
    for _, paragraph in groupby(attempt.words, key=lambda word: word.paragraph):
        gap = "\n\n"
        for _, row in groupby(paragraph, key=lambda word: word.line):
            words = list(row)
            text = " ".join(word.text for word in words)
            if lines:
                pieces.append(gap)
                at += len(gap)
            lines.append(Line(at, at + len(text), *_box(words, attempt)))
            pieces.append(text)
            at += len(text)
            gap = "\n"
    return Placed("".join(pieces), tuple(lines))


def _box(words: Sequence[_Word], attempt: _Attempt) -> tuple[float, float, float, float]:
    """Around the words, as fractions of the picture before it was turned."""
    width, height = attempt.size
    left, right = min(w.box[0] for w in words) / width, max(w.box[2] for w in words) / width
    top, bottom = min(w.box[1] for w in words) / height, max(w.box[3] for w in words) / height
    upright = {
        0: (left, top, right, bottom),
        90: (top, 1 - right, bottom, 1 - left),
        180: (1 - right, 1 - bottom, 1 - left, 1 - top),
        270: (1 - bottom, left, 1 - top, right),
    }[attempt.turn]
    x0, y0, x1, y1 = (min(1.0, max(0.0, round(side, 5))) for side in upright)
    return x0, y0, x1, y1
