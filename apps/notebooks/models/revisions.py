"""Revisions: immutable sets of source versions, and who still needs them."""

from typing import ClassVar

from django.db import models

from apps.notebooks.models.notebook import Notebook
from apps.notebooks.models.sources import Source, SourceVersion
from apps.notebooks.values import RevisionState


class Revision(models.Model):
    """One run over a notebook's sources; a complete one has a number and can be pinned."""

    notebook = models.ForeignKey(Notebook, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField(null=True, blank=True)
    state = models.CharField(
        max_length=9,
        choices=[(word, word) for word in RevisionState],
        default=RevisionState.BUILDING,
    )
    # The active revision when the run began: activation refuses when it has moved.
    base = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    job_id = models.PositiveBigIntegerField()
    fence = models.PositiveBigIntegerField()
    source_count = models.PositiveIntegerField(default=0)
    chunk_count = models.PositiveIntegerField(default=0)
    word_count = models.PositiveBigIntegerField(default=0)
    report = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["notebook", "number"], name="revision_numbers_differ"),
            models.UniqueConstraint(
                fields=["notebook"],
                condition=models.Q(state=RevisionState.BUILDING),
                name="one_draft_per_notebook",
            ),
            models.CheckConstraint(
                condition=models.Q(state=RevisionState.COMPLETE, number__isnull=False)
                | (~models.Q(state=RevisionState.COMPLETE) & models.Q(number__isnull=True)),
                name="complete_revisions_have_a_number",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.notebook_id} revision {self.number} ({self.state})"


class RevisionSource(models.Model):
    """A source as it stands in a revision: the one row an unchanged source costs."""

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="entries")
    source = models.ForeignKey(Source, models.CASCADE, related_name="+")
    version = models.ForeignKey(SourceVersion, models.PROTECT, related_name="entries")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["revision", "source"], name="each_source_once_per_revision"
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_id} in revision {self.revision_id}"


class RevisionPin(models.Model):
    """Somebody still needs this revision: a turn, an analysis. Pinned ones are never pruned."""

    class Holder(models.TextChoices):
        """What kind of row needs the revision."""

        TURN = "turn"

    revision = models.ForeignKey(Revision, models.PROTECT, related_name="pins")
    holder_kind = models.CharField(max_length=12, choices=Holder.choices)
    holder_id = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["revision", "holder_kind", "holder_id"], name="each_holder_pins_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["holder_kind", "holder_id"], name="pins_of_a_holder")
        ]

    def __str__(self) -> str:
        return f"{self.holder_kind} {self.holder_id} holds {self.revision_id}"
