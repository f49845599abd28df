import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.ingestion.cleaning import clean_part, clean_text
from apps.ingestion.values import Block, ExtractedPart, Line, Mark, Scale

DIRTY = st.text(alphabet="ab \n\r\t\x00\x0c\ud800\udfff\ufffd\ufffe€", max_size=60)


@pytest.mark.parametrize(
    "text, clean, lost",
    [
        ("left\x00right", "leftright", 1),
        ("a\r\nb\rc", "a\nb\nc", 0),
        ("lone \ud835 half", "lone  half", 1),
        ("one \ufffd lost", "one \ufffd lost", 0),
        ("run \ufffd\ufffd\ufffd lost", "run  lost", 3),
        ("page\x0cbreak", "page\nbreak", 0),
        ("tab\tstays\u200b", "tab\tstays\u200b", 0),
    ],
)
def test_what_no_store_accepts_is_taken_out_and_counted(text: str, clean: str, lost: int) -> None:
    assert clean_text(text) == (clean, lost)


@settings(deadline=None)
@given(st.lists(DIRTY, min_size=1, max_size=8))
def test_lines_and_blocks_still_frame_their_text_after_cleaning(pieces: list[str]) -> None:
    pieces = [f"<{piece}>" for piece in pieces]
    at, lines = 0, []
    for piece in pieces:
        lines.append(Line(at, at + len(piece), 0, 0, 1, 1))
        at += len(piece)
    blocks = tuple(Block(line.start, line.end) for line in lines)
    scale = Scale("rows", tuple(Mark(line.start, 1, 1) for line in lines))
    text = "".join(pieces)
    part, _ = clean_part(ExtractedPart({"kind": "page"}, text, tuple(lines), blocks, scale=scale))
    for piece, line, block in zip(pieces, part.lines, part.blocks, strict=True):
        assert part.text[line.start : line.end] == clean_text(piece)[0]
        assert (block.start, block.end) == (line.start, line.end)
    assert part.scale is not None
    assert [mark.start for mark in part.scale.marks] == [line.start for line in part.lines]
    part.text.encode()
    assert "\x00" not in part.text


def test_a_clean_part_is_left_alone() -> None:
    part = ExtractedPart({"kind": "page"}, "clean\n\ttext €")
    assert clean_part(part) == (part, 0)
