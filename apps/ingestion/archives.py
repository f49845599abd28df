"""Zip containers opened with a budget: declared sizes first, then counted again while reading."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from apps.ingestion.values import Limits, Reason, Unreadable

_SLICE = 64 * 1024
# Below this size a high ratio is ordinary: a kilobyte of spaces is no bomb.
_RATIO_FROM_BYTES = 8 << 20
_END_SEARCH = 22 + 65_535 + 20
_BYTES_PER_ENTRY = 600
_ENCRYPTED_FLAG = 0x1


class SafeArchive:
    """A zip file whose members can be read by name, all together at most the limit's bytes.

    Names are only ever compared, never used as paths.
    """

    def __init__(self, archive: zipfile.ZipFile, limits: Limits) -> None:
        self._archive = archive
        self._left = limits.max_archive_bytes
        self._members = _checked_members(archive, limits)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self) -> tuple[str, ...]:
        """The names of all members in the order of the directory."""
        return tuple(self._members)

    def read(self, name: str) -> bytes:
        """All bytes of a member; `Unreadable` when it is damaged or over the budget."""
        with self.open(name) as stream:
            return b"".join(iter(lambda: stream.read(_SLICE), b""))

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """A counted stream over a member."""
        try:
            with self._opened(name) as raw:
                yield io.BufferedReader(_Counted(raw, self), _SLICE)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, KeyError) as damage:
            raise Unreadable(Reason.CORRUPT, "A member of the file is damaged.") from damage

    def _opened(self, name: str) -> IO[bytes]:
        try:
            return self._archive.open(self._members[name])
        except (ValueError, OSError) as damage:
            # A false directory sends the reader to before the beginning of the file.
            raise Unreadable(Reason.CORRUPT, "A member of the file is damaged.") from damage

    def spend(self, count: int) -> None:
        """Take `count` bytes off the budget; `Unreadable` when it is used up."""
        self._left -= count
        if self._left < 0:
            raise Unreadable(Reason.UNSAFE_ARCHIVE, "The file unpacks to more than the limit.")


class _Counted(io.RawIOBase):
    """A raw stream that charges every byte to the archive's budget."""

    def __init__(self, raw: IO[bytes], archive: SafeArchive) -> None:
        self._raw = raw
        self._archive = archive

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._raw.read(len(buffer))
        self._archive.spend(len(data))
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def open_archive(
    source: str | os.PathLike[str] | IO[bytes], limits: Limits
) -> Iterator[SafeArchive]:
    """The zip file at `source`, checked; `Unreadable` when damaged, encrypted or a bomb."""
    if not isinstance(source, str | os.PathLike):
        _check_directory_size(source, limits)
    else:
        with open(source, "rb") as stream:
            _check_directory_size(stream, limits)
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as damage:
        raise Unreadable(Reason.CORRUPT, "The container is damaged.") from damage
    with archive:
        yield SafeArchive(archive, limits)


def _check_directory_size(stream: IO[bytes], limits: Limits) -> None:
    """Refuse a directory of millions of entries before the standard library reads it whole.

    Formats: APPNOTE 4.3.16 (end record), 4.3.15 and 4.3.14 (its 64-bit pair, which wins).
    """
    size = stream.seek(0, os.SEEK_END)
    tail_start = max(0, size - _END_SEARCH)
    stream.seek(tail_start)
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise Unreadable(Reason.CORRUPT, "The container is damaged.")
    directory = int.from_bytes(tail[at + 12 : at + 16], "little")
    if at >= 20 and tail[at - 20 : at - 16] == b"PK\x06\x07":
        stream.seek(min(size, int.from_bytes(tail[at - 12 : at - 4], "little")))
        directory = max(directory, int.from_bytes(stream.read(56)[40:48], "little"))
    if directory > limits.max_archive_entries * _BYTES_PER_ENTRY:
        raise Unreadable(Reason.UNSAFE_ARCHIVE, "The file has too many members.")


def _checked_members(archive: zipfile.ZipFile, limits: Limits) -> dict[str, zipfile.ZipInfo]:
    infos = archive.infolist()
    members = {info.filename: info for info in infos}
    if len(infos) > limits.max_archive_entries:
        raise Unreadable(Reason.UNSAFE_ARCHIVE, "The file has too many members.")
    if len(members) != len(infos):
        raise Unreadable(Reason.UNSAFE_ARCHIVE, "Two members have the same name.")
    # Films in slides and pictures in books do not shrink in a zip: only growth is suspicious.
    if sum(max(0, i.file_size - i.compress_size) for i in infos) > limits.max_archive_bytes:
        raise Unreadable(Reason.UNSAFE_ARCHIVE, "The file unpacks to more than the limit.")
    for info in infos:
        _check_member(info, limits)
    return members


def _check_member(info: zipfile.ZipInfo, limits: Limits) -> None:
    if info.flag_bits & _ENCRYPTED_FLAG:
        raise Unreadable(Reason.ENCRYPTED)
    ratio = info.file_size / max(1, info.compress_size)
    if info.file_size > _RATIO_FROM_BYTES and ratio > limits.max_archive_ratio:
        raise Unreadable(Reason.UNSAFE_ARCHIVE, "A member unpacks to far more than its size.")
