import io
import zipfile
from pathlib import Path

import pytest

from apps.ingestion.archives import open_archive
from apps.ingestion.values import Limits, Reason, Unreadable
from tests.ingestion.files import zip_of

SMALL = Limits(max_archive_entries=5, max_archive_bytes=20 << 20, max_archive_ratio=50)


def refusal(data: bytes, limits: Limits = SMALL) -> Reason:
    with pytest.raises(Unreadable) as refused:
        _read_all(data, limits)
    return refused.value.failure.reason


def _read_all(data: bytes, limits: Limits) -> None:
    with open_archive(io.BytesIO(data), limits) as archive:
        for name in archive.names():
            archive.read(name)


def test_members_are_read_by_name() -> None:
    with open_archive(io.BytesIO(zip_of({"a": b"1", "../b": b"2"})), SMALL) as archive:
        assert archive.names() == ("a", "../b")
        assert archive.read("../b") == b"2"
        assert "c" not in archive


@pytest.mark.parametrize(
    "members",
    [
        {str(n): b"x" for n in range(6)},
        {"bomb": b" " * (9 << 20)},
        {"a": bytes(11 << 20), "b": bytes(11 << 20)},
    ],
    ids=["entries", "ratio", "sum"],
)
def test_a_bomb_is_refused_by_its_directory(members: dict[str, bytes]) -> None:
    assert refusal(zip_of(members)) is Reason.UNSAFE_ARCHIVE


def test_a_directory_that_lies_about_a_size_is_found_while_reading() -> None:
    data = bytearray(zip_of({"a": b"y" * 5000}))
    directory = data.rfind(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (10).to_bytes(4, "little")
    reason = refusal(bytes(data), Limits(max_archive_bytes=100))
    assert reason in {Reason.UNSAFE_ARCHIVE, Reason.CORRUPT}


def test_two_members_with_one_name_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a", "2")
    assert refusal(out.getvalue()) is Reason.UNSAFE_ARCHIVE


def test_an_encrypted_member_needs_its_password() -> None:
    data = bytearray(zip_of({"a": b"secret"}))
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    assert refusal(bytes(data)) is Reason.ENCRYPTED


@pytest.mark.parametrize("data", [b"PK\x03\x04 nothing", zip_of({"a": b"b" * 999})[:-30]])
def test_a_cut_file_is_damaged(data: bytes) -> None:
    assert refusal(data) is Reason.CORRUPT


def test_a_directory_that_points_before_the_file_is_damage(tmp_path: Path) -> None:
    data = bytearray(zip_of({"a": "b"}))
    at = data.rfind(b"PK\x05\x06")
    start = int.from_bytes(data[at + 16 : at + 20], "little")
    data[at + 16 : at + 20] = (start + 5).to_bytes(4, "little")
    assert refusal(bytes(data)) is Reason.CORRUPT
    path = tmp_path / "damaged"
    path.write_bytes(data)
    with (
        pytest.raises(Unreadable) as refused,
        path.open("rb") as stream,
        open_archive(stream, SMALL) as archive,
    ):
        archive.read("a")
    assert refused.value.failure.reason is Reason.CORRUPT


def test_a_film_among_the_members_is_no_bomb_until_it_is_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("film.mp4", bytes(21 << 20))
        archive.writestr("text.xml", "<a/>")
    with open_archive(out, SMALL) as opened:
        assert opened.read("text.xml") == b"<a/>"
    assert refusal(out.getvalue()) is Reason.UNSAFE_ARCHIVE
