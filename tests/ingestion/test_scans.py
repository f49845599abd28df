import io
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from time import monotonic

import pytest
from PIL import Image, ImageFilter

from apps.ingestion import sandbox
from apps.ingestion.extractors.image import extract as read_image
from apps.ingestion.extractors.ocr import recognise
from apps.ingestion.extractors.pictures import ImageFile, Picture
from apps.ingestion.extractors.reading import Reading, SourceFile
from apps.ingestion.extractors.scans import read_scan
from apps.ingestion.recognition import Recognition
from apps.ingestion.sandbox import Extracted, extract
from apps.ingestion.values import ChunkDraft, Extraction, Failure, Limits, Note, Reason, Unreadable
from tests.ingestion.files import text_at
from tests.ingestion.processes import ends_within
from tests.ingestion.scans import (
    PROSE,
    announced_png,
    encoded,
    page_picture,
    pictured_pdf,
    word_picture,
)

ENGLISH = ("eng",)
SHOWN = b"q 540 0 0 180 36 500 cm /Im1 Do Q"
WHOLE = b"q 612 0 0 792 0 0 cm /Im1 Do Q"


@pytest.fixture(scope="module", autouse=True)
def helper() -> Iterator[None]:
    sandbox.warm_up()
    yield
    sandbox.shut_down()


