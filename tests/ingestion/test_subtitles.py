from pathlib import Path

import pytest

from apps.ingestion.chunking import chunk
from apps.ingestion.values import ExtractedPart
from tests.ingestion.reads import read

VTT, SRT = "text/vtt", "application/x-subrip"


def spoken(folder: Path, text: str, media_type: str = VTT) -> ExtractedPart:
    (part,) = read(folder, text.encode(), media_type)[0]
    return part


def test_cues_become_running_text_with_paragraphs_at_pauses_and_voices(tmp_path: Path) -> None:
    text = (
        "WEBVTT - a talk\n\nSTYLE\n::cue { color: red }\n\nNOTE nobody hears this\n\n"
        "intro\n00:01.000 --> 00:03.000 align:start\n<v Anna>We sail &amp; row\n\n"
        "00:03.500 --> 00:05.000\n<v Anna>on <00:04.000><c.yellow>Sundays</c>.\n\n"
        "00:05.000 --> 00:06.000\n<v.loud Pau>Really?</v>\n\n"
        "01:00:09.250 --> 01:00:10.000\nLater.\n"
    )
    part = spoken(tmp_path, text)
    assert part.text == "Anna: We sail & row on Sundays.\n\nPau: Really?\n\nLater."
    assert part.scale is not None
    assert [(mark.first, mark.last) for mark in part.scale.marks] == [
        (1.0, 3.0),
        (3.5, 5.0),
        (5.0, 6.0),
        (3609.25, 3610.0),
    ]
    assert [part.text[mark.start :].split()[0] for mark in part.scale.marks] == [
        "Anna:",
        "on",
        "Pau:",
        "Later.",
    ]


def test_lines_that_roll_over_are_said_once(tmp_path: Path) -> None:
    text = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\none\ntwo\n\n00:02.000 --> 00:04.000\ntwo\nthree\n\n"
        "00:04.000 --> 00:05.000\nthree\n\n00:30.000 --> 00:31.000\nthree\n"
    )
    part = spoken(tmp_path, text)
    assert part.text == "one two three\n\nthree"
    assert part.scale is not None
    assert part.scale.marks[1].last == 5.0


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_subrip_keeps_text_behind_an_empty_line(tmp_path: Path, line_end: str) -> None:
    text = "1\n0:00:01,5 --> 0:00:02,000\n<i>Hi</i> {\\an8}1 < 2\n\nstill the first\n\n2\n00:00:02,100 --> 00:00:03,000\nend\n"
    part = spoken(tmp_path, text.replace("\n", line_end), SRT)
    assert part.text == "Hi 1 < 2 still the first end"
    assert part.scale is not None
    assert part.scale.marks[0].first == 1.5


def test_each_passage_says_when_it_is_said(tmp_path: Path) -> None:
    cues = "".join(
        f"{n // 60:02d}:{n % 60:02d}.000 --> {n // 60:02d}:{n % 60:02d}.900\nSentence {n:04d} ends.\n\n"
        for n in range(300)
    )
    part = spoken(tmp_path, "WEBVTT\n\n" + cues)
    drafts = list(chunk(part, number=0, first_ordinal=0))
    assert "".join(draft.text for draft in drafts) == part.text
    for draft in drafts:
        first, last = draft.locator["times"]
        assert draft.text.startswith(f"Sentence {int(first):04d}")
        assert draft.text.split()[-2] == f"{int(last):04d}"


@pytest.mark.parametrize(
    "text", ["WEBVTT", "WEBVTT\n\nNOTE x", "WEBVTT\n\n00:01.000 --> 00:02.000\n"]
)
def test_a_file_without_speech_has_no_text(tmp_path: Path, text: str) -> None:
    assert spoken(tmp_path, text).text == ""
