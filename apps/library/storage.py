"""Files of a vault, kept once under the hash of their content, through Django's default storage.

Order of writing: spool and hash, then the file, then the row. A crash in between leaves a
file without a row, which costs space; never a row without its file.
"""

import errno
import hashlib
import logging
import os
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.common.errors import TooLarge, Unavailable
from apps.library.media_types import HEAD_BYTES, media_type_of
from apps.library.models import StoredFile

logger = logging.getLogger(__name__)
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class StorageFull(Unavailable):
    """There is no room for the file; nothing of it was kept (RFC 4918: 507)."""

    status = 507
    code = "storage_full"
    title = gettext_lazy("No room left")


@dataclass(frozen=True, slots=True)
class Spooled:
    """A whole file in a temporary place, with its hash, its size in bytes and its first bytes."""

    path: Path
    sha256: str
    size: int
    head: bytes


class _Movable(File):  # type: ignore[type-arg] # Django's File is generic in its stubs only
    """Lets a storage on the same disk move the file into place instead of copying it."""

    def temporary_file_path(self) -> str:
        """Where the bytes are now."""
        return str(self.name)


def store_file(vault_id: uuid.UUID, blocks: Iterable[bytes], filename: str) -> StoredFile:
    """The stored file of this content in this vault, kept anew or found again.

    `filename` only helps to name the media type. Raises TooLarge above `MAX_UPLOAD_MB`
    and StorageFull when the disk is; both leave nothing behind.
    """
    with refuse_when_full(), spool(blocks) as spooled:
        path = path_of(vault_id, spooled.sha256)
        _put(spooled, path)
    stored, _created = StoredFile.objects.get_or_create(
        vault_id=vault_id,
        sha256=spooled.sha256,
        defaults={
            "size": spooled.size,
            "media_type": media_type_of(spooled.head, filename),
            "path": path,
        },
    )
    return stored


def path_of(vault_id: uuid.UUID, sha256: str) -> str:
    """Where a content lies in the storage; made of nothing that a user wrote."""
    return f"blobs/{vault_id}/{sha256[:2]}/{sha256}"


def open_stored(stored: StoredFile) -> IO[bytes]:
    """The bytes, opened for reading; Unavailable when the storage does not give them."""
    try:
        return default_storage.open(stored.path, "rb")
    except OSError as error:
        logger.exception("stored file %s cannot be opened", stored.pk)
        raise Unavailable(_("The file cannot be read right now.")) from error


@contextmanager
def local_copy(stored: StoredFile) -> Iterator[Path]:
    """A path on this machine with the bytes, for readers that need one; gone or kept afterwards
    as the storage needs it. Never write to it.
    """
    try:
        path = Path(default_storage.path(stored.path))
    except NotImplementedError:  # a storage that is not a disk
        with open_stored(stored) as source, spool(iter(lambda: source.read(1 << 20), b"")) as copy:
            yield copy.path
    else:
        yield path


@contextmanager
def spool(blocks: Iterable[bytes]) -> Iterator[Spooled]:
    """Writes the blocks to a temporary file while hashing them; removed at the end."""
    folder = settings.FILE_UPLOAD_TEMP_DIR
    descriptor, name = tempfile.mkstemp(prefix="spool-", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as target:
            spooled = _write(blocks, target, path)
        yield spooled
    finally:
        path.unlink(missing_ok=True)


def _write(blocks: Iterable[bytes], target: IO[bytes], path: Path) -> Spooled:
    digest, size, head = hashlib.sha256(), 0, b""
    for block in blocks:
        size += len(block)
        refuse_too_large(size)
        digest.update(block)
        head = head if len(head) >= HEAD_BYTES else (head + block)[:HEAD_BYTES]
        target.write(block)
    target.flush()
    os.fsync(target.fileno())
    return Spooled(path, digest.hexdigest(), size, head)


def refuse_too_large(size: int) -> None:
    """Raises TooLarge for more bytes than `MAX_UPLOAD_MB` allows."""
    if size > settings.MAX_UPLOAD_MB * 1024 * 1024:
        limit = settings.MAX_UPLOAD_MB
        raise TooLarge(_("The file is larger than %(limit)d MB.") % {"limit": limit})


@contextmanager
def refuse_when_full() -> Iterator[None]:
    """Turns the operating system's "no space" into StorageFull."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        logger.exception("no room to store a file")
        raise StorageFull(
            _("There is no room left to store the file. Nothing was kept.")
        ) from error


def _put(spooled: Spooled, path: str) -> None:
    if _is_whole(path, spooled.size):
        return
    with spooled.path.open("rb") as source:
        try:
            kept = default_storage.save(path, _Movable(source, name=str(spooled.path)))
        except OSError:
            _remove_part(path, spooled.size)
            raise
    if kept != path:  # somebody stored the same content meanwhile
        default_storage.delete(kept)


def _is_whole(path: str, size: int) -> bool:
    """Whether the content is there; what a crash left half written is removed."""
    if not default_storage.exists(path):
        return False
    if default_storage.size(path) == size:
        return True
    default_storage.delete(path)
    return False


def _remove_part(path: str, size: int) -> None:
    if default_storage.exists(path) and default_storage.size(path) != size:
        default_storage.delete(path)
