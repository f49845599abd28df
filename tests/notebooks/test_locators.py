from typing import Any

import pytest
from django.utils import translation

from apps.notebooks.locators import locator_label


@pytest.mark.parametrize(
    "locator, label",
    [
        ({"kind": "page", "page": 3, "label": "iii"}, "p. iii (PDF 3)"),
        ({"kind": "heading", "headings": ["A", "B"]}, "A › B"),
        ({"kind": "lines", "lines": [10, 14]}, "lines 10–14"),
        ({"kind": "rows", "sheet": "Costs", "rows": [3, 9]}, "Costs › rows 3–9"),
        ({"kind": "rows", "rows": [4, 4]}, "row 4"),
        (
            {"kind": "rows", "sheet": "Old", "place": "hidden", "rows": [1, 2]},
            "Old (hidden) › rows 1–2",
        ),
        ({"kind": "slide", "slide": 7}, "slide 7"),
        ({"kind": "frame", "frame": 2, "frames": 3}, "image 2"),
        ({"kind": "frame", "frame": 1, "frames": 1}, ""),
        ({"kind": "time", "times": [65.2, 100]}, "0:01:05–0:01:40"),
        ({"kind": "time", "times": [3599.9, 7200.0]}, "0:59:59–2:00:00"),
        ({"kind": "part", "part": 1}, "message"),
        ({"kind": "part", "part": 2, "attachment": "a.pdf", "page": 2}, "a.pdf › p. 2"),
        ({"kind": "part", "part": 2, "attachment": "a.txt", "lines": [1, 1]}, "a.txt › line 1"),
        ({"kind": "unheard of"}, ""),
    ],
)
def test_a_place_is_said_in_words(locator: dict[str, Any], label: str) -> None:
    assert locator_label(locator) == label


def test_a_heading_that_repeats_the_title_is_left_out() -> None:
    locator = {"kind": "lines", "headings": ["Minutes of May", "Costs"], "lines": [3, 9]}
    assert locator_label(locator, "Minutes of MAY") == "Costs › lines 3–9"


def test_a_place_is_said_in_the_readers_language() -> None:
    with translation.override("ca"):
        label = locator_label({"kind": "rows", "sheet": "Costos", "rows": [3, 9]})
    assert label.startswith("Costos › ")
