"""What goes to a model and what comes back, whoever the provider is. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Who said a message of the history."""

    USER = "user"
    ASSISTANT = "assistant"


class Answerable(StrEnum):
    """What the verdict before the prompt lets a provider claim about the evidence."""

    YES = "yes"
    WEAK = "weak"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Block:
    """One part of the system prompt; cacheable parts come first and stay byte-identical."""

    text: str
    cacheable: bool


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation so far."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence under the opaque key that means it in this turn only.

    It holds nothing of the record it belongs to, neither title nor file name: those are no
    evidence, and a provider must not know them. `label` is the place inside the source.
    `score` is the rank score of the search (0 to 1, 1 for the best), `group` names the
    source and `order` sorts the pieces of one source in reading order.
    """

    key: str
    text: str
    label: str
    language: str
    score: float
    group: str
    order: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything a provider may know in one turn.

    `language` is the ISO 639-1 code to answer in, `max_words` bounds the words of cited
    text of a provider that quotes instead of writing.
    """

    system: tuple[Block, ...]
    history: tuple[Message, ...]
    question: str
    evidence: tuple[Piece, ...]
    language: str
    answerable: Answerable
    max_words: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next fragment of the answer, Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class CitationKey:
    """The provider cites the piece `key` for what it has just said.

    `quote` is the passage it took, as [start, end) code points in the piece's text, when the
    provider knows it; nothing is believed before the server has checked it.
    """

    key: str
    quote: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; they add up over the events of one turn."""

    input: int = 0
    output: int = 0
    cached: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """The sum of two counts."""
        return Usage(
            self.input + other.input, self.output + other.output, self.cached + other.cached
        )


@dataclass(frozen=True, slots=True)
class Finished:
    """The provider ended its answer by itself; a stream without it was cut."""


ModelEvent = TextDelta | CitationKey | Usage | Finished


class ProviderError(Exception):
    """The provider failed, timed out or refused.

    `reached` tells whether it had been called at all, `retryable` whether asking the same
    again may work; `detail` is for the log, never for the screen.
    """

    def __init__(self, detail: str, *, reached: bool, retryable: bool) -> None:
        super().__init__(detail)
        self.detail = detail
        self.reached = reached
        self.retryable = retryable
