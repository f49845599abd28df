from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.ingestion.chunking import chunk
from apps.ingestion.extractors.markdown import _sections
from apps.ingestion.values import BlockKind, Limits, Note, Reason, Unreadable
from tests.ingestion.reads import read

MARKDOWN = """\
---
title: ignored heading
# not a heading
---
# Guide

Intro text.

## Install *now*

```sh
# not a heading either
run it
```

Setext
======

| name | value |
|------|-------|
| a | 1 |
| b | 2 |

### Deep [link](https://example.org)
end
"""


def test_markdown_sections_carry_their_heading_path_and_file_lines(tmp_path: Path) -> None:
    parts, reading = read(tmp_path, MARKDOWN.encode(), "text/markdown")
    assert "".join(part.text for part in parts) == MARKDOWN
    assert [(part.locator.get("headings"), part.first_line) for part in parts] == [
        (None, 1),
        (["Guide"], 5),
        (["Guide", "Install now"], 9),
        (["Setext"], 16),
        (["Setext", "Deep link"], 24),
    ]
    assert reading.title == "Guide"


def test_markdown_tables_and_fences_are_kept_in_lines(tmp_path: Path) -> None:
    parts, _ = read(tmp_path, MARKDOWN.encode(), "text/markdown")
    blocks = [(b.kind, p.text[b.start : b.end], b.columns) for p in parts for b in p.blocks]
    assert blocks[1] == (BlockKind.CODE, "```sh\n# not a heading either\nrun it\n```\n", "")
    kind, rows, columns = blocks[2]
    assert (kind, columns) == (BlockKind.ROWS, "| name | value |")
    assert rows.splitlines()[-1] == "| b | 2 |"


def test_a_long_table_is_never_cut_in_a_row_and_always_knows_its_header(tmp_path: Path) -> None:
    rows = "".join(f"| item {n:04d} | {n * 7} |\n" for n in range(600))
    code = "".join(f"    def f{n}(x): return x + {n}\n" for n in range(400))
    text = f"# T\n\n| name | value |\n|---|---|\n{rows}\n```python\n{code}```\n"
    parts, _ = read(tmp_path, text.encode(), "text/markdown")
    made = list(chunk(parts[0], number=0, first_ordinal=0))
    lines = text.split("\n")
    for draft in made:
        first, last = draft.locator["lines"]
        assert draft.text.rstrip("\n") == "\n".join(lines[first - 1 : last]).rstrip("\n")
        assert draft.text.endswith("\n")
        if draft.text.startswith("| item") and draft.ordinal:
            assert draft.locator["columns"] == "| name | value |"


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(["# h\n", "x\n", "===\n", "\n", "```\n", "| a |\n", "|-|\n", "---\n"]),
        max_size=30,
    )
)
def test_markdown_loses_no_line_whatever_its_shape(lines: list[str]) -> None:
    sections = list(_sections(lines))
    assert [line for section in sections for line in section.text] == lines
    at = 1
    for section in sections:
        assert section.first_line == at
        at += len(section.text)


def test_code_is_marked(tmp_path: Path) -> None:
    parts, _ = read(tmp_path, b"name,city\nZo,Aa\n", "text/x-source")
    assert [block.kind for block in parts[0].blocks] == [BlockKind.CODE]


def test_replaced_bytes_are_counted(tmp_path: Path) -> None:
    _, reading = read(tmp_path, "é\n".encode() + b"\xe8\n", "text/plain")
    assert reading.notes == {Note.CHARACTERS_REPLACED: 1}


def test_a_text_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, b"x" * 101, "text/plain", limits=Limits(max_text_file_bytes=100))
    assert refused.value.failure.reason is Reason.TOO_LARGE