@pytest.fixture
def source(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(data: bytes) -> Path:
        path = tmp_path / "source"
        path.write_bytes(data)
        return path

    return write


Source = Callable[[bytes], Path]


def read(outcome: Extracted | Failure) -> tuple[Extraction, list[ChunkDraft]]:
    assert isinstance(outcome, Extracted), outcome
    with outcome:
        return outcome.summary, list(outcome.chunks())


def failure(outcome: Extracted | Failure) -> Failure:
    assert isinstance(outcome, Failure), outcome
    return outcome


def words(text: str) -> list[str]:
    return text.casefold().split()


def fax(*words: str) -> bytes:
    first, *others = (word_picture(word).convert("1") for word in words)
    return encoded(
        first,
        "TIFF",
        save_all=True,
        append_images=others,
        compression="group4",
        dpi=(300, 300),
    )


def as_camera(picture: Image.Image) -> bytes:
    """A photograph that lies on its side and says so."""
    exif = Image.Exif()
    exif[0x0112] = 8
    return encoded(picture.rotate(-90, expand=True), "JPEG", exif=exif)


def see_through(picture: Image.Image) -> bytes:
    """Black writing on nothing at all."""
    ink = picture.point(lambda value: 255 - value)
    return encoded(Image.merge("LA", (Image.new("L", picture.size), ink)), "PNG")


def deep(picture: Image.Image) -> bytes:
    """With 16 bits a pixel."""
    wide = picture.convert("I").point(lambda value: value * 256)
    return encoded(wide.convert("I;16"), "PNG")


def test_each_frame_of_a_fax_is_read_and_cited_by_its_number(source: Source) -> None:
    summary, drafts = read(extract(source(fax("ALPHA", "BRAVO", "CHARLIE")), languages=ENGLISH))
    assert [draft.text for draft in drafts] == ["ALPHA", "BRAVO", "CHARLIE"]
    assert [draft.locator["frame"] for draft in drafts] == [1, 2, 3]
    assert {draft.locator["frames"] for draft in drafts} == {3}
    assert summary.page_count == 3
    assert summary.extractor.startswith("image/")
    assert not summary.notes


@pytest.mark.parametrize(
    "data",
    [
        encoded(page_picture(), "PNG"),
        encoded(page_picture(), "JPEG"),
        encoded(page_picture(), "WEBP"),
        encoded(page_picture(), "TIFF"),
        as_camera(page_picture()),
        see_through(page_picture()),
        deep(page_picture()),
    ],
    ids=["png", "jpeg", "webp", "tiff", "camera", "transparent", "16 bits"],
)
def test_prose_in_a_picture_is_read_with_a_box_for_each_line(source: Source, data: bytes) -> None:
    _, drafts = read(extract(source(data), languages=ENGLISH))
    assert words("".join(draft.text for draft in drafts)) == words(PROSE)
    lines = drafts[0].lines
    assert len(lines) == 7
    assert drafts[0].text[lines[0].start : lines[0].end].startswith("The river carried")
    assert all(0.1 < line.x0 < 0.3 < 0.7 < line.x1 < 0.9 for line in lines[:6])
    tops = [line.y0 for line in lines]
    assert tops == sorted(tops)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_that_lies_on_its_side_is_turned_before_it_is_read(turn: int) -> None:
    lying = page_picture().rotate(turn, expand=True)
    placed = recognise(Picture(*lying.size, lying.tobytes()), ENGLISH, 60)
    assert placed is not None
    assert words(placed.text) == words(PROSE)
    # The boxes are those of the page as it is shown: lines stand upright on a page on its side.
    first = placed.lines[0]
    assert (first.y1 - first.y0 > first.x1 - first.x0) is (turn != 180)
    across = {90: first.x0, 180: 1 - first.y1, 270: 1 - first.x1}[turn]
    assert across < 0.35


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_two_words_on_their_side_are_found_too(turn: int) -> None:
    lying = word_picture("ROTATED 909").rotate(turn, expand=True)
    placed = recognise(Picture(*lying.size, lying.tobytes()), ENGLISH, 60)
    assert placed is not None
    assert placed.text == "ROTATED 909"


def blurred() -> Image.Image:
    small = page_picture().resize((150, 80), Image.Resampling.BILINEAR)
    return small.resize((1300, 700), Image.Resampling.BILINEAR)


def test_writing_too_unclear_to_trust_is_kept_out(source: Source) -> None:
    picture = blurred()
    found = failure(extract(source(encoded(picture, dpi=(300, 300))), languages=ENGLISH))
    assert found.reason is Reason.OCR_LOW_CONFIDENCE


def test_a_picture_without_writing_has_no_text(source: Source) -> None:
    plain = encoded(Image.new("L", (400, 300), 200))
    assert failure(extract(source(plain), languages=ENGLISH)).reason is Reason.NO_READABLE_TEXT


@pytest.mark.parametrize(
    "data, reason",
    [
        (announced_png(40_000, 40_000), Reason.TOO_LARGE),
        (announced_png(10_000, 10_000), Reason.TOO_LARGE),  # where Pillow would only warn
        (announced_png(700, 700), Reason.CORRUPT),
        (encoded(page_picture())[:2000], Reason.CORRUPT),
        (encoded(page_picture(), "JPEG")[:40], Reason.CORRUPT),
        (fax("ALPHA", "BRAVO")[:100], Reason.CORRUPT),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(99), Reason.CORRUPT),
    ],
)
def test_floods_and_damage_have_a_reason(source: Source, data: bytes, reason: Reason) -> None:
    began = monotonic()
    assert failure(extract(source(data), languages=ENGLISH)).reason is reason
    assert monotonic() - began < 10


def test_a_flood_in_a_later_frame_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "fax.tif"
    small, large = Image.new("L", (20, 20)), Image.new("L", (200, 200))
    path.write_bytes(encoded(small, "TIFF", save_all=True, append_images=[large]))
    with closing(ImageFile(str(path), Limits(max_pixels=1000))) as image:
        assert image.picture(0).width >= 20
        with pytest.raises(Unreadable) as refused:
            image.picture(1)
    assert refused.value.failure.reason is Reason.TOO_LARGE


def test_more_frames_than_pages_are_allowed_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "fax.tif"
    path.write_bytes(fax("A", "B", "C"))
    reading = Reading(SourceFile(str(path), "image/tiff"), Limits(max_pages=2))
    with pytest.raises(Unreadable) as refused:
        list(read_image(reading))
    assert refused.value.failure.reason is Reason.TOO_LARGE


