"""Paragraph styles: which ones are headings, and at which level (ECMA-376 part 1, 17.7)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from apps.ingestion.extractors.wordxml import W, number, value
from apps.ingestion.xml import Element

# The built-in names stay English in the file whatever language Word speaks.
_HEADING_NAME = re.compile(r"heading ([1-9])$", re.I)
_MAX_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Styles:
    """Heading levels and list memberships of paragraph styles, by style id."""

    levels: dict[str, int] = field(default_factory=dict)
    lists: dict[str, tuple[str, int]] = field(default_factory=dict)

    def heading_level(self, paragraph: Element) -> int | None:
        """1 to 9 for a heading (by outline level, style or title), else None."""
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return None
        outline = number(properties.find(f"{W}outlineLvl"))
        if outline is not None and 0 <= outline < 9:
            return outline + 1
        return self.levels.get(value(properties.find(f"{W}pStyle")))


def read_styles(root: Element | None) -> Styles:
    """The styles part; a style without a level of its own takes that of the one it is based on."""
    if root is None:
        return Styles()
    nodes = {node.get(f"{W}styleId", ""): node for node in root.iter(f"{W}style")}
    levels: dict[str, int] = {}
    lists: dict[str, tuple[str, int]] = {}
    for style_id in nodes:
        for node in _chain(nodes, style_id):
            level = _own_level(node)
            if level is not None:
                levels.setdefault(style_id, level)
            member = node.find(f"{W}pPr/{W}numPr")
            if member is not None:
                lists.setdefault(style_id, _membership(member))
    return Styles(levels, lists)


def _chain(nodes: dict[str, Element], style_id: str) -> list[Element]:
    chain: list[Element] = []
    while style_id in nodes and len(chain) < _MAX_CHAIN:
        chain.append(nodes[style_id])
        style_id = value(nodes[style_id].find(f"{W}basedOn"))
    return chain


def _own_level(node: Element) -> int | None:
    name = value(node.find(f"{W}name"))
    if found := _HEADING_NAME.match(name):
        return int(found.group(1))
    if name.lower() == "title":
        return 1
    outline = number(node.find(f"{W}pPr/{W}outlineLvl"))
    return outline + 1 if outline is not None and 0 <= outline < 9 else None


def _membership(member: Element) -> tuple[str, int]:
    return value(member.find(f"{W}numId")), number(member.find(f"{W}ilvl")) or 0
