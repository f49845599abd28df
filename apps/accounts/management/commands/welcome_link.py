"""`manage.py welcome_link`: the one-time link by which a fresh install gets its owner."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from apps.accounts.claims import issue_claim


class Command(BaseCommand):
    """Prints the link while there is no user; prints nothing afterwards."""

    help = "Print the one-time link that claims a fresh install; earlier links stop working."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the site is reached."""
        parser.add_argument("--base-url", default="http://localhost:8000")

    def handle(self, *args: object, base_url: str, **options: object) -> None:
        """Makes the claim and prints its address."""
        token = issue_claim()
        if token is not None:
            self.stdout.write(f"{base_url.rstrip('/')}/welcome?token={token}")
