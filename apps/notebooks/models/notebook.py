"""The notebook and what belongs to it now."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models

from apps.notebooks.values import ConversationMode, GroundingPolicy, SourceStatus, Visibility


class NotebookQuerySet(models.QuerySet["Notebook"]):
    """Notebooks; who may see which is decided in `apps.notebooks.access`."""


class Notebook(models.Model):
    """A set of resources to ask about, with its own revisions and conversations."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    vault = models.ForeignKey("vaults.Vault", models.CASCADE, related_name="+")
    workspace = models.ForeignKey("vaults.Workspace", models.CASCADE, related_name="notebooks")
    # The table it was created from: it stays bound to it when the vault's setting changes.
    table = models.ForeignKey("library.Table", models.PROTECT, related_name="+")
    title = models.CharField(max_length=160)
    visibility = models.CharField(
        max_length=9, choices=[(word, word) for word in Visibility], default=Visibility.PRIVATE
    )
    conversation_mode = models.CharField(
        max_length=14,
        choices=[(word, word) for word in ConversationMode],
        default=ConversationMode.SHARED,
    )
    grounding_policy = models.CharField(
        max_length=8,
        choices=[(word, word) for word in GroundingPolicy],
        default=GroundingPolicy.ANCHORED,
    )
    active_revision = models.ForeignKey(
        "notebooks.Revision", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    last_revision_number = models.PositiveIntegerField(default=0)
    last_checked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = NotebookQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["workspace", "-updated_at", "id"], name="notebooks_by_workspace")
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked: an active complete revision holds at least one source."""
        revision = self.active_revision
        return revision is not None and revision.source_count > 0


class IndexSpace(models.Model):
    """The short number of a notebook's own index: its postings repeat it in each of their rows."""

    notebook = models.OneToOneField(Notebook, models.CASCADE, related_name="index_space")

    def __str__(self) -> str:
        return f"index {self.pk} of {self.notebook_id}"


class NotebookResource(models.Model):
    """Membership now. Removing the row takes the resource's evidence out at once."""

    notebook = models.ForeignKey(Notebook, models.CASCADE, related_name="members")
    resource = models.ForeignKey("library.Resource", models.CASCADE, related_name="+")
    state = models.CharField(
        max_length=9, choices=[(word, word) for word in SourceStatus], default=SourceStatus.PENDING
    )
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True)
    last_checked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["notebook", "resource"], name="each_resource_once_per_notebook"
            )
        ]

    def __str__(self) -> str:
        return f"{self.resource_id} in {self.notebook_id}"
