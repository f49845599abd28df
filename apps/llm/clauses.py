"""The best part of a sentence that is too long to be quoted whole. Pure."""

import re
from collections.abc import Callable, Sequence

_BORDER = re.compile(r"(?<=[,;:—–)])\s+|\s+(?=[(—–])")


def count_words(text: str) -> int:
    """How many words a reader counts: runs between spaces."""
    return len(text.split())


def best_run(text: str, max_words: int, worth: Callable[[str], float]) -> tuple[int, int] | None:
    """The run of whole clauses with at most `max_words` words that is worth most.

    Gives [start, end) code points, the longer and then the earlier of equals; nothing when
    no clause is short enough.
    """
    clauses = _clauses(text)
    runs = [run for at in range(len(clauses)) if (run := _longest(text, clauses[at:], max_words))]
    if not runs:
        return None
    return max(runs, key=lambda run: (worth(text[run[0] : run[1]]), run[1] - run[0], -run[0]))


def _longest(
    text: str, clauses: Sequence[tuple[int, int]], max_words: int
) -> tuple[int, int] | None:
    """The longest run from the first clause on that is short enough.

    A shorter one need not be looked at: more words never cover less.
    """
    start, end = clauses[0][0], None
    words = 0
    for clause in clauses:
        words += count_words(text[slice(*clause)])
        if words > max_words:
            break
        end = clause[1]
    return None if end is None else (start, end)


def _clauses(text: str) -> list[tuple[int, int]]:
    borders = [(found.start(), found.end()) for found in _BORDER.finditer(text)]
    starts = [0, *(end for _, end in borders)]
    ends = [*(start for start, _ in borders), len(text)]
    return [span for span in zip(starts, ends, strict=True) if span[0] < span[1]]
