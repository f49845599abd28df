"""What the bench of the first answer is made of: its texts, its percentile, and how it hears frames."""

import pytest

from bench.first_answer import _p95
from bench.support.person import Heard
from bench.support.texts import documents


def test_texts_follow_from_the_seed_and_their_questions_from_the_texts() -> None:
    one, again = list(documents(2, 3)), list(documents(2, 3))
    assert one == again
    assert one[0].text != one[1].text
    for document in one:
        words = set(document.text.lower().replace(".", " ").split())
        for question in document.questions:
            asked = question.removeprefix("What is said about ").rstrip("?").split(" and ")
            assert set(asked) <= words


def test_a_file_is_as_long_as_the_passages_it_shall_hold() -> None:
    (document,) = documents(1, 20)
    assert 20_000 < len(document.text) < 26_000


@pytest.mark.parametrize(
    ("values", "expected"), [([7.0], 7.0), (list(range(1, 101)), 95), ([3, 1, 2], 3)]
)
def test_ninety_five_of_a_hundred_do_not_exceed_it(values: list[float], expected: float) -> None:
    assert _p95(values) == expected


def test_only_the_first_frame_of_a_kind_is_timed() -> None:
    heard = Heard()
    heard.take("delta", {"text": "A"}, 0.1)
    heard.take("delta", {"text": "B"}, 0.2)
    heard.take("done", {"state": "completed"}, 0.3)
    assert heard.first == {"delta": 0.1, "done": 0.3}
    assert (heard.text, heard.state) == ("AB", "completed")
