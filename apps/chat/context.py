"""What a question may see: the notebook at one revision, fixed for the whole turn."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.chat.values import GroundingPolicy, Question
from apps.common.errors import Conflict, Invalid
from apps.notebooks.access import notebook_for
from apps.notebooks.evidence import PinnedNotebook, entries_now, pin_now
from apps.notebooks.models import Notebook
from apps.vaults.actor import Actor
from apps.vaults.roles import Capability


@dataclass(frozen=True, slots=True)
class TurnContext:
    """Who asks what of which pinned revisions; the first pin is the conversation's notebook."""

    turn_id: uuid.UUID
    question: str
    actor: Actor
    pins: tuple[PinnedNotebook, ...]
    policy: GroundingPolicy
    source_ids: frozenset[uuid.UUID] | None = None


def authorize(actor: Actor, question: Question) -> Notebook:
    """The notebook to ask in. Raises NotFound when invisible, Forbidden for readers."""
    return notebook_for(actor, question.notebook_id, Capability.NOTEBOOK_CHAT)


def pin(notebook: Notebook) -> tuple[PinnedNotebook, ...]:
    """The revisions this turn will see; Conflict `notebook_not_ready` while there is none."""
    pinned = pin_now(notebook)
    if pinned is None:
        raise Conflict(
            _("This notebook has nothing to answer from yet. Ask when the first source is read."),
            code="notebook_not_ready",
        )
    return (pinned,)


def refuse_foreign_sources(
    pins: Sequence[PinnedNotebook], source_ids: frozenset[uuid.UUID] | None
) -> None:
    """Raises Invalid unless every chosen source is in the pinned revision and belongs to it now."""
    if source_ids is None:
        return
    usable = {entry.source_id for entry in entries_now(pins[0], source_ids)}
    if not usable or usable != source_ids:
        raise Invalid(
            _("Some of the chosen sources cannot take part. Look at the ticks and ask again."),
            code="unknown_sources",
            fields={"context": [_("Choose among the available sources.")]},
        )
