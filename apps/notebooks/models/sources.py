"""Sources with a stable identity, and versions of them that never change."""

import uuid
from typing import ClassVar

from django.db import models

from apps.notebooks.models.notebook import Notebook
from apps.notebooks.values import SourceStatus


class Source(models.Model):
    """One attachment or link. Its identity does not depend on its content."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    vault = models.ForeignKey("vaults.Vault", models.CASCADE, related_name="+")
    resource = models.ForeignKey("library.Resource", models.CASCADE, related_name="+")
    attachment = models.OneToOneField(
        "library.Attachment", models.CASCADE, null=True, related_name="+"
    )
    link = models.OneToOneField("library.Link", models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(attachment__isnull=True) ^ models.Q(link__isnull=True),
                name="a_source_is_one_attachment_or_one_link",
            )
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def kind(self) -> str:
        """`attachment` or `url`."""
        return "attachment" if self.attachment_id else "url"

    @property
    def label(self) -> str:
        """The file name or the address; needs `attachment` and `link` loaded."""
        if self.attachment is not None:
            return self.attachment.filename
        return self.link.url if self.link is not None else ""


class Fingerprint(models.Model):
    """What was last seen of a source: enough to tell that it has not changed."""

    source = models.OneToOneField(
        Source, models.CASCADE, primary_key=True, related_name="fingerprint"
    )
    content_hash = models.CharField(max_length=64)
    etag = models.CharField(max_length=300, blank=True)
    last_modified = models.CharField(max_length=100, blank=True)
    checks_since_full = models.PositiveSmallIntegerField(default=0)
    checked_at = models.DateTimeField()
    version = models.ForeignKey("notebooks.SourceVersion", models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.source_id} {self.content_hash[:12]}"


class FailedReading(models.Model):
    """A lasting fault of a source as it stood: enough to know that reading again changes nothing."""

    source = models.OneToOneField(
        Source, models.CASCADE, primary_key=True, related_name="failed_reading"
    )
    content_hash = models.CharField(max_length=64, blank=True)
    readers = models.CharField(max_length=64)
    reason = models.CharField(max_length=40)
    detail = models.CharField(max_length=500, blank=True)
    failed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.source_id}: {self.reason}"


class SourceVersion(models.Model):
    """What one extractor read out of one content of a source. Immutable once complete; shared
    by all revisions of all notebooks of the vault that hold it.
    """

    source = models.ForeignKey(Source, models.CASCADE, related_name="versions")
    content_hash = models.CharField(max_length=64)
    extractor = models.CharField(max_length=40)
    media_type = models.CharField(max_length=120)
    language = models.CharField(max_length=8)
    title = models.CharField(max_length=300, blank=True)
    stored_file = models.ForeignKey("library.StoredFile", models.PROTECT, related_name="+")
    fetched_at = models.DateTimeField(null=True, blank=True)
    final_url = models.URLField(max_length=2000, blank=True)
    page_count = models.PositiveIntegerField(null=True, blank=True)
    part_count = models.PositiveIntegerField(default=0)
    chunk_count = models.PositiveIntegerField(default=0)
    word_count = models.PositiveIntegerField(default=0)
    notes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            # Two workers may read the same content at once; the first to finish is kept.
            models.UniqueConstraint(
                fields=["source", "content_hash", "extractor"],
                condition=models.Q(completed_at__isnull=False),
                name="each_content_read_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.content_hash[:12]}"


class Chunk(models.Model):
    """A passage: `text` is characters `start`–`end` of part number `part` of its version.

    The chunks of a part are contiguous: joined in order they are the part's text. `lines`
    holds, for pages with a layout, `[start, end, x0, y0, x1, y1]` per visual line, offsets in
    the part and boxes as fractions of the page from its top left corner.
    """

    version = models.ForeignKey(SourceVersion, models.CASCADE, related_name="chunks")
    ordinal = models.PositiveIntegerField()
    part = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    locator = models.JSONField()
    lines = models.JSONField(default=list)

    class Meta:
        ordering: ClassVar = ["version", "ordinal"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "ordinal"], name="chunk_ordinals_differ")
        ]

    def __str__(self) -> str:
        return f"{self.version_id}/{self.ordinal}"


class SourceState(models.Model):
    """How a source stands in one notebook, with the reason in a closed word and a detail."""

    notebook = models.ForeignKey(Notebook, models.CASCADE, related_name="source_states")
    source = models.ForeignKey(Source, models.CASCADE, related_name="+")
    state = models.CharField(
        max_length=9, choices=[(word, word) for word in SourceStatus], default=SourceStatus.PENDING
    )
    reason = models.CharField(max_length=40, blank=True)
    detail = models.CharField(max_length=500, blank=True)
    version = models.ForeignKey(SourceVersion, models.SET_NULL, null=True, related_name="+")
    last_checked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["notebook", "source"], name="one_state_per_source_and_notebook"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_id} in {self.notebook_id}: {self.state}"
