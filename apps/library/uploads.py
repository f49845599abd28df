"""Receiving one file: counted while it arrives, so that too large a one is not read to its end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest

from apps.library.storage import refuse_too_large, refuse_when_full

# The multipart frame around the file: boundaries, headers and the small fields.
_FRAME_BYTES = 64 * 1024


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Spools a file to disk; raises TooLarge or StorageFull at the byte that is too much.

    What was spooled until then goes with the handler's temporary file.
    """

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._received = 0

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],  # noqa: N803 Django's name for it
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Refuses by the announced length before anything is read."""
        refuse_too_large(content_length - _FRAME_BYTES)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        """Writes the next part to disk."""
        self._received += len(raw_data)
        with self._nothing_left_behind(), refuse_when_full():
            refuse_too_large(self._received)
            return super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes] | None":
        """The whole file; its last bytes may be those that find no room."""
        with self._nothing_left_behind(), refuse_when_full():
            return super().file_complete(file_size)

    @contextmanager
    def _nothing_left_behind(self) -> Iterator[None]:
        """Closes, and so removes, the unfinished file: Django closes only finished ones."""
        try:
            yield
        except Exception:
            self.file.close()
            raise
