"""Where a passage stands, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from apps.common.text import fold

_COUNTED_BY_LINES = frozenset({"lines", "part"})


def locator_label(locator: Mapping[str, Any], title: str = "") -> str:
    """A readable place such as `p. 12`, `Annex › Costs` or `lines 10–14`; empty when unknown.

    A heading that only repeats the record's `title`, which stands beside it, is left out.
    """
    parts = [
        *_message_part(locator),
        *_headings(locator, title),
        *_sheet(locator),
        *_slide(locator),
        *_page(locator),
        *_frame(locator),
        *_lines(locator),
        *_times(locator),
    ]
    return " › ".join(parts)


def _message_part(locator: Mapping[str, Any]) -> list[str]:
    if locator.get("kind") != "part":
        return []
    return [str(locator.get("attachment") or _("message"))]


def _headings(locator: Mapping[str, Any], title: str) -> list[str]:
    headings = [str(heading) for heading in locator.get("headings", ()) if heading]
    return [heading for heading in headings if fold(heading) != fold(title)][-2:]


def _sheet(locator: Mapping[str, Any]) -> list[str]:
    sheet, rows = locator.get("sheet"), locator.get("rows")
    found = [str(sheet)] if sheet else []
    if sheet and locator.get("place") == "hidden":
        found = [_("%(sheet)s (hidden)") % {"sheet": sheet}]
    return found + ([_rows(rows)] if rows else [])


def _rows(rows: Sequence[int]) -> str:
    first, last = rows
    if first == last:
        return _("row %(row)s") % {"row": first}
    return _("rows %(first)s–%(last)s") % {"first": first, "last": last}


def _slide(locator: Mapping[str, Any]) -> list[str]:
    slide = locator.get("slide")
    return [] if slide is None else [_("slide %(slide)s") % {"slide": slide}]


def _page(locator: Mapping[str, Any]) -> list[str]:
    page = locator.get("page")
    if page is None:
        return []
    label = str(locator.get("label") or page)
    if label == str(page):
        return [_("p. %(page)s") % {"page": page}]
    return [_("p. %(label)s (PDF %(page)s)") % {"label": label, "page": page}]


def _frame(locator: Mapping[str, Any]) -> list[str]:
    """Nothing for the only image of a file."""
    frame = locator.get("frame")
    if frame is None or locator.get("frames") == 1:
        return []
    return [_("image %(frame)s") % {"frame": frame}]


def _lines(locator: Mapping[str, Any]) -> list[str]:
    lines = locator.get("lines")
    if not lines or locator.get("kind") not in _COUNTED_BY_LINES:
        return []
    first, last = lines
    if first == last:
        return [_("line %(line)s") % {"line": first}]
    return [_("lines %(first)s–%(last)s") % {"first": first, "last": last}]


def _times(locator: Mapping[str, Any]) -> list[str]:
    times = locator.get("times")
    return ["–".join(_clock(second) for second in times)] if times else []


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds as players show them."""
    minutes, second = divmod(int(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02d}:{second:02d}"
