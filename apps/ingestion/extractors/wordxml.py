"""Names and small readers of WordprocessingML."""

from __future__ import annotations

from apps.ingestion.xml import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def value(node: Element | None) -> str:
    """The `w:val` attribute, or nothing."""
    return "" if node is None else node.get(f"{W}val", "")


def number(node: Element | None) -> int | None:
    """The `w:val` attribute as a number, or nothing."""
    text = value(node)
    return int(text) if text.lstrip("-").isdigit() and len(text) < 10 else None
