"""What lists and pages of the library show: plain values, ready to be JSON."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.common.errors import Invalid
from apps.common.http import is_storable
from apps.common.text import fold

MAX_QUERY = 2000
MAX_WORDS = 20
MAX_VALUES = 50


@dataclass(frozen=True, slots=True)
class Filters:
    """How a list is narrowed down: every word of the search, any of the values of each facet."""

    words: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left out."""
        return not (self.words or self.kind or self.author or self.tag)


def filters_of(
    q: str = "",
    kind: str | Sequence[str] = (),
    author: str | Sequence[str] = (),
    tag: str | Sequence[str] = (),
) -> Filters:
    """Filters out of what a request says; one value or several per facet, empty ones ignored.

    Raises Invalid for a search above 2,000 characters, for more than 50 values of a facet,
    and for text that no database holds.
    """
    if len(q) > MAX_QUERY:
        raise Invalid(_("The search is too long."), fields={"q": [_("At most 2,000 characters.")]})
    if not is_storable(q):
        raise Invalid(_("The search holds a character that no text may hold."))
    words = tuple(dict.fromkeys(fold(q).split()))[:MAX_WORDS]
    return Filters(words, _values(kind), _values(author), _values(tag))


def _values(given: str | Sequence[str]) -> tuple[str, ...]:
    values = tuple(filter(None, [given] if isinstance(given, str) else given))
    if len(values) > MAX_VALUES or not all(map(is_storable, values)):
        raise Invalid(_("These filters are not usable."))
    return values


@dataclass(frozen=True, slots=True)
class SourceLabel:
    """One thing to read of a record: `kind` is `attachment` or `url`."""

    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class ResourceRow:
    """A record in a list."""

    id: uuid.UUID
    title: str
    kind: str
    kind_label: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    year: int | None
    sources: tuple[SourceLabel, ...]
    updated_at: datetime

    @property
    def href(self) -> str:
        """The address of the record's page."""
        return reverse("resource", args=[self.id])


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value to narrow down by, and how many records would be left."""

    value: str
    label: str
    count: int
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Facets:
    """The values of each facet, the most frequent first; each counted as if it were not chosen."""

    kind: tuple[FacetValue, ...]
    author: tuple[FacetValue, ...]
    tag: tuple[FacetValue, ...]


@dataclass(frozen=True, slots=True)
class CataloguePage:
    """Page `page` (from 1) of records in alphabetical order, `total` in all."""

    results: tuple[ResourceRow, ...]
    page: int
    page_size: int
    total: int
    facets: Facets
    hidden_without_sources: int

    @property
    def pages(self) -> int:
        """How many pages there are; an empty list still has one."""
        return max(1, -(-self.total // self.page_size))

    @property
    def first(self) -> int:
        """The position of the first record shown, from 1; 0 when there is none."""
        return (self.page - 1) * self.page_size + 1 if self.results else 0

    @property
    def last(self) -> int:
        """The position of the last record shown."""
        return self.first + len(self.results) - 1 if self.results else 0

    @property
    def previous(self) -> int | None:
        """The number of the page before, if there is one."""
        return self.page - 1 if self.page > 1 else None

    @property
    def next(self) -> int | None:
        """The number of the page after, if there is one."""
        return self.page + 1 if self.page < self.pages else None


@dataclass(frozen=True, slots=True)
class AttachmentView:
    """A file of a record, with the address of its bytes; `size` in bytes."""

    id: uuid.UUID
    filename: str
    media_type: str
    size: int
    href: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class LinkView:
    """A web address of a record."""

    id: uuid.UUID
    url: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class ResourceDetail:
    """A record with everything on its page."""

    id: uuid.UUID
    title: str
    kind: str
    kind_label: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    year: int | None
    body: str
    attachments: tuple[AttachmentView, ...]
    links: tuple[LinkView, ...]
    added_by: str
    created_at: datetime
    updated_at: datetime
    can_edit: bool
