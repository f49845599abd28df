"""The words and values that travel from a file or page to the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NotRequired, TypedDict

MAX_DETAIL = 500


class Reason(StrEnum):
    """Why a source could not be read. Closed: `apps.ingestion.reasons` holds one sentence each."""

    CANCELLED = "cancelled"
    CORRUPT = "corrupt"
    CRASHED = "crashed"
    DEADLINE = "deadline"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    FORBIDDEN_ADDRESS = "forbidden_address"
    HTTP_STATUS = "http_status"
    INCOMPLETE = "incomplete"
    INVALID_URL = "invalid_url"
    NO_READABLE_TEXT = "no_readable_text"
    NOT_FOUND = "not_found"
    OCR_LOW_CONFIDENCE = "ocr_low_confidence"
    OCR_UNAVAILABLE = "ocr_unavailable"
    OUT_OF_MEMORY = "out_of_memory"
    OUT_OF_SPACE = "out_of_space"
    TOO_LARGE = "too_large"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    TOO_SLOW = "too_slow"
    TYPE_MISMATCH = "type_mismatch"
    UNREACHABLE = "unreachable"
    UNSAFE_ARCHIVE = "unsafe_archive"
    UNSUPPORTED_TYPE = "unsupported_type"


class Note(StrEnum):
    """What a reader should know about a source that was read. Sentences in `reasons`."""

    ATTACHED_FILES_NOT_READ = "attached_files_not_read"
    CHARACTERS_REPLACED = "characters_replaced"
    FORMULAS_NOT_CALCULATED = "formulas_not_calculated"
    LANGUAGES_NOT_INSTALLED = "languages_not_installed"
    PAGES_FAILED = "pages_failed"
    PAGES_NOT_RECOGNISED = "pages_not_recognised"
    PAGES_TOO_LARGE = "pages_too_large"
    PAGES_TOO_SLOW = "pages_too_slow"
    PAGES_UNCLEAR = "pages_unclear"
    PAGES_WITHOUT_TEXT = "pages_without_text"
    REPAIRED = "repaired"


class Locator(TypedDict):
    """Where a text stands in its source; only the keys that apply are present.

    `page` counts physical pages from 1, `label` is the printed number, `frame` counts the images of
    a file from 1 and `frames` says how many there are, `headings` the path from
    the outermost heading, `block` counts blocks of the part from 1, `lines` are the first and last
    line of the file counted from 1, `columns` the header row of the table a chunk continues,
    `rows` the first and last row of a `sheet` from 1, `slide` counts from 1, `times` are seconds
    from the beginning, `part` counts the parts of a message from 1 and `attachment` names the file
    that came with it, `start` and `end` code point offsets in the text of the part.
    """

    kind: str
    page: NotRequired[int]
    label: NotRequired[str]
    frame: NotRequired[int]
    frames: NotRequired[int]
    headings: NotRequired[list[str]]
    place: NotRequired[str]
    block: NotRequired[int]
    lines: NotRequired[list[int]]
    columns: NotRequired[str]
    sheet: NotRequired[str]
    rows: NotRequired[list[int]]
    slide: NotRequired[int]
    times: NotRequired[list[float]]
    part: NotRequired[int]
    attachment: NotRequired[str]
    start: NotRequired[int]
    end: NotRequired[int]


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason to show, with a detail that never holds a path or a traceback.

    `retryable` says whether the fault may pass by itself, `retry_after` the seconds the other side
    asked us to wait, already capped.
    """

    reason: Reason
    detail: str = ""
    retryable: bool = False
    retry_after: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", " ".join(self.detail.split())[:MAX_DETAIL])


class Unreadable(Exception):
    """Raised inside extractors: the file as a whole cannot be read, for the reason carried."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason.value)
        self.failure = Failure(reason, detail)


@dataclass(frozen=True, slots=True)
class Line:
    """One visual line of a page: offsets in the part text, box as fractions of the shown page.

    The box is (x0, y0)-(x1, y1) with the origin at the top left of the page as displayed,
    rotation included.
    """

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float


class BlockKind(StrEnum):
    """How a block may be cut: prose at sentences, rows and code only at line ends."""

    PROSE = "prose"
    ROWS = "rows"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a part with its own cutting rule; `columns` is the header row of a table."""

    start: int
    end: int
    kind: BlockKind = BlockKind.PROSE
    columns: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """The text from `start` to the next mark comes from `first` to `last`, both included."""

    start: int
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Scale:
    """Where the text of a part stands in its file, counted in sheet rows or in seconds.

    `key` names the entry of the locator that chunks get; marks ascend by `start`.
    """

    key: Literal["rows", "times"]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class ExtractedPart:
    """One page, one heading section or one file section, in reading order.

    `first_line` is set for text kinds: the line of the file where the part begins, from 1.
    """

    locator: Locator
    text: str
    lines: tuple[Line, ...] = ()
    blocks: tuple[Block, ...] = ()
    first_line: int | None = None
    scale: Scale | None = None


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A passage ready to be stored; `text` equals the part text between `start` and `end`."""

    ordinal: int
    part: int
    start: int
    end: int
    text: str
    locator: Locator
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a file as a whole.

    `notes` counts each remark; `text_sha256` is the hash of all chunk texts in order, which
    decides whether a page without validators has changed; `extractor` names kind and version.
    """

    media_type: str
    extractor: str
    title: str = ""
    page_count: int | None = None
    part_count: int = 0
    chunk_count: int = 0
    word_count: int = 0
    character_count: int = 0
    text_sha256: str = ""
    notes: Mapping[Note, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one extraction. Sizes in bytes, times in seconds.

    `recognise_seconds` is what text recognition may take for one page, on top of `wall_seconds`.
    """

    max_file_bytes: int = 2048 << 20
    max_text_file_bytes: int = 192 << 20
    max_words: int = 2_000_000
    max_characters: int = 40_000_000
    max_pages: int = 20_000
    max_page_characters: int = 2_000_000
    max_failed_pages: int = 25
    max_crashed_pages: int = 3
    max_pixels: int = 80_000_000
    max_recognised_pages: int = 5_000
    max_slow_pages: int = 3
    max_archive_entries: int = 2_000
    max_archive_bytes: int = 200 << 20
    max_archive_ratio: int = 200
    memory_bytes: int = 1536 << 20
    cpu_seconds: int = 600
    wall_seconds: float = 900.0
    page_seconds: float = 30.0
    recognise_seconds: float = 90.0
    stall_seconds: float = 60.0
    spool_bytes: int = 512 << 20
