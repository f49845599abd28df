"""The stored form of a notebook's index; what the bytes mean is in `apps.retrieval.postings`."""

from typing import ClassVar

from django.db import models

from apps.notebooks.models.notebook import IndexSpace


class SegmentLengths(models.Model):
    """One immutable segment: whose chunks it holds, how long they are, how its pages are numbered.

    `members` lists `[version id, first ordinal in the version, first ordinal in the segment,
    count]`; chunks of versions that left are in no member. Until `ready`, its pages are being
    written and nobody reads them.
    """

    space = models.ForeignKey(IndexSpace, models.CASCADE, related_name="segments")
    ready = models.BooleanField(default=False)
    page_bits = models.PositiveSmallIntegerField()
    chunk_count = models.PositiveIntegerField()
    byte_count = models.PositiveBigIntegerField()
    members = models.JSONField()
    word_lengths = models.BinaryField()
    gram_lengths = models.BinaryField()

    def __str__(self) -> str:
        return f"segment {self.pk} of index {self.space_id}, {self.chunk_count} chunks"


class Posting(models.Model):
    """One page of a segment's postings. A question reads the slots of its terms, in one query.

    Pages are deleted with their segment by slot range; a key of their own to it would cost an
    index over every page.
    """

    pk = models.CompositePrimaryKey("space_id", "slot", "segment_id")
    # The rows are many and only ever written next to their segment: no constraint to check each.
    space = models.ForeignKey(
        IndexSpace, models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    slot = models.IntegerField()
    segment_id = models.BigIntegerField()
    page = models.BinaryField()

    objects: ClassVar = models.Manager()

    def __str__(self) -> str:
        return f"page {self.slot} of segment {self.segment_id}"
