"""What an extractor is given and what it reports besides its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from apps.ingestion.recognition import Recognition
from apps.ingestion.values import Limits, Note, Reason, Unreadable

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read. `path` is opened by the extractor; `charset` is what a server declared.

    `is_web_page` asks for the main content only; `skip_until` resumes a paged file after the page
    with that number, counted from 1.
    """

    path: str
    media_type: str
    charset: str = ""
    is_web_page: bool = False
    skip_until: int = 0


def _ignore_progress(done: int, total: int) -> None:
    """Nobody watches."""


def _ignore_recognising() -> None:
    """Nobody watches."""


@dataclass(slots=True)
class Reading:
    """One run of an extractor: its file, its limits and its findings so far.

    `on_recognising` is called before text recognition is tried on a page, since that may take
    longer than pages do; it raises `Unreadable` when there are too many.
    """

    source: SourceFile
    limits: Limits = field(default_factory=Limits)
    recognition: Recognition = field(default_factory=Recognition)
    on_progress: OnProgress = _ignore_progress
    on_recognising: Callable[[], None] = _ignore_recognising
    title: str = ""
    page_count: int | None = None
    notes: Counter[Note] = field(default_factory=Counter)

    def read_bytes(self) -> bytes:
        """The whole file, for kinds that are read in one piece; `Unreadable` over the limit."""
        with open(self.source.path, "rb") as stream:
            data = stream.read(self.limits.max_text_file_bytes + 1)
        if len(data) > self.limits.max_text_file_bytes:
            raise Unreadable(Reason.TOO_LARGE)
        return data
