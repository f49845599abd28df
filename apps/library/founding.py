"""Making a fresh install somebody's: account, vault, workspace and References table at once."""

from dataclasses import dataclass

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from apps.accounts.actions import AccountDraft, claim_install
from apps.accounts.models import User
from apps.common.text import one_line
from apps.library.actions import create_references_table
from apps.vaults.actions import create_vault
from apps.vaults.actor import Actor, actor_for


@dataclass(frozen=True, slots=True)
class Founded:
    """The owner of a fresh install and who they are in its first workspace."""

    owner: User
    actor: Actor


@transaction.atomic
def found_install(token: str, draft: AccountDraft, vault_name: str = "") -> Founded:
    """Uses up the token and makes everything that its owner starts with, or nothing of it.

    Raises Invalid and ClaimUsed as `claim_install` does. The names of what is made are in the
    owner's language. Signing in is left to the page.
    """
    owner = claim_install(token, draft)
    with translation.override(draft.language):
        name = one_line(vault_name, 120) or _("My vault")
        workspace = create_vault(name, _("Main workspace"), owner=owner)
        create_references_table(workspace)
    return Founded(owner, actor_for(owner, workspace.id))
