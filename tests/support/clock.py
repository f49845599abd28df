"""Moving the database's clock against the jobs, by moving their times: nobody sleeps."""

from datetime import timedelta

from django.db.models import F

from apps.jobs.models import Job
from apps.jobs.values import State


def let_time_pass(amount: timedelta) -> None:
    """As if `amount` had passed: leases end, waiting times run out, finished jobs grow old."""
    running = Job.objects.filter(state=State.RUNNING)
    running.update(lease_expires_at=F("lease_expires_at") - amount)
    Job.objects.filter(state=State.QUEUED).update(available_at=F("available_at") - amount)
    Job.objects.filter(finished_at__isnull=False).update(finished_at=F("finished_at") - amount)