def test_typed_scanned_and_empty_pages_keep_their_numbers(source: Source) -> None:
    pages = [text_at("typed page one"), SHOWN, b"", text_at("typed page four")]
    data = pictured_pdf(pages, word_picture("SCANNED 7731"))
    summary, drafts = read(extract(source(data), languages=ENGLISH))
    assert [draft.text for draft in drafts] == ["typed page one", "SCANNED 7731", "typed page four"]
    assert [draft.locator["page"] for draft in drafts] == [1, 2, 4]
    assert not summary.notes
    assert summary.extractor.endswith(Recognition(ENGLISH).identity)
    box = drafts[1].lines[0]
    assert 0.1 < box.x0 < box.x1 < 0.9
    assert 0.14 < box.y0 < box.y1 < 0.37  # where the page shows the picture


def test_a_stamp_on_a_scan_does_not_hide_the_scan(source: Source) -> None:
    data = pictured_pdf([WHOLE + text_at("p. 7", y=20)], page_picture().resize((1300, 1680)))
    _, drafts = read(extract(source(data), languages=ENGLISH))
    assert "controlled flood" in " ".join(drafts[0].text.split())


def test_a_short_caption_beside_a_photograph_stays_as_it_is(source: Source) -> None:
    photograph = Image.effect_noise((600, 800), 12).filter(ImageFilter.GaussianBlur(9))
    _, drafts = read(
        extract(source(pictured_pdf([WHOLE + text_at("a caption")], photograph)), languages=ENGLISH)
    )
    assert [draft.text for draft in drafts] == ["a caption"]


def test_a_file_without_scans_does_not_depend_on_languages(source: Source) -> None:
    summary, _ = read(extract(source(pictured_pdf([text_at("typed")], word_picture("X")))))
    assert " ocr/" not in summary.extractor


def test_a_language_that_is_not_installed_falls_back_with_a_note(source: Source) -> None:
    data = encoded(word_picture("FALLBACK"))
    summary, drafts = read(extract(source(data), languages=("xxx",)))
    assert [draft.text for draft in drafts] == ["FALLBACK"]
    assert summary.notes == {Note.LANGUAGES_NOT_INSTALLED: 1}


