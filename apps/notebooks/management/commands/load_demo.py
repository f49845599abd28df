"""`./run demo`: the demo vault, on a fresh install with an owner of its own."""

import secrets
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from apps.accounts.actions import create_account
from apps.accounts.models import User
from apps.accounts.queries import account_at, first_account
from apps.common.errors import NotFound
from apps.library.actions import create_references_table
from apps.notebooks.demo import load_demo, manifest
from apps.vaults.actions import create_vault
from apps.vaults.actor import actor_for

OWNER_ADDRESS = "demo@example.org"


class Command(BaseCommand):
    """Adds the demo's records and notebooks to somebody's first workspace."""

    help = "Load the demo vault; without any account it makes one and prints how to sign in."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose workspace gets the demo."""
        parser.add_argument("--email", help="an account that exists; by default the first one")

    def handle(self, *args: Any, **options: Any) -> None:
        """Loads the demo; running it twice loads it twice."""
        with transaction.atomic():
            user = self._owner(options["email"])
            try:
                notebooks = load_demo(actor_for(user))
            except NotFound as error:
                raise CommandError(
                    f"{user.email} has no workspace to load the demo into."
                ) from error
        for notebook in notebooks:
            self.stdout.write(f"{notebook.title}: reading starts with the next worker")

    def _owner(self, email: str | None) -> User:
        user = account_at(email) if email else first_account()
        if user is not None:
            return user
        if email:
            raise CommandError(f"There is no account {email}.")
        return self._new_owner()

    def _new_owner(self) -> User:
        password = secrets.token_urlsafe(12)
        owner = create_account(OWNER_ADDRESS, password, name="Clara Vidal", is_staff=True)
        facts = manifest()
        create_references_table(create_vault(facts["vault"], facts["workspace"], owner=owner))
        self.stdout.write(f"Sign in as {OWNER_ADDRESS} with the password {password}")
        return owner
