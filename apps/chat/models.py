"""The rows of a conversation: turns, their frames, their citations."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.chat.values import ConversationKind, TurnState


class Conversation(models.Model):
    """A history of turns: one per notebook, or per notebook and member.

    Switching a notebook's mode never merges or deletes: each kind keeps its own row.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=16, choices=[(word, word) for word in ConversationKind])
    vault = models.ForeignKey("vaults.Vault", models.CASCADE, related_name="+")
    notebook = models.ForeignKey(
        "notebooks.Notebook", models.CASCADE, null=True, related_name="conversations"
    )
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(
                    kind=ConversationKind.NOTEBOOK_SHARED,
                    notebook__isnull=False,
                    owner__isnull=True,
                )
                | Q(
                    kind=ConversationKind.NOTEBOOK_PRIVATE,
                    notebook__isnull=False,
                    owner__isnull=False,
                )
                | Q(
                    kind=ConversationKind.ASSISTANT,
                    notebook__isnull=True,
                    owner__isnull=False,
                ),
                name="a_conversation_has_the_owner_of_its_kind",
            ),
            models.UniqueConstraint(
                fields=["notebook"],
                condition=Q(kind=ConversationKind.NOTEBOOK_SHARED),
                name="one_shared_conversation_per_notebook",
            ),
            models.UniqueConstraint(
                fields=["notebook", "owner"],
                condition=Q(kind=ConversationKind.NOTEBOOK_PRIVATE),
                name="one_private_conversation_per_member",
            ),
            models.UniqueConstraint(
                fields=["vault", "owner"],
                condition=Q(kind=ConversationKind.ASSISTANT),
                name="one_assistant_conversation_per_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.notebook_id or self.owner_id}"


class TurnQuerySet(models.QuerySet["Turn"]):
    """Filters on turns; who may see which is decided in `apps.chat.access`."""

    def running(self) -> "TurnQuerySet":
        """Those that are being answered, or were when their process died."""
        return self.filter(state=TurnState.STREAMING)

    def held_by(self, lease_owner: str) -> "TurnQuerySet":
        """Those being answered under this lease."""
        return self.running().filter(lease_owner=lease_owner)

    def abandoned(self) -> "TurnQuerySet":
        """Those whose lease ran out by the database's clock: nobody is answering any more."""
        return self.running().filter(lease_expires_at__lt=Now())


class Turn(models.Model):
    """One question and its answer.

    `answer` and `meta` are filled when the turn ends; until then the frames are the answer.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="turns")
    position = models.PositiveIntegerField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    client_turn_id = models.UUIDField()
    question = models.TextField()
    state = models.CharField(
        max_length=12, choices=[(word, word) for word in TurnState], default=TurnState.QUEUED
    )
    reason = models.CharField(max_length=32, blank=True)
    answer = models.TextField(blank=True)
    meta = models.JSONField(default=dict)
    unknown_citations = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    stop_requested_at = models.DateTimeField(null=True, blank=True)
    lease_owner = models.CharField(max_length=64, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["author", "client_turn_id"], name="each_question_once_per_author"
            ),
            models.UniqueConstraint(
                fields=["conversation", "position"], name="turn_positions_differ"
            ),
            models.UniqueConstraint(
                fields=["conversation"],
                condition=Q(state=TurnState.STREAMING),
                name="one_streaming_turn_per_conversation",
            ),
            models.CheckConstraint(
                condition=~Q(state=TurnState.STREAMING)
                | (Q(lease_expires_at__isnull=False) & ~Q(lease_owner="")),
                name="a_streaming_turn_has_a_lease",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["lease_expires_at"],
                condition=Q(state=TurnState.STREAMING),
                name="turns_by_lease",
            )
        ]

    def __str__(self) -> str:
        return f"{self.id} ({self.state})"


class Frame(models.Model):
    """One stored frame of a turn: what was shown live, and what a reload shows again."""

    turn = models.ForeignKey(Turn, models.CASCADE, related_name="frames")
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=12)
    data = models.JSONField()

    class Meta:
        ordering: ClassVar = ["turn", "seq"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["turn", "seq"], name="frame_numbers_differ")
        ]

    def __str__(self) -> str:
        return f"{self.turn_id} {self.seq} {self.type}"


class Citation(models.Model):
    """A place in an answer and the passage it rests on, inside a revision that is pinned.

    Offsets are [start, end) code points: marker and sentence in the answer, quote in the chunk.
    """

    turn = models.ForeignKey(Turn, models.CASCADE, related_name="citations")
    n = models.PositiveIntegerField()
    chunk_id = models.BigIntegerField()
    notebook_id = models.UUIDField()
    revision = models.PositiveIntegerField()
    source_id = models.UUIDField()
    resource_id = models.UUIDField()
    locator = models.JSONField()
    marker_start = models.PositiveIntegerField()
    marker_end = models.PositiveIntegerField()
    sentence_start = models.PositiveIntegerField()
    sentence_end = models.PositiveIntegerField()
    quote_start = models.PositiveIntegerField()
    quote_end = models.PositiveIntegerField()
    support = models.CharField(max_length=12)

    class Meta:
        ordering: ClassVar = ["turn", "marker_start"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["turn", "marker_start"], name="one_citation_at_a_place"
            ),
            models.CheckConstraint(
                condition=Q(sentence_start__lte=models.F("sentence_end"))
                & Q(marker_start__lt=models.F("marker_end"))
                & Q(quote_start__lt=models.F("quote_end")),
                name="citation_offsets_are_ordered",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["chunk_id"], name="citations_of_a_chunk")]

    def __str__(self) -> str:
        return f"[{self.n}] of {self.turn_id}"
