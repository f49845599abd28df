"""How an access table is written down: one row per address and method, one line per object.

A line names the status that each person of the cast gets, in the order of `PEOPLE`. The rows of
an app stand in `access_<app>.py`; an address or a method without a row fails the suite.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse

PEOPLE = ("neus", "clara", "enric", "lola", "victor", "ona", "otto", "anonymous")

# Neus owns the vault, Clara made the thing, Enric edits, Lola reads, Víctor is next door,
# Ona is an admin without a workspace, Otto is in another vault.
#               neus clar enri lola vict ona  otto nobody
EVERYBODY = "    200  200  200  200  200  200  200  200"
ABSENT = "       404  404  404  404  404  404  404  401"
ABSENT_PAGE = "  404  404  404  404  404  404  404  302"


@dataclass(frozen=True, slots=True)
class Thing:
    """An object that rows are tried on: its part of the address, and facts for bodies."""

    kwargs: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


Body = Callable[[Thing], Any]


@dataclass(frozen=True, slots=True)
class Row:
    """What an address answers to each person, for each thing named in `lines`.

    `body` makes the JSON sent, `form` the form or multipart fields. `streams` marks views that
    answer as an event stream and write from other threads.
    """

    name: str
    method: str
    lines: Mapping[str, str]
    query: str = ""
    body: Body | None = None
    form: Body | None = None
    streams: bool = False

    @property
    def label(self) -> str:
        """The row in a test's name."""
        return f"{self.method} {self.name}"

    def expected(self, thing: str) -> dict[str, int]:
        """The status of each person for one thing."""
        statuses = [int(word) for word in self.lines[thing].split()]
        return dict(zip(PEOPLE, statuses, strict=True))

    @property
    def absent(self) -> str:
        """The line that tells of something that does not exist, or nothing."""
        return next((thing for thing in self.lines if thing.endswith(".absent")), "")

    def refused_like_absent(self) -> Iterator[tuple[str, str]]:
        """Things, and people for whom they are as if they did not exist."""
        absent = self.expected(self.absent) if self.absent else dict.fromkeys(PEOPLE, 0)
        for thing in self.lines:
            for person, status in self.expected(thing).items():
                if status >= 400 and status == absent[person]:
                    yield thing, person


def request_of(row: Row, thing: Thing) -> tuple[str, bytes, str]:
    """Address, body and content type of a try."""
    url = reverse(row.name, kwargs=dict(thing.kwargs))
    url = f"{url}?{row.query}" if row.query else url
    if row.form is not None:
        return url, encode_multipart(BOUNDARY, row.form(thing)), MULTIPART_CONTENT
    body = json.dumps(row.body(thing)).encode() if row.body is not None else b""
    return url, body, "application/json"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, and the body without ids and tokens, which differ by nature."""

    status: int
    text: str


_DIFFERS = re.compile(
    r'[0-9a-f]{8}-[0-9a-f-]{27}|(?<=name="csrf-token" content=")\w+'
    r'|(?<=name="csrfmiddlewaretoken" value=")\w+'
)


def answer_of(status: int, content: bytes) -> Answer:
    """The answer in a form that can be compared."""
    return Answer(status, _DIFFERS.sub("", content.decode("utf-8", "replace")))
