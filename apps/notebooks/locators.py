"""Where a passage stands, in words."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _


def locator_label(locator: Mapping[str, Any]) -> str:
    """A readable place such as `p. 12`, `Annex › Costs` or `lines 10–14`; empty when unknown."""
    parts = [*_headings(locator), *_page(locator), *_lines(locator)]
    return " › ".join(parts)


def _headings(locator: Mapping[str, Any]) -> list[str]:
    return [str(heading) for heading in locator.get("headings", ()) if heading][-2:]


def _page(locator: Mapping[str, Any]) -> list[str]:
    page = locator.get("page")
    if page is None:
        return []
    label = str(locator.get("label") or page)
    if label == str(page):
        return [_("p. %(page)s") % {"page": page}]
    return [_("p. %(label)s (PDF %(page)s)") % {"label": label, "page": page}]


def _lines(locator: Mapping[str, Any]) -> list[str]:
    lines = locator.get("lines")
    if not lines or locator.get("kind") != "lines":
        return []
    first, last = lines
    if first == last:
        return [_("line %(line)s") % {"line": first}]
    return [_("lines %(first)s–%(last)s") % {"first": first, "last": last}]
