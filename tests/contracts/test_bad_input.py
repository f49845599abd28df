"""Whatever is sent to whichever address, the answer is never a 500 and never a crash."""

import json

import pytest
from django.db import transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.contracts.access_table import Row, request_of
from tests.contracts.rows import ROWS
from tests.contracts.stage import Stage

PARAMETERS = [
    "q",
    "kind",
    "author",
    "tag",
    "page",
    "page_size",
    "revision",
    "limit",
    "before",
    "after",
    "turn",
    "n",
    "language",
    "next",
    "token",
    "inline",
    "version",
]
VALUES = {
    "NUL": "%00",
    "20,000 characters": "x" * 20_000,
    "a huge number": "9" * 400,
    "a number behind 64 bits": "9223372036854775808",
    "minus one": "-1",
    "zero": "0",
    "half a character": "%ED%A0%80",
    "no UTF-8": "%FF%FE",
    "markup": "%3Cscript%3E",
    "another site": "%2F%2Fexample.org",
    "nothing": "",
}
BODIES = {
    "no JSON": b"{",
    "200,000 brackets": b"[" * 200_000,
    "65 levels": b'{"a":' * 65 + b"1" + b"}" * 65,
    "NaN": b"NaN",
    "a list": b"[]",
    "null": b"null",
    "a number": b"1e400",
    "no UTF-8": b"\xff\xfe\x00",
    "nothing": b"",
}
NASTY = (
    "\x00",
    "\ud800",
    "x" * 20_000,
    "",
    None,
    -1,
    10**40,
    [],
    {},
    [None],
    [{"a": 1}],
    True,
    "../../etc/passwd",
)

READING = [row for row in ROWS if row.method == "GET" and not row.streams]
JSON_WRITING = [row for row in ROWS if row.body is not None]
FORM_WRITING = [row for row in ROWS if row.form is not None]


def _url(stage: Stage, row: Row) -> str:
    return request_of(row, stage.things[next(iter(row.lines))])[0].partition("?")[0]


def _send(browser: Client, row: Row, url: str, body: bytes = b"", kind: str = "") -> int:
    with transaction.atomic():
        response = browser.generic(row.method, url, body, kind or "application/json")
        for _block in response if response.streaming else ():
            pass
        transaction.set_rollback(True)
    return response.status_code


@pytest.mark.parametrize("row", READING, ids=lambda row: row.label)
def test_odd_parameters_are_never_a_500(
    stage: Stage, browsers: dict[str, Client], db: None, row: Row
) -> None:
    url = _url(stage, row)
    for name, value in VALUES.items():
        query = "&".join(f"{parameter}={value}" for parameter in PARAMETERS)
        assert _send(browsers["clara"], row, f"{url}?{query}") < 500, name


@pytest.mark.parametrize("parameter", ["q", "page", "kind", "revision", "limit", "before"])
def test_each_odd_parameter_alone_is_never_a_500(
    stage: Stage, browsers: dict[str, Client], db: None, parameter: str
) -> None:
    lists = ("api_resources", "api_selector", "library", "api_notebooks", "notebooks")
    more = ("api_search", "api_evidence", "evidence", "api_sources", "api_conversation")
    for row in READING:
        if row.name in lists + more:
            for name, value in VALUES.items():
                url = f"{_url(stage, row)}?{parameter}={value}"
                assert _send(browsers["clara"], row, url) < 500, (row.label, name)


@pytest.mark.parametrize("row", JSON_WRITING, ids=lambda row: row.label)
def test_bodies_that_are_no_sensible_json_are_a_4xx(
    stage: Stage, browsers: dict[str, Client], db: None, row: Row
) -> None:
    url = _url(stage, row)
    for name, body in BODIES.items():
        status = _send(browsers["clara"], row, url, body)
        assert 400 <= status < 500 or (row.method == "PATCH" and status == 200), name


@pytest.mark.parametrize(
    "row", [row for row in JSON_WRITING if not row.streams], ids=lambda row: row.label
)
def test_odd_values_in_each_field_are_never_a_500(
    stage: Stage, browsers: dict[str, Client], db: None, row: Row
) -> None:
    assert row.body is not None
    thing = stage.things[next(iter(row.lines))]
    for field in row.body(thing):
        for value in NASTY:
            body = json.dumps({**row.body(thing), field: value}).encode()
            status = _send(browsers["clara"], row, _url(stage, row), body)
            assert status < 500, (field, value)


@pytest.mark.parametrize("row", FORM_WRITING, ids=lambda row: row.label)
def test_odd_values_in_forms_are_never_a_500(
    stage: Stage, browsers: dict[str, Client], db: None, row: Row
) -> None:
    assert row.form is not None
    thing = stage.things[next(iter(row.lines))]
    for field in row.form(thing):
        for value in ("\x00", "x" * 20_000, "", "-1", "\u202e"):
            form = encode_multipart(BOUNDARY, {**row.form(thing), field: value})
            status = _send(browsers["clara"], row, _url(stage, row), form, MULTIPART_CONTENT)
            assert status < 500, (field, value)


@pytest.mark.parametrize("number", [0, 2**31, 2**63, 10**40])
def test_passages_with_impossible_numbers_are_absent(
    stage: Stage, browsers: dict[str, Client], db: None, number: int
) -> None:
    notebook = stage.things["notebook.shared"].kwargs["notebook_id"]
    for path in (
        f"/api/notebooks/{notebook}/evidence/{number}",
        f"/notebooks/{notebook}/evidence/{number}",
        f"/notebooks/{notebook}/files/{number}",
    ):
        assert browsers["clara"].get(path).status_code == 404, path
