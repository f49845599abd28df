"""Numbered pages over a query with a known total."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """`rows` of page `number` (from 1) out of `total` rows, `size` to a page."""

    rows: Sequence[Row]
    number: int
    size: int
    total: int

    @property
    def pages(self) -> int:
        """How many pages there are; an empty list still has one."""
        return max(1, -(-self.total // self.size))

    @property
    def first(self) -> int:
        """The position of the first row, from 1; 0 when there is none."""
        return (self.number - 1) * self.size + 1 if self.rows else 0

    @property
    def last(self) -> int:
        """The position of the last row."""
        return self.first + len(self.rows) - 1 if self.rows else 0

    @property
    def previous(self) -> int | None:
        """The number of the page before, if there is one."""
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        """The number of the page after, if there is one."""
        return self.number + 1 if self.number < self.pages else None

    def facts(self) -> dict[str, int]:
        """What a JSON list says about itself."""
        return {"page": self.number, "page_size": self.size, "total": self.total}


def page_of(query: "QuerySet[Any, Row]", number: int, size: int) -> Page[Row]:
    """One page of a query: two queries, whatever the number of rows."""
    start = (number - 1) * size
    return Page(list(query[start : start + size]), number, size, query.count())
