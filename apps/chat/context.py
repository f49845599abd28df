"""What a question may see: the notebook at one revision, fixed for the whole turn."""

import uuid
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.chat.values import GroundingPolicy, Question
from apps.common.errors import Conflict
from apps.notebooks.access import notebook_for
from apps.notebooks.evidence import PinnedNotebook, pin_now
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
