import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.ingestion.chunking import Size, chunk
from apps.ingestion.values import (
    Block,
    BlockKind,
    ChunkDraft,
    ExtractedPart,
    Line,
    Mark,
    Scale,
)

SMALL = Size(20, 30)
PIECES = st.sampled_from(
    [
        "word ",
        "a",
        "Sentence one. ",
        "\n",
        "\n\n",
        "語",
        "e\u0301",
        "👩‍👩‍👧‍👦",
        "🇦🇹",
        "🏳️‍🌈",
        "| a | b |\n",
        "\r\n",
        "。",
    ]
)
TEXTS = st.lists(PIECES, max_size=120).map("".join) | st.text(max_size=300)


def chunks(text: str, size: Size | None = None, **part: object) -> list[ChunkDraft]:
    made = ExtractedPart({"kind": "lines"}, text, **part)  # type: ignore[arg-type]
    return list(chunk(made, number=0, first_ordinal=0, size=size))


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.sampled_from([SMALL, Size(5, 8), Size(1, 1), Size(30, 30)]))
def test_chunks_partition_the_text_within_bounds(text: str, size: Size) -> None:
    made = chunks(text, size)
    assert "".join(c.text for c in made) == text
    assert all(c.text and len(c.text) <= size.most for c in made)
    assert [c.ordinal for c in made] == list(range(len(made)))
    assert all(text[c.start : c.end] == c.text for c in made)


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_no_cut_falls_inside_a_grapheme_cluster(text: str) -> None:
    borders, at = {0}, 0
    longest = 0
    for cluster in regex.findall(r"\X", text):
        at += len(cluster)
        longest = max(longest, len(cluster))
        borders.add(at)
    if longest <= SMALL.most:
        assert {c.end for c in chunks(text, SMALL)} <= borders


@settings(deadline=None)
@given(st.lists(st.integers(1, 25), min_size=1, max_size=40), st.booleans())
def test_rows_and_code_lines_that_fit_stay_whole(widths: list[int], rows: bool) -> None:
    text = "".join("x " * (width // 2) + "x\n" for width in widths)
    kind = BlockKind.ROWS if rows else BlockKind.CODE
    made = chunks(text, SMALL, blocks=(Block(0, len(text), kind),))
    assert "".join(c.text for c in made) == text
    assert all(c.text.endswith("\n") for c in made)


@settings(deadline=None)
@given(TEXTS, st.integers(1, 50))
def test_line_numbers_are_those_of_the_file(text: str, first: int) -> None:
    for made in chunks(text, SMALL, first_line=first):
        start, end = made.locator["lines"]
        assert start == first + text.count("\n", 0, made.start)
        assert end == first + text.count("\n", 0, max(made.start, made.end - 1))


def test_prose_is_cut_after_sentences_between_900_and_1200_characters() -> None:
    text = "The valve opens at a pressure of ten bar and closes again. " * 200
    made = chunks(text)
    assert all(900 <= len(c.text) <= 1200 and c.text.endswith(". ") for c in made[:-2])
    assert all(c.text.endswith(". ") for c in made)


def test_the_last_two_chunks_share_what_is_left() -> None:
    made = chunks("word " * 260)
    assert len(made) == 2
    assert min(len(c.text) for c in made) >= 450


def test_one_line_of_five_megabytes_is_cut_without_spaces() -> None:
    text = "abcdefghij" * (512 * 1024)
    made = chunks(text)
    assert "".join(c.text for c in made) == text
    assert max(len(c.text) for c in made) <= 1200


def test_a_chunk_that_continues_a_table_names_its_columns() -> None:
    header = "| name | value |\n"
    text = "Intro.\n" + header + "".join(f"| item {n} | {n * 7} |\n" for n in range(200))
    table = Block(7, len(text), BlockKind.ROWS, columns=header.strip())
    made = chunks(text, blocks=(Block(0, 7), table))
    assert "columns" not in made[0].locator
    assert {c.locator["columns"] for c in made[1:]} == {header.strip()}
    assert [c.locator["block"] for c in made] == [1] + [2] * (len(made) - 1)


def test_boxes_are_clipped_to_the_chunk_in_proportion() -> None:
    text = "aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd"
    line = Line(0, len(text), 0.0, 0.1, 0.43, 0.2)
    first, second = chunks(text, SMALL, lines=(line,))
    assert (first.lines[0].start, first.lines[0].end) == (0, first.end)
    assert first.lines[0].x1 == pytest.approx(0.01 * first.end)
    assert second.lines[0].x0 == first.lines[0].x1
    assert second.lines[0].end == len(text)


@pytest.mark.parametrize("least, most", [(0, 10), (11, 10), (-1, 5)])
def test_impossible_sizes_are_refused(least: int, most: int) -> None:
    with pytest.raises(ValueError, match="least size"):
        Size(least, most)


def test_a_chunk_says_which_rows_it_holds() -> None:
    rows = [f"name: {n:04d}\n" for n in range(1, 301)]
    marks = tuple(Mark(at * len(rows[0]), at * 2 + 1, at * 2 + 2) for at in range(300))
    text = "".join(rows)
    part = ExtractedPart(
        {"kind": "rows", "columns": "name"},
        text,
        blocks=(Block(0, len(text), BlockKind.ROWS),),
        scale=Scale("rows", marks),
    )
    drafts = list(chunk(part, number=0, first_ordinal=0))
    assert "".join(draft.text for draft in drafts) == text
    assert [draft.locator["rows"][0] for draft in drafts[1:]] == [
        draft.locator["rows"][1] + 1 for draft in drafts[:-1]
    ]
    assert drafts[-1].locator["rows"][1] == 600
    assert {draft.locator["columns"] for draft in drafts} == {"name"}
    assert all(draft.text.endswith("\n") for draft in drafts)
