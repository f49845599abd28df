"""`manage.py explain_job ID`: the whole story of one job."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.jobs.models import Job

_TIMES = (
    "created_at",
    "available_at",
    "claimed_at",
    "lease_expires_at",
    "cancel_requested_at",
    "finished_at",
)


class Command(BaseCommand):
    """Prints a job's row in words, and the other jobs of the same work."""

    help = "Print the whole story of one job."

    def add_arguments(self, parser: CommandParser) -> None:
        """Takes the job's number."""
        parser.add_argument("id", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises `CommandError` when there is no such job."""
        job = Job.objects.filter(pk=options["id"]).first()
        if job is None:
            raise CommandError(f"There is no job {options['id']}.")
        for line in (*_story(job), *_siblings(job)):
            self.stdout.write(line)


def _story(job: Job) -> list[str]:
    progress = f"{job.progress_done} of {job.progress_total} {job.progress_item}".rstrip()
    facts = [
        f"job {job.pk}: {job}",
        f"vault {job.vault_id}, queue {job.queue}, attempt {job.attempts}, fence {job.fence}",
        f"progress: {progress}",
        f"payload: {job.payload}",
        f"result: {job.result}",
    ]
    if job.error_code:
        facts.append(f"error: {job.error_code} {job.error_detail}".rstrip())
    if job.lease_owner:
        facts.append(f"lease: {job.lease_owner}{' (gone)' if job.owner_is_gone else ''}")
    moments = [(name, getattr(job, name)) for name in _TIMES]
    return facts + [f"{name}: {moment.isoformat()}" for name, moment in moments if moment]


def _siblings(job: Job) -> list[str]:
    others = Job.objects.of(job.kind, job.key).exclude(pk=job.pk).order_by("-pk")[:20]
    return [f"also job {other.pk}: {other.state} {other.error_code}".rstrip() for other in others]
