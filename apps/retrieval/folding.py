"""From the text a page shows to the text that is searched, and back by offsets. Pure."""

import unicodedata
from dataclasses import dataclass

import regex

_APOSTROPHES = regex.compile("[’‘ʼ′＇`´ʹ]")
# Soft hyphen, zero-width characters, direction marks: invisible, and they cut words in two.
_INVISIBLE = regex.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
_LINE_END_HYPHEN = regex.compile(r"(?<=\p{L})[-\u2010\u00ad][ \t]*\r?\n[ \t]*(?=\p{Ll})")
_DROPPED = regex.compile(f"{_LINE_END_HYPHEN.pattern}|{_INVISIBLE.pattern}")
_CLUSTER = regex.compile(r"\X")
_UNSEARCHABLE = regex.compile(r"[\p{Cc}\p{Cs}]")
_MARKS = regex.compile(r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]+")
_LETTERS_WITHOUT_MARK = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)


@dataclass(frozen=True, slots=True)
class SearchText:
    """A searched text and, for each of its characters, where it stands in the shown text.

    `starts[i]` and `ends[i]` bound the shown characters that gave `text[i]`.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def shown_span(self, start: int, end: int) -> tuple[int, int]:
        """Give the shown span [start, end) of a non-empty span of the searched text."""
        return self.starts[start], self.ends[end - 1]


def normalise(shown: str) -> str:
    """Give the searched form of a text: NFKC, case folded, one apostrophe, words joined again.

    Soft hyphens, hyphens at line ends and invisible marks are gone; control characters and lone
    surrogates become spaces. Accents stay, because stemmers need them.
    """
    if shown.isascii():
        return _clean(_LINE_END_HYPHEN.sub("", shown))
    return _clean(_DROPPED.sub("", shown))


def search_text(shown: str) -> SearchText:
    """Give the searched form of a text with the map back to the shown one."""
    places = _kept_places(shown)
    kept = "".join([shown[place] for place in places])
    text: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _CLUSTER.finditer(kept):
        folded = _clean(cluster.group())
        text.append(folded)
        starts.extend([places[cluster.start()]] * len(folded))
        ends.extend([places[cluster.end() - 1] + 1] * len(folded))
    return SearchText("".join(text), tuple(starts), tuple(ends))


def fold_accents(text: str) -> str:
    """Take accents and other marks off a lower-case text: "élève" gives "eleve"."""
    if text.isascii():
        return text
    bare = _MARKS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS_WITHOUT_MARK)


def _clean(text: str) -> str:
    if text.isascii():
        folded = text.lower().replace("`", "'")
    else:
        folded = unicodedata.normalize("NFKC", _APOSTROPHES.sub("'", text)).casefold()
    return _UNSEARCHABLE.sub(" ", folded)


def _kept_places(shown: str) -> list[int]:
    """Where the characters that are searched stand in a shown text."""
    places: list[int] = []
    position = 0
    for gap in _DROPPED.finditer(shown):
        places.extend(range(position, gap.start()))
        position = gap.end()
    places.extend(range(position, len(shown)))
    return places
