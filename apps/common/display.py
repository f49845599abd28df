"""Template words of every page: icons, state glyphs, relative times, hosts. A template built-in."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

from django import template
from django.templatetags.static import static
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext

register = template.Library()


class Choosable(Protocol):
    """A value of a facet."""

    @property
    def label(self) -> str: ...

    @property
    def is_chosen(self) -> bool: ...


class Answered(Protocol):
    """A turn with its text and the citations in it, each with its `marker` as code points."""

    @property
    def text(self) -> str: ...

    @property
    def citations(self) -> Sequence[Mapping[str, Any]]: ...


class Labelled(Protocol):
    """Something to read: `kind` is `url` for a page, anything else is a file."""

    @property
    def kind(self) -> str: ...


MAX_STITCHES = 12
_MARKUP = re.compile(r"^#{1,6}\s+|[*_`]+", re.MULTILINE)
_MINUTE, _HOUR, _DAY = 60, 3600, 86400

# The arc turns by a rule of the page's style sheet, which does not reach into a sprite: drawn here.
_GLYPHS = {
    "available": (
        '<circle cx="7" cy="7" r="6" fill="currentColor"/>'
        '<path d="m4.3 7.3 1.9 1.9 3.6-4.2" fill="none" stroke="var(--page)" stroke-width="1.5"/>'
    ),
    "indexing": (
        '<circle cx="7" cy="7" r="5.2" fill="none" stroke="currentColor" stroke-width="1.4" opacity=".3"/>'
        '<path class="arc" d="M7 1.8A5.2 5.2 0 0 1 12.2 7" fill="none" stroke="currentColor" '
        'stroke-width="1.8" stroke-linecap="round"/>'
    ),
    "stale": (
        '<circle cx="7" cy="7" r="5.3" fill="none" stroke="currentColor" stroke-width="1.4"/>'
        '<path d="M7 4v3.2l2 1.3" fill="none" stroke="currentColor" stroke-width="1.4" '
        'stroke-linecap="round"/>'
    ),
    "error": (
        '<path d="M7 .8 13.2 7 7 13.2.8 7z" fill="currentColor"/>'
        '<path d="M7 4v3.5M7 9.6v.01" stroke="var(--page)" stroke-width="1.6" stroke-linecap="round"/>'
    ),
    "pending": (
        '<circle cx="7" cy="7" r="5.2" fill="none" stroke="currentColor" stroke-width="1.5" '
        'stroke-dasharray="2.2 1.9"/>'
    ),
}


@register.simple_tag
def icon(name: str, size: int = 16, flip: bool = False) -> SafeString:
    """An icon of the sprite, decorative; `flip` turns it round in right-to-left pages."""
    return format_html(
        '<svg class="ic{}" width="{}" height="{}" aria-hidden="true"><use href="{}#i-{}"></use></svg>',
        " flip" if flip else "",
        size,
        size,
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def glyph(state: str) -> SafeString:
    """The drawn sign of a state of material; always followed by its word."""
    drawing = _GLYPHS.get(state, _GLYPHS["pending"])
    return mark_safe(f'<svg viewBox="0 0 14 14" aria-hidden="true">{drawing}</svg>')  # noqa: S308 constants


@register.filter
def ago(moment: datetime | None) -> str:
    """How long ago, in one short phrase; beyond a week the date. Nothing for nothing."""
    if moment is None:
        return ""
    seconds = max(0, int((timezone.now() - moment).total_seconds()))
    if seconds < _MINUTE:
        return gettext("just now")
    if seconds < _HOUR:
        return gettext("%(count)d min ago") % {"count": seconds // _MINUTE}
    if seconds < _DAY:
        return gettext("%(count)d h ago") % {"count": seconds // _HOUR}
    days = seconds // _DAY
    if days == 1:
        return gettext("yesterday")
    if days <= 7:
        return gettext("%(count)d d ago") % {"count": days}
    return short_date(timezone.localtime(moment).date())


def short_date(day: date) -> str:
    """Day and month, with the year when it is another one than now."""
    same_year = day.year == timezone.localdate().year
    return formats.date_format(day, "j M" if same_year else "j M Y")


@register.filter
def host(address: str) -> str:
    """The host of a web address, shown beside every link that leaves the install."""
    return (urlsplit(address).hostname or "").removeprefix("www.")


@register.filter
def stitches(source_count: int) -> range:
    """One stitch per ten sources begun, at most twelve, for the spine of a notebook."""
    return range(min(MAX_STITCHES, -(-source_count // 10)))


@register.filter
def megabytes(size: int) -> str:
    """A size in bytes as people read it, with the separators of the active language."""
    amount = max(size, 1) / 1000
    units = [gettext("kB"), gettext("MB"), gettext("GB")]
    while amount >= 1000 and len(units) > 1:
        amount /= 1000
        units.pop(0)
    rounded = round(amount, 0 if amount >= 10 else 1)
    decimals = 0 if rounded == int(rounded) else 1
    return f"{formats.number_format(rounded, decimal_pos=decimals)} {units[0]}"


@register.filter
def answer_start(turn: Answered, length: int = 320) -> str:
    """The first words of an answer as plain text, without marks of citations and of Markdown."""
    points = list(turn.text)
    for citation in turn.citations:
        start, end = citation["marker"]
        points[start:end] = [""] * (end - start)
    words = " ".join(_MARKUP.sub("", "".join(points)).split())
    return words if len(words) <= length else f"{words[:length].rsplit(' ', 1)[0]}…"


@register.filter
def chosen(values: Iterable[Choosable]) -> list[str]:
    """The labels of the facet values that narrow the list down now."""
    return [value.label for value in values if value.is_chosen]


@register.filter
def holdings(sources: Collection[Labelled]) -> str:
    """What a record holds to read: `2 files, 1 page`."""
    pages = sum(source.kind == "url" for source in sources)
    files = len(sources) - pages
    parts = []
    if files:
        parts.append(ngettext("%(count)d file", "%(count)d files", files) % {"count": files})
    if pages:
        parts.append(ngettext("%(count)d page", "%(count)d pages", pages) % {"count": pages})
    return ", ".join(parts)