def test_without_a_language_pack_the_typed_pages_still_count(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    data = pictured_pdf([text_at("typed"), SHOWN, SHOWN], word_picture("SCANNED"))
    summary, drafts = read(extract(source(data)))
    assert [draft.text for draft in drafts] == ["typed"]
    assert summary.notes == {Note.PAGES_NOT_RECOGNISED: 2}
    assert summary.extractor.endswith(" ocr/0")
    nothing = failure(extract(source(pictured_pdf([SHOWN], word_picture("SCANNED")))))
    assert nothing.reason is Reason.OCR_UNAVAILABLE
    assert "tesseract-ocr" in nothing.detail


def test_recognition_gives_up_after_several_slow_pages() -> None:
    def never() -> Picture:
        raise AssertionError("drawn")

    slow = Reading(SourceFile("", "image/png"), recognition=Recognition(ENGLISH))
    slow.notes[Note.PAGES_TOO_SLOW] = slow.limits.max_slow_pages
    assert read_scan(slow, never) is None


def test_more_scanned_pages_than_allowed_is_too_large(source: Source) -> None:
    found = extract(source(fax("ALPHA", "BRAVO")), limits=Limits(max_recognised_pages=1))
    assert failure(found).reason is Reason.TOO_LARGE


def test_a_scan_attached_to_a_message_is_read_with_it(source: Source) -> None:
    message = EmailMessage()
    message["From"] = "office@example.org"
    message["To"] = "reader@example.org"
    message["Subject"] = "The permit"
    message.set_content("See the scan.")
    scan = encoded(word_picture("ATTACHED"))
    message.add_attachment(scan, maintype="image", subtype="png", filename="permit.png")
    summary, drafts = read(
        extract(source(bytes(message)), filename="permit.eml", languages=ENGLISH)
    )
    assert [draft.text for draft in drafts][-1] == "ATTACHED"
    assert drafts[-1].locator["attachment"] == "permit.png"
    assert summary.extractor.endswith(Recognition(ENGLISH).identity)


# Lists a language, then starts something that sleeps and waits for it.
STUB = """#!/bin/sh
case "$1" in
--list-langs) echo "List:"; echo eng; exit 0;;
--version) echo "tesseract 5.3.0"; exit 0;;
esac
sleep 600 &
echo $! > "{folder}/started.tmp"; mv "{folder}/started.tmp" "{folder}/started"
wait
"""


@pytest.fixture
def endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program that never ends; the file where it leaves the number of what it started."""
    program = tmp_path / "tesseract"
    program.write_text(STUB.replace("{folder}", str(tmp_path)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    sandbox.shut_down()
    sandbox.warm_up()
    yield tmp_path / "started"
    monkeypatch.undo()
    sandbox.shut_down()


def test_recognition_that_never_ends_is_cut_off_by_name(source: Source, endless: Path) -> None:
    limits = Limits(recognise_seconds=1.5)
    found = failure(extract(source(encoded(word_picture("X"))), limits=limits))
    assert found.reason is Reason.TOO_SLOW
    assert ends_within(2, int(endless.read_text()))


def test_cancelling_leaves_nothing_of_the_recognition_behind(source: Source, endless: Path) -> None:
    outcome = extract(source(encoded(word_picture("X"))), should_stop=endless.exists)
    assert failure(outcome).reason is Reason.CANCELLED
    assert ends_within(2, int(endless.read_text()))
    assert list(endless.parent.glob("quadern-*")) == []


def test_a_file_whose_every_page_is_slow_costs_three_pages(source: Source, endless: Path) -> None:
    limits = replace(Limits(), recognise_seconds=1.0, max_slow_pages=2)
    data = pictured_pdf([text_at("typed"), *[SHOWN] * 6], word_picture("X"))
    summary, drafts = read(extract(source(data), limits=limits))
    assert [draft.text for draft in drafts] == ["typed"]
    assert summary.notes == {Note.PAGES_TOO_SLOW: 6}


def test_a_page_may_take_longer_to_recognise_than_other_pages_may(
    source: Source, endless: Path
) -> None:
    limits = Limits(page_seconds=1.0, stall_seconds=1.0, wall_seconds=1.0, recognise_seconds=4.0)
    began = monotonic()
    extract(source(encoded(word_picture("X"))), limits=limits)
    assert monotonic() - began > 3.5


def test_frames_come_as_pictures_that_recognition_likes(tmp_path: Path) -> None:
    path = tmp_path / "image"

    def shown(data: bytes) -> tuple[int, int]:
        path.write_bytes(data)
        with closing(ImageFile(str(path), Limits())) as image:
            picture = image.picture(0)
        assert len(picture.pixels) == picture.width * picture.height
        return picture.width, picture.height

    assert shown(encoded(Image.new("L", (300, 200)))) == (600, 400)
    assert shown(encoded(Image.new("L", (300, 200)), dpi=(300, 300))) == (300, 200)
    width, height = shown(encoded(Image.new("1", (8000, 6000)), dpi=(600, 600)))
    assert width * height <= 16_000_000
    assert width / height == pytest.approx(4 / 3, rel=0.01)


def test_an_animation_counts_as_its_first_picture(tmp_path: Path) -> None:
    path = tmp_path / "animated.webp"
    out = io.BytesIO()
    frames = [Image.new("L", (40, 40), shade) for shade in (0, 90, 200)]
    frames[0].save(out, "WEBP", save_all=True, append_images=frames[1:])
    path.write_bytes(out.getvalue())
    with closing(ImageFile(str(path), Limits())) as image:
        assert len(image) == 1


def test_nothing_is_left_in_the_folder_for_passing_files(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    sandbox.shut_down()
    read(extract(source(encoded(word_picture("TIDY"))), languages=ENGLISH))
    sandbox.shut_down()
    assert [path.name for path in tmp_path.iterdir()] == ["source"]
