"""`manage.py drain_jobs`: do what is due, here and now, without a broker."""

from typing import Any

from django.core.management.base import BaseCommand

from apps.jobs import actions, runner


class Command(BaseCommand):
    """Sweeps and runs every due job in this process, then ends."""

    help = "Run every due job in this process; needs no broker and no worker."

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints the number of attempts that were made."""
        actions.sweep()
        self.stdout.write(f"{runner.run_due()}")
