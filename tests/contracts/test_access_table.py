"""Every address × everybody of the cast × own, shared, private and foreign things.

What may not be known is answered exactly like what does not exist.
"""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.contracts.access_table import PEOPLE, Answer, Row, Thing, answer_of, request_of
from tests.contracts.rows import ROWS
from tests.contracts.stage import Stage

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
QUIET = [row for row in ROWS if not row.streams]


def _patterns(resolver: URLResolver) -> Iterator[URLPattern]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern)
        else:
            yield pattern


ADDRESSES = list(_patterns(get_resolver()))


def test_every_address_has_a_name_of_its_own() -> None:
    names = [pattern.name for pattern in ADDRESSES]
    assert None not in names
    assert len(names) == len(set(names))


def test_every_address_has_a_row_and_every_row_an_address() -> None:
    assert {row.name for row in ROWS} == {pattern.name for pattern in ADDRESSES}


@pytest.mark.parametrize("row", QUIET, ids=lambda row: row.label)
def test_everybody_gets_what_the_table_says(
    stage: Stage, browsers: dict[str, Client], db: None, row: Row
) -> None:
    got = {
        (thing, person): _answer(browsers[person], row, stage.things[thing])
        for thing in row.lines
        for person in PEOPLE
    }
    wrong = [
        f"{person} on {thing or 'it'}: {got[thing, person].status}, not {status}"
        for thing in row.lines
        for person, status in row.expected(thing).items()
        if got[thing, person].status != status
    ]
    told = [
        f"{person} can tell {thing} from something absent"
        for thing, person in row.refused_like_absent()
        if got[thing, person] != got[row.absent, person]
    ]
    leaked = [
        f"{person} reads {title!r} on {thing or 'it'}"
        for (thing, person), answer in got.items()
        for title in stage.leaks(answer.text, person)
    ]
    assert wrong + told + leaked == []


@pytest.mark.parametrize("pattern", ADDRESSES, ids=lambda pattern: pattern.name)
def test_a_method_without_a_row_is_not_taken(
    stage: Stage, browsers: dict[str, Client], db: None, pattern: URLPattern
) -> None:
    rows = [row for row in ROWS if row.name == pattern.name]
    url = reverse(rows[0].name, kwargs=dict(stage.things[next(iter(rows[0].lines))].kwargs))
    for method in set(METHODS) - {row.method for row in rows}:
        assert browsers["clara"].generic(method, url).status_code == 405, method


def _answer(browser: Client, row: Row, thing: Thing) -> Answer:
    """One try; what it wrote is taken back, what it set in the browser too."""
    url, body, content_type = request_of(row, thing)
    cookies = browser.cookies.copy()
    with transaction.atomic():
        response = browser.generic(row.method, url, body, content_type)
        content = b"".join(response) if response.streaming else response.content
        transaction.set_rollback(True)
    browser.cookies = cookies
    return answer_of(response.status_code, content)
