"""Typed readers of environment variables that fail loudly, naming the variable."""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


class Env:
    """Reads settings from a mapping, `os.environ` unless a test gives another."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables = os.environ if variables is None else variables

    def text(self, name: str, default: str | None = None) -> str:
        """The value as it stands; without a default the variable must be set."""
        value = self._variables.get(name, default)
        if value is None:
            raise ImproperlyConfigured(f"{name} must be set.")
        return value

    def flag(self, name: str, default: bool) -> bool:
        """A yes or no: 1/true/yes/on or 0/false/no/off."""
        raw = self._variables.get(name)
        if raw is None:
            return default
        if raw.strip().lower() in _TRUE:
            return True
        if raw.strip().lower() in _FALSE:
            return False
        raise ImproperlyConfigured(f"{name} must be true or false, not {raw!r}.")

    def number(self, name: str, default: int, *, low: int, high: int) -> int:
        """A whole number between `low` and `high`, both included."""
        raw = self._variables.get(name)
        if raw is None:
            return default
        try:
            value = int(raw)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name} must be a whole number, not {raw!r}.") from error
        if not low <= value <= high:
            raise ImproperlyConfigured(f"{name} must be from {low} to {high}, not {value}.")
        return value

    def first_number(self, names: tuple[str, ...], default: int, *, low: int, high: int) -> int:
        """Like `number`, under the first of several accepted names that is set."""
        for name in names:
            if name in self._variables:
                return self.number(name, default, low=low, high=high)
        return default

    def items(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """A comma-separated list without empty items."""
        raw = self._variables.get(name)
        if raw is None:
            return list(default)
        return [item.strip() for item in raw.split(",") if item.strip()]

    def choice(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        """One word out of `allowed`."""
        value = self._variables.get(name, default)
        if value not in allowed:
            raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}.")
        return value

    def folder(self, name: str, default: Path) -> Path:
        """A folder as an absolute path; it is made when it is missing."""
        path = Path(self._variables.get(name, str(default))).expanduser().resolve()
        path.mkdir(parents=True, exist_ok=True)
        return path

    def database(self, name: str, sqlite_file: Path) -> dict[str, object]:
        """Django's database settings from `postgresql://user:pass@host:port/name`.

        Without the variable: SQLite in `sqlite_file`, in WAL mode with immediate
        transactions, so that a writer waits for its turn instead of failing late.
        A socket folder is given as `postgresql:///name?host=/folder`.
        """
        raw = self._variables.get(name, "")
        if not raw:
            return _sqlite(sqlite_file)
        parts = urlsplit(raw)
        if parts.scheme not in {"postgres", "postgresql"}:
            raise ImproperlyConfigured(f"{name} must begin with postgresql://.")
        query = dict(item.split("=", 1) for item in parts.query.split("&") if "=" in item)
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.lstrip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(query.get("host", parts.hostname or "")),
            "PORT": str(parts.port or query.get("port", "")),
            "CONN_HEALTH_CHECKS": True,
        }


def _sqlite(file: Path) -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(file),
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                "PRAGMA cache_size=-32000; PRAGMA mmap_size=268435456;"
            ),
        },
    }
