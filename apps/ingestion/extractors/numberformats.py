"""Numbers of a spreadsheet as they are meant: dates as dates, codes with their zeros. Pure.

Built-in formats and the language of format codes: ECMA-376 part 1, 18.8.30 and 18.8.31.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

_BUILT_IN = {
    9: "0%",
    10: "0.00%",
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 45, 47), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
    46: "[h]:mm:ss",
}
# Colours, conditions and languages in brackets; texts in quotes; escaped and padding characters.
_DECORATION = re.compile(r"\[(?![hms]+\])[^\]]*\]|\"[^\"]*\"|\\.|_.|\*.", re.I)
_ELAPSED = re.compile(r"\[[hms]+\]", re.I)
_PADDED = re.compile(r'(?:"([^"]*)")?(0{2,20})(?:"([^"]*)")?$')
# Day 60 of the 1900 system is a leap day that never was (ECMA-376 part 1, 18.17.4.1).
_EPOCH_1900 = datetime(1899, 12, 30, tzinfo=UTC)
_EPOCH_1904 = datetime(1904, 1, 1, tzinfo=UTC)
_PHANTOM_DAY = 60
_LAST_DAY = 2_958_465


class _Kind(StrEnum):
    PLAIN = "plain"
    DATE = "date"
    TIME = "time"
    MOMENT = "moment"
    ELAPSED = "elapsed"
    PERCENT = "percent"
    PADDED = "padded"


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How a number is to be shown."""

    kind: _Kind = _Kind.PLAIN
    width: int = 0
    before: str = ""
    after: str = ""


def built_in_format(number: int) -> NumberFormat:
    """The format with one of the numbers that every file may use without defining them."""
    return format_of(_BUILT_IN.get(number, ""))


def format_of(code: str) -> NumberFormat:
    """What a format code says about numbers above zero."""
    positive = code.split(";", maxsplit=1)[0]
    if padded := _PADDED.match(positive):
        before, zeros, after = padded.groups("")
        return NumberFormat(_Kind.PADDED, len(zeros), before, after)
    bare = _DECORATION.sub("", positive).lower()
    if _ELAPSED.search(bare):
        return NumberFormat(_Kind.ELAPSED)
    # Without a day or year next to it, m counts minutes.
    has_date = bool(re.search(r"[dy]|mmm", bare)) and "general" not in bare
    has_time = bool(re.search(r"[hs]", bare))
    if has_date:
        return NumberFormat(_Kind.MOMENT if has_time else _Kind.DATE)
    if has_time:
        return NumberFormat(_Kind.TIME)
    return NumberFormat(_Kind.PERCENT if "%" in bare else _Kind.PLAIN)


def shown(number: float, form: NumberFormat, *, from_1904: bool = False) -> str:
    """The number as a reader expects it: ISO dates, all digits, no rounding to the shown places."""
    if form.kind is _Kind.PERCENT:
        return f"{_digits(number * 100)}%"
    if form.kind is _Kind.PADDED and number >= 0 and number == int(number):
        return f"{form.before}{int(number):0{form.width}d}{form.after}"
    if form.kind is _Kind.ELAPSED and number >= 0:
        return _elapsed(number)
    if form.kind in {_Kind.DATE, _Kind.TIME, _Kind.MOMENT} and 0 <= number <= _LAST_DAY:
        return _moment(number, form.kind, from_1904=from_1904)
    return _digits(number)


def _digits(number: float) -> str:
    """Fifteen significant digits, as many as spreadsheets keep."""
    whole = abs(number) < 1e15 and number == int(number)
    return str(int(number)) if whole else f"{number:.15g}"


def _elapsed(number: float) -> str:
    minutes, second = divmod(round(number * 86_400), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{second:02d}"


def _moment(number: float, kind: _Kind, *, from_1904: bool) -> str:
    if kind is _Kind.DATE and int(number) == _PHANTOM_DAY and not from_1904:
        return "1900-02-29"
    days = number + 1 if number < _PHANTOM_DAY and not from_1904 else number
    epoch = _EPOCH_1904 if from_1904 else _EPOCH_1900
    moment = epoch + timedelta(seconds=round(days * 86_400))
    day, clock = moment.date().isoformat(), moment.time().isoformat("seconds").removesuffix(":00")
    if kind is _Kind.DATE:
        return day
    return clock if kind is _Kind.TIME else f"{day} {clock}"
