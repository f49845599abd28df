"""List labels as printed: "3.2", "b)", "•" (ECMA-376 part 1, 17.9).

Contracts are cited by their clause numbers, and those exist only as counters in the file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from apps.ingestion.extractors.wordstyles import Styles
from apps.ingestion.extractors.wordxml import W, number, value
from apps.ingestion.xml import Element

_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list counts and prints."""

    style: str = "decimal"
    text: str = ""
    start: int = 1


@dataclass(slots=True)
class Numbering:
    """The lists of a document and how far each has counted."""

    lists: dict[str, dict[int, _Level]] = field(default_factory=dict)
    families: dict[str, str] = field(default_factory=dict)
    _counts: defaultdict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))

    def label(self, paragraph: Element, styles: Styles) -> str:
        """The label of a list paragraph, counting it; nothing for other paragraphs."""
        list_id, depth = _membership(paragraph, styles)
        levels = self.lists.get(list_id)
        if not levels or depth not in levels:
            return ""
        level = levels[depth]
        if level.style == "bullet":
            return "•"
        if level.style == "none":
            return ""
        self._count(list_id, depth, level)
        return self._printed(list_id, levels, level)

    def _count(self, list_id: str, depth: int, level: _Level) -> None:
        counts = self._counts[self.families.get(list_id, list_id)]
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [key for key in counts if key > depth]:
            del counts[deeper]

    def _printed(self, list_id: str, levels: dict[int, _Level], level: _Level) -> str:
        counts = self._counts[self.families.get(list_id, list_id)]

        def digit(match: re.Match[str]) -> str:
            at = int(match.group(1)) - 1
            other = levels.get(at, _Level())
            return _figure(counts.get(at, other.start), other.style)

        return re.sub(r"%([1-9])", digit, level.text).strip()


def read_numbering(root: Element | None) -> Numbering:
    """The numbering part; empty when the document has none."""
    if root is None:
        return Numbering()
    abstract = {
        node.get(f"{W}abstractNumId", ""): _levels(node) for node in root.iter(f"{W}abstractNum")
    }
    numbering = Numbering()
    for node in root.iter(f"{W}num"):
        list_id, family = node.get(f"{W}numId", ""), value(node.find(f"{W}abstractNumId"))
        restarts = node.find(f"{W}lvlOverride/{W}startOverride") is not None
        numbering.lists[list_id] = abstract.get(family, {})
        # Lists of one family count on together unless one says that it starts anew.
        numbering.families[list_id] = list_id if restarts else family
    return numbering


def _levels(node: Element) -> dict[int, _Level]:
    return {
        int(level.get(f"{W}ilvl", "0") or 0): _Level(
            value(level.find(f"{W}numFmt")) or "decimal",
            value(level.find(f"{W}lvlText"))[:40],
            number(level.find(f"{W}start")) or 1,
        )
        for level in node.iter(f"{W}lvl")
        if level.get(f"{W}ilvl", "0").isdigit()
    }


def _membership(paragraph: Element, styles: Styles) -> tuple[str, int]:
    member = paragraph.find(f"{W}pPr/{W}numPr")
    by_style = styles.lists.get(value(paragraph.find(f"{W}pPr/{W}pStyle")), ("", 0))
    if member is None:
        return by_style
    list_id = value(member.find(f"{W}numId")) or by_style[0]
    depth = number(member.find(f"{W}ilvl"))
    return list_id, by_style[1] if depth is None else depth


def _figure(count: int, style: str) -> str:
    if style in {"lowerLetter", "upperLetter"} and count > 0:
        # Word doubles the letter after z: aa, bb.
        letters = chr(ord("a") + (count - 1) % 26) * min(10, (count - 1) // 26 + 1)
        return letters.upper() if style == "upperLetter" else letters
    if style in {"lowerRoman", "upperRoman"} and 0 < count < 4000:
        roman = ""
        for worth, sign in _ROMAN:
            times, count = divmod(count, worth)
            roman += sign * times
        return roman.upper() if style == "upperRoman" else roman
    return f"{count:02d}" if style == "decimalZero" else str(count)
