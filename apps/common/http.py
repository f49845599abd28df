"""Reading requests: JSON bodies with bounded depth and without characters no text may hold."""

import json
from collections.abc import Mapping
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from apps.common.errors import Invalid

MAX_DEPTH = 64


class BoundedJSONParser(JSONParser):
    """JSON with at most 64 levels, no NaN, no NUL character anywhere."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The parsed body; a body that breaks a rule is a 400 with a sentence."""
        return read_json(stream.read())


def read_json(body: bytes) -> Any:
    """The value of a JSON body.

    Raises Django REST framework's `ParseError` with a sentence when the body is no
    JSON, nests deeper than 64 levels, or holds a NUL character or half a surrogate pair.
    """
    try:
        text = body.decode("utf-8")
        if _depth(text) > MAX_DEPTH:
            raise ParseError(_("The request nests too deeply."))
        value = json.loads(text, parse_constant=_refuse_constant)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ParseError(_("The request is not valid JSON.")) from error
    refuse_unstorable(value)
    return value


def _depth(text: str) -> int:
    """The deepest nesting of brackets, those inside strings counted too: an upper bound."""
    deepest = depth = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _refuse_constant(name: str) -> None:
    raise ParseError(_("The request is not valid JSON."))


def refuse_unstorable(value: object) -> None:
    """Raises `ParseError` when a text inside `value` holds NUL or a lone surrogate."""
    if isinstance(value, str):
        if not is_storable(value):
            raise ParseError(_("The text holds a character that no text may hold (NUL)."))
    elif isinstance(value, dict):
        for key, part in value.items():
            refuse_unstorable(key)
            refuse_unstorable(part)
    elif isinstance(value, list):
        for part in value:
            refuse_unstorable(part)


def is_storable(text: str) -> bool:
    """Whether both databases can hold the text: no NUL, no half of a surrogate pair."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def page_number(raw: str | None) -> int:
    """The page asked for, from 1; anything else is `Invalid`."""
    try:
        number = int(raw or 1)
    except ValueError:
        number = 0
    if not 1 <= number <= 1_000_000:
        raise Invalid(_("The page number is not usable."), fields={"page": [_("From 1 up.")]})
    return number
