"""Bytes are kept once, whole, or not at all."""

import errno
import hashlib
import threading
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection

from apps.common.errors import TooLarge, Unavailable
from apps.library.models import StoredFile
from apps.library.storage import StorageFull, local_copy, open_stored, path_of, store_file
from apps.vaults.actions import create_vault
from tests.support.cast import Cast, person

pytestmark = pytest.mark.everywhere
CONTENT = b"a page of evidence\n" * 1000
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def shelf(settings, tmp_path):
    """A storage and a spool of this test's own."""
    files, spool = tmp_path / "files", tmp_path / "spool"
    spool.mkdir()
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(files)},
        },
    }
    settings.FILE_UPLOAD_TEMP_DIR = str(spool)
    return tmp_path


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _blocks(content: bytes, size: int = 1000) -> list[bytes]:
    return [content[start : start + size] for start in range(0, len(content), size)]


def test_content_lies_under_its_hash_inside_its_vault(cast: Cast, shelf):
    stored = store_file(cast.vault.id, _blocks(CONTENT), "../../évil\x00.txt")
    assert (stored.sha256, stored.size, stored.media_type) == (SHA, len(CONTENT), "text/plain")
    assert stored.path == f"blobs/{cast.vault.id}/{SHA[:2]}/{SHA}"
    assert _files(shelf) == [shelf / "files" / stored.path]
    with open_stored(stored) as kept, local_copy(stored) as path:
        assert kept.read() == path.read_bytes() == CONTENT


def test_the_same_content_is_found_again(cast, shelf):
    first = store_file(cast.vault.id, _blocks(CONTENT), "a.txt")
    again = store_file(cast.vault.id, _blocks(CONTENT, 7), "b.pdf")
    assert again == first
    assert len(_files(shelf)) == 1


def test_no_bytes_at_all_can_be_kept_too(cast, shelf):
    assert store_file(cast.vault.id, [], "empty.txt").size == 0


def test_a_file_left_half_written_by_a_crash_is_written_again(cast, shelf):
    path = default_storage.path(path_of(cast.vault.id, SHA))
    Path(path).parent.mkdir(parents=True)
    Path(path).write_bytes(CONTENT[:100])
    store_file(cast.vault.id, _blocks(CONTENT), "a.txt")
    assert [file.read_bytes() for file in _files(shelf)] == [CONTENT]


def test_a_file_without_a_row_is_taken_up(cast, shelf):
    store_file(cast.vault.id, _blocks(CONTENT), "a.txt").delete()
    assert store_file(cast.vault.id, _blocks(CONTENT), "a.txt").size == len(CONTENT)
    assert len(_files(shelf)) == 1


def test_a_full_disk_leaves_nothing_and_says_so(cast, shelf):
    def blocks():
        yield CONTENT
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StorageFull) as caught:
        store_file(cast.vault.id, blocks(), "a.txt")
    assert (caught.value.status, _files(shelf), StoredFile.objects.count()) == (507, [], 0)


def test_a_disk_that_fills_up_at_the_last_step_leaves_nothing(cast, shelf, monkeypatch):
    def write_a_part(storage, name, content, **_):
        path = Path(default_storage.path(name))
        path.parent.mkdir(parents=True)
        path.write_bytes(CONTENT[:10])
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(FileSystemStorage, "save", write_a_part)
    with pytest.raises(StorageFull):
        store_file(cast.vault.id, _blocks(CONTENT), "a.txt")
    assert (_files(shelf), StoredFile.objects.count()) == ([], 0)


def test_other_trouble_of_the_disk_is_not_called_full(cast, shelf):
    def blocks():
        yield CONTENT
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        store_file(cast.vault.id, blocks(), "a.txt")
    assert _files(shelf) == []


def test_more_than_the_limit_is_not_read_to_its_end(cast, shelf, settings):
    settings.MAX_UPLOAD_MB = 1
    read = []

    def blocks():
        for number in range(100):
            read.append(number)
            yield b"x" * 200_000

    with pytest.raises(TooLarge, match="1 MB"):
        store_file(cast.vault.id, blocks(), "a.txt")
    assert (len(read), _files(shelf)) == (6, [])


def test_a_file_that_has_vanished_is_unavailable_not_a_crash(cast, shelf):
    stored = store_file(cast.vault.id, _blocks(CONTENT), "a.txt")
    Path(default_storage.path(stored.path)).unlink()
    with pytest.raises(Unavailable):
        open_stored(stored)


def test_many_at_once_keep_the_same_content_once(transactional_db, shelf):
    vault = create_vault("Arxiu", "Sala", owner=person("Neus")).vault
    start, kept = threading.Barrier(4), []

    def store():
        start.wait()
        try:
            kept.append(store_file(vault.id, _blocks(CONTENT), "a.txt").pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=store) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 4
    assert (len(set(kept)), len(_files(shelf))) == (1, 1)
