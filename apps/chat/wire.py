"""Frozen dataclasses to JSON objects and back, strictly. Pure."""

import types
import typing
import uuid
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from typing import Any, TypeVar, get_args, get_origin

Value = TypeVar("Value")


class WireError(ValueError):
    """A JSON value is not what the type says."""


def to_json(value: object) -> Any:
    """The value as plain JSON types; dataclasses become objects, fields in their order."""
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, StrEnum | uuid.UUID):
        return str(value)
    if isinstance(value, tuple):
        return [to_json(part) for part in value]
    if isinstance(value, dict):
        return {str(key): to_json(part) for key, part in value.items()}
    return value


def from_json(kind: type[Value], data: object) -> Value:
    """The value of that type; raises WireError for a missing, unknown or wrong field."""
    return typing.cast(Value, _read(kind, data))


def _read(kind: Any, data: object) -> object:
    if kind is Any:
        return data
    if is_dataclass(kind) and isinstance(kind, type):
        return _read_object(kind, data)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in {types.UnionType, typing.Union}:
        return _read_either(parts, data)
    if origin is tuple:
        return _read_tuple(parts, data)
    if origin is dict:
        return _read_mapping(parts, data)
    return _read_plain(kind, data)


def _read_object(kind: type, data: object) -> object:
    if not isinstance(data, dict):
        raise WireError(f"{kind.__name__}: an object is expected")
    known = {field.name: field for field in fields(kind)}
    needed = {name for name, field in known.items() if field.default is MISSING}
    if not needed <= set(data) <= set(known):
        odd = sorted(map(str, (needed - set(data)) | (set(data) - set(known))))
        raise WireError(f"{kind.__name__}: missing or unknown {', '.join(odd)}")
    hints = typing.get_type_hints(kind)
    return kind(**{name: _read(hints[name], part) for name, part in data.items()})


def _read_either(parts: tuple[Any, ...], data: object) -> object:
    for part in parts:
        try:
            return _read(part, data)
        except WireError:
            continue
    raise WireError(f"{data!r} fits none of the types")


def _read_tuple(parts: tuple[Any, ...], data: object) -> tuple[object, ...]:
    if not isinstance(data, list):
        raise WireError("a list is expected")
    if parts[-1] is Ellipsis:
        return tuple(_read(parts[0], part) for part in data)
    if len(parts) != len(data):
        raise WireError(f"a list of {len(parts)} is expected")
    return tuple(_read(part, value) for part, value in zip(parts, data, strict=True))


def _read_mapping(parts: tuple[Any, ...], data: object) -> dict[object, object]:
    if not isinstance(data, dict):
        raise WireError("an object is expected")
    return {_read(parts[0], key): _read(parts[1], value) for key, value in data.items()}


def _read_plain(kind: Any, data: object) -> object:
    if kind is types.NoneType:
        fits = data is None
    elif isinstance(kind, type) and issubclass(kind, StrEnum | uuid.UUID):
        return _read_word(kind, data)
    elif kind is float:
        fits = isinstance(data, int | float) and not isinstance(data, bool)
    else:
        fits = isinstance(data, kind) and (kind is bool or not isinstance(data, bool))
    if not fits:
        raise WireError(f"{data!r} is no {kind}")
    return data


def _read_word(kind: Any, data: object) -> object:
    if not isinstance(data, str):
        raise WireError(f"{data!r} is no {kind.__name__}")
    try:
        return kind(data)
    except ValueError as error:
        raise WireError(str(error)) from error
