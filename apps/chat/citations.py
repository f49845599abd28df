"""From opaque keys to numbered citations, while the answer grows. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.chat.values import Support
from apps.llm.values import CitationKey
from apps.llm.wording import unescape_markdown


@dataclass(frozen=True, slots=True)
class Marked:
    """A citation that the answer text now holds.

    `text` is what was added to the answer for it; `marker` and `sentence` are [start, end) in
    the answer, `quote` is [start, end) in the text of the piece `key`.
    """

    key: str
    n: int
    text: str
    marker: tuple[int, int]
    sentence: tuple[int, int]
    quote: tuple[int, int]
    support: Support


class AnswerText:
    """The answer as it grows: joins fragments, numbers citations, drops unknown keys.

    A number stands for one passage; the same passage cited again keeps its number.
    """

    def __init__(self) -> None:
        self._pieces: Mapping[str, str] = {}
        self._parts: list[str] = []
        self._length = 0
        self._sentence_start = 0
        self._numbers: dict[tuple[str, tuple[int, int]], int] = {}
        self._last: tuple[int, int] | None = None
        self.unknown = 0
        self.cited = 0

    @property
    def text(self) -> str:
        """All of the answer so far."""
        return "".join(self._parts)

    def give_out(self, pieces: Mapping[str, str]) -> None:
        """Makes the keys of this turn known, each with the text it means."""
        self._pieces = pieces

    def add(self, text: str) -> None:
        """Takes in the next fragment."""
        self._parts.append(text)
        self._length += len(text)

    def cite(self, event: CitationKey) -> Marked | None:
        """The citation, its `[n]` added to the text; nothing for a key nobody gave out."""
        source = self._pieces.get(event.key)
        if source is None:
            self.unknown += 1
            return None
        quote = _usable(event.quote, source)
        n = self._numbers.setdefault((event.key, quote), len(self._numbers) + 1)
        sentence = self._sentence()
        support = _support(self.text[slice(*sentence)], source[slice(*quote)], event.quote)
        marker = f"[{n}]"
        start = self._length
        self.add(marker)
        self._last, self._sentence_start = sentence, self._length
        self.cited += 1
        return Marked(event.key, n, marker, (start, self._length), sentence, quote, support)

    def _sentence(self) -> tuple[int, int]:
        """What was said since the last citation, without the space around it.

        Two citations in a row support the same sentence.
        """
        said = self.text[self._sentence_start :]
        stripped = said.strip()
        if not stripped and self._last is not None:
            return self._last
        start = self._sentence_start + len(said) - len(said.lstrip())
        paragraph = stripped.rfind("\n\n")
        if paragraph >= 0:
            start += paragraph + 2
            stripped = stripped[paragraph + 2 :]
        return start, start + len(stripped)


def _usable(quote: tuple[int, int] | None, source: str) -> tuple[int, int]:
    """The quote when it lies inside the piece, else the whole piece."""
    if quote is None or not 0 <= quote[0] < quote[1] <= len(source):
        return 0, len(source)
    return quote


def _support(said: str, quoted: str, quote: tuple[int, int] | None) -> Support:
    """Verbatim when the sentence is the quote itself, ellipses aside."""
    plain = unescape_markdown(said).removeprefix("… ").removesuffix(" …")
    return Support.VERBATIM if quote is not None and plain == quoted else Support.UNCHECKED


def keyed(count: int) -> Sequence[str]:
    """The keys of a turn's pieces: `S1`, `S2`, … They mean nothing outside the turn."""
    return [f"S{number}" for number in range(1, count + 1)]
