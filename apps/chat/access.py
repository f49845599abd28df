"""May this actor see or lead that conversation, and which turns may they see."""

import uuid

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from apps.chat.models import Conversation, Turn
from apps.chat.values import ConversationKind
from apps.common.errors import Forbidden, NotFound
from apps.notebooks import access as notebook_access
from apps.notebooks.models import Notebook
from apps.notebooks.values import ConversationMode
from apps.vaults.actor import Actor
from apps.vaults.roles import Capability


def conversations_visible_to(actor: Actor) -> QuerySet[Conversation]:
    """The shared conversations of notebooks the actor may find, and their own private ones."""
    return Conversation.objects.filter(
        Q(kind=ConversationKind.NOTEBOOK_SHARED)
        | Q(kind=ConversationKind.NOTEBOOK_PRIVATE, owner=actor.user_id),
        vault=actor.vault_id,
        notebook__in=notebook_access.notebooks_visible_to(actor),
    )


def turns_visible_to(actor: Actor) -> QuerySet[Turn]:
    """The turns of the conversations the actor may see."""
    return Turn.objects.filter(conversation__in=conversations_visible_to(actor))


def conversation_for(actor: Actor, notebook: Notebook) -> Conversation | None:
    """The conversation of the notebook's present mode; nothing before its first question.

    `notebook` comes from `notebook_for`, which has asked whether the actor may see it.
    """
    wanted = conversation_key(actor, notebook)
    return conversations_visible_to(actor).filter(**wanted).first()


def conversation_key(actor: Actor, notebook: Notebook) -> dict[str, object]:
    """The columns that name the conversation of the notebook's present mode for this actor."""
    if notebook.conversation_mode == ConversationMode.SHARED:
        return {"notebook": notebook, "kind": ConversationKind.NOTEBOOK_SHARED}
    return {
        "notebook": notebook,
        "kind": ConversationKind.NOTEBOOK_PRIVATE,
        "owner_id": actor.user_id,
    }


def turn_for(
    actor: Actor, turn_id: uuid.UUID, capability: Capability = Capability.NOTEBOOK_READ
) -> Turn:
    """The turn, with its conversation, notebook and author loaded.

    NOTEBOOK_CHAT means steering it: only the author and the notebook's creator may.
    Raises NotFound when the actor may not see it, Forbidden when they may only read.
    """
    turn = (
        turns_visible_to(actor)
        .select_related("conversation__notebook", "author")
        .filter(id=turn_id)
        .first()
    )
    if turn is None:
        raise NotFound
    if capability is not Capability.NOTEBOOK_READ and not _may_steer(actor, turn):
        raise Forbidden(_("Only who asked, or who made the notebook, can do this."))
    return turn


def _may_steer(actor: Actor, turn: Turn) -> bool:
    notebook = turn.conversation.notebook
    if notebook is None or not notebook_access.may(actor, notebook, Capability.NOTEBOOK_CHAT):
        return False
    return actor.user_id in {turn.author_id, notebook.created_by_id}
