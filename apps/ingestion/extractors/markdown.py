"""Markdown: one part per heading section, the source text as written, cited by its lines.

A line scanner instead of a parser: linear in time whatever the input, and every offset is that of
the file. Structure read: front matter, ATX and setext headings, fences, pipe tables (CommonMark
0.31, sections 4.2, 4.3, 4.5; tables as in GFM 4.10).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from apps.ingestion.cleaning import clean_text
from apps.ingestion.decoding import decode_text
from apps.ingestion.extractors.reading import Reading
from apps.ingestion.values import Block, BlockKind, ExtractedPart, Locator, Note

VERSION = 1

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_TABLE_RULE = re.compile(r"^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_INLINE_MARKS = re.compile(r"[*_`]+|!?\[([^\]]*)\]\([^)]*\)")
_MAX_HEADING = 300
_MAX_HEADING_LINE = 1_000


@dataclass(slots=True)
class _Section:
    """A run of file lines below one heading path."""

    headings: list[str]
    first_line: int
    text: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    length: int = 0

    def add(self, line: str) -> None:
        self.text.append(line)
        self.length += len(line)

    def add_block(self, lines: list[str], kind: BlockKind, columns: str = "") -> None:
        start = self.length
        for line in lines:
            self.add(line)
        self.blocks.append(Block(start, self.length, kind, columns))


def extract(reading: Reading) -> Iterator[ExtractedPart]:
    """The heading sections of the file in order; together they are the whole text."""
    decoded = decode_text(reading.read_bytes())
    text, lost = clean_text(decoded.text)
    if decoded.replaced + lost:
        reading.notes[Note.CHARACTERS_REPLACED] += decoded.replaced + lost
    for section in _sections(_lines(text)):
        reading.title = reading.title or (section.headings[0] if section.headings else "")
        yield _part(section)


def _lines(text: str) -> list[str]:
    """Lines by newline only: `splitlines` also cuts at U+2028 and would shift line numbers."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _part(section: _Section) -> ExtractedPart:
    locator: Locator = {"kind": "lines"}
    if section.headings:
        locator["headings"] = section.headings
    return ExtractedPart(
        locator=locator,
        text="".join(section.text),
        blocks=tuple(section.blocks),
        first_line=section.first_line,
    )


def _sections(lines: list[str]) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    section = _Section([], 1)
    at = _front_matter(lines, section)
    while at < len(lines):
        heading = _heading(lines, at)
        if heading is not None:
            if section.length:
                yield section
            level, title = heading
            path = [step for step in path if step[0] < level] + [(level, title)]
            section = _Section([step[1] for step in path], at + 1)
            section.add(lines[at])
            at += 1
            continue
        at = _body(lines, at, section)
    if section.length:
        yield section


def _front_matter(lines: list[str], section: _Section) -> int:
    """Metadata between two rules at the top belongs to the text but holds no headings."""
    if not lines or lines[0].strip() != "---":
        return 0
    for at, line in enumerate(lines[1:200], 1):
        if line.strip() in {"---", "..."}:
            section.add_block(lines[: at + 1], BlockKind.CODE)
            return at + 1
    return 0


def _heading(lines: list[str], at: int) -> tuple[int, str] | None:
    line = lines[at].rstrip("\n")
    if len(line) > _MAX_HEADING_LINE:
        return None
    if atx := _ATX.match(line):
        return len(atx.group(1)), _plain(atx.group(2) or "")
    below = lines[at + 1].rstrip("\n") if at + 1 < len(lines) else ""
    alone = at == 0 or not lines[at - 1].strip()
    if (setext := _SETEXT.match(below)) and alone and line.strip() and "|" not in line:
        return (1 if setext.group(1)[0] == "=" else 2), _plain(line)
    return None


def _plain(title: str) -> str:
    return _INLINE_MARKS.sub(lambda m: m.group(1) or "", title).strip()[:_MAX_HEADING]


def _body(lines: list[str], at: int, section: _Section) -> int:
    """Add the fence, table or single line at `at`; the index of the line after it."""
    if fence := _FENCE.match(lines[at]):
        end = _fence_end(lines, at, fence.group(1))
        section.add_block(lines[at:end], BlockKind.CODE)
        return end
    if _starts_table(lines, at):
        end = _table_end(lines, at)
        section.add_block(lines[at:end], BlockKind.ROWS, columns=lines[at].strip()[:500])
        return end
    section.add(lines[at])
    return at + 1


def _fence_end(lines: list[str], at: int, mark: str) -> int:
    closing = re.compile(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
    for end in range(at + 1, len(lines)):
        if closing.match(lines[end].rstrip("\n")):
            return end + 1
    return len(lines)


def _starts_table(lines: list[str], at: int) -> bool:
    if "|" not in lines[at] or at + 1 >= len(lines):
        return False
    rule = lines[at + 1].rstrip("\n")
    return "-" in rule and len(rule) < 2_000 and _TABLE_RULE.match(rule) is not None


def _table_end(lines: list[str], at: int) -> int:
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end
