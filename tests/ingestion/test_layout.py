import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.ingestion.extractors.layout import in_reading_order, place_lines
from apps.ingestion.extractors.pdfium import VisualLine


def line(text: str, x: float, y: float, width: float = 0.35) -> VisualLine:
    return VisualLine(text, x, y, x + width, y + 0.015)


LEFT = [line(f"L{n}", 0.1, 0.2 + n * 0.02) for n in range(5)]
RIGHT = [line(f"R{n}", 0.55, 0.2 + n * 0.02) for n in range(5)]
TITLE = line("title", 0.1, 0.1, 0.8)
FOOTER = line("footer", 0.1, 0.95, 0.8)
READ = ["title", *(f"L{n}" for n in range(5)), *(f"R{n}" for n in range(5)), "footer"]


@pytest.mark.parametrize(
    "drawn",
    [
        [TITLE, *LEFT, *RIGHT, FOOTER],
        [FOOTER, TITLE, *LEFT, *RIGHT],
        [FOOTER, TITLE, *RIGHT, *LEFT],
        [FOOTER, TITLE, *(piece for pair in zip(LEFT, RIGHT, strict=True) for piece in pair)],
    ],
    ids=["as read", "footer first", "right column first", "row by row"],
)
def test_columns_are_read_one_after_the_other(drawn: list[VisualLine]) -> None:
    assert [piece.text for piece in in_reading_order(drawn)] == READ


def test_the_cells_of_a_table_row_stay_together() -> None:
    rows = [
        cell
        for n in range(6)
        for cell in (
            line(f"a{n}", 0.1, 0.2 + n * 0.02, 0.05),
            line(f"b{n}", 0.5, 0.2 + n * 0.02, 0.05),
        )
    ]
    drawn = [line("footer", 0.1, 0.9), *rows]
    assert [piece.text for piece in in_reading_order(drawn)][:4] == ["a0", "b0", "a1", "b1"]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 0.6), st.floats(0, 0.98), st.floats(0.01, 0.4)), max_size=30)
)
def test_no_line_is_lost_or_doubled(places: list[tuple[float, float, float]]) -> None:
    drawn = [line(str(n), x, y, width) for n, (x, y, width) in enumerate(places)]
    placed = place_lines(drawn)
    assert sorted(placed.text.split()) == sorted(str(n) for n in range(len(drawn)))
    assert all(placed.text[a.start : a.end].isdigit() for a in placed.lines)
    starts = [a.start for a in placed.lines]
    assert starts == sorted(starts)


def test_a_wider_step_begins_a_paragraph_but_not_after_a_hyphen() -> None:
    drawn = [
        line(text, 0.1, y)
        for text, y in (("a", 0.1), ("b", 0.12), ("c", 0.14), ("d-", 0.19), ("e", 0.24))
    ]
    assert place_lines(drawn).text == "a\nb\nc\n\nd-\ne"
