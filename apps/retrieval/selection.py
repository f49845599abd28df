"""After ranking: at most so many chunks a source, and neighbours joined into passages. Pure."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

MAX_PER_SOURCE = 2

Hit = TypeVar("Hit")


@dataclass(frozen=True, slots=True)
class Cut:
    """A hit that was ranked and left out, and why, for `explain`."""

    position: int
    reason: str


def within_share(
    sources: Iterable[Hashable], max_per_source: int = MAX_PER_SOURCE
) -> Iterator[bool]:
    """Tell for each hit's source, best hit first, whether it still has room for the hit."""
    seen: Counter[Hashable] = Counter()
    for source in sources:
        seen[source] += 1
        yield seen[source] <= max_per_source


def limit_per_source(
    hits: Sequence[Hit],
    source_of: Callable[[Hit], Hashable],
    limit: int,
    *,
    max_per_source: int = MAX_PER_SOURCE,
) -> tuple[tuple[Hit, ...], tuple[Cut, ...]]:
    """Give the first `limit` hits with at most `max_per_source` of one source, and what was cut.

    The cap works before the cut, so a lower hit of another source moves up.
    """
    kept: list[Hit] = []
    cut: list[Cut] = []
    rooms = within_share(map(source_of, hits), max_per_source)
    for position, (hit, has_room) in enumerate(zip(hits, rooms, strict=True)):
        if len(kept) == limit:
            cut.append(Cut(position, "below_limit"))
        elif has_room:
            kept.append(hit)
        else:
            cut.append(Cut(position, "source_full"))
    return tuple(kept), tuple(cut)


def join_adjacent(
    hits: Sequence[Hit], place_of: Callable[[Hit], tuple[Hashable, int]]
) -> tuple[tuple[Hit, ...], ...]:
    """Give hits grouped into passages, each in reading order, passages by their best hit.

    `place_of` gives a hit's (source version, ordinal); neighbours differ by one ordinal.
    """
    by_place = {place_of(hit): hit for hit in hits}
    passages: list[tuple[Hit, ...]] = []
    taken: set[tuple[Hashable, int]] = set()
    for hit in hits:
        if place_of(hit) in taken:
            continue
        places = _neighbourhood(place_of(hit), by_place.keys())
        taken.update(places)
        passages.append(tuple(by_place[place] for place in places))
    return tuple(passages)


def _neighbourhood(
    place: tuple[Hashable, int], known: Iterable[tuple[Hashable, int]]
) -> list[tuple[Hashable, int]]:
    version, ordinal = place
    places = frozenset(known)
    first = last = ordinal
    while (version, first - 1) in places:
        first -= 1
    while (version, last + 1) in places:
        last += 1
    return [(version, at) for at in range(first, last + 1)]
