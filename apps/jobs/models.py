"""The job's row, which is the truth about it; messages are only wake-ups."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Now

from apps.jobs import owners
from apps.jobs.values import Progress, State

_STATES = [(state.value, state.value) for state in State]


class JobQuerySet(models.QuerySet["Job"]):
    """Filters over jobs. "Now" is always the database's clock."""

    def of(self, kind: str, key: str) -> Self:
        """Every job ever queued for this work, as long as it is kept."""
        return self.filter(kind=kind, key=key)

    def waiting(self) -> Self:
        """Queued jobs, due or not."""
        return self.filter(state=State.QUEUED)

    def running(self) -> Self:
        """Jobs under a lease, live or expired."""
        return self.filter(state=State.RUNNING)

    def held(self, job_id: int, fence: int) -> Self:
        """The job while the claim numbered `fence` holds it, otherwise nothing."""
        return self.running().filter(pk=job_id, fence=fence)

    def due(self, queues: Iterable[str]) -> Self:
        """Jobs that may be claimed now: the same work is not running already."""
        same_work = Job.objects.running().filter(kind=OuterRef("kind"), key=OuterRef("key"))
        return self.waiting().filter(
            ~Exists(same_work), queue__in=list(queues), available_at__lte=Now()
        )

    def in_turn(self) -> Self:
        """The vault whose last claim is the oldest first, then by age: round-robin by vault."""
        claims = Job.objects.filter(vault_id=OuterRef("vault_id"), claimed_at__isnull=False)
        last_claim = claims.order_by("-claimed_at").values("claimed_at")[:1]
        return self.alias(vault_turn=Subquery(last_claim)).order_by(
            F("vault_turn").asc(nulls_first=True), "available_at", "pk"
        )

    def abandoned(self) -> Self:
        """Running jobs whose lease has ended."""
        return self.running().filter(lease_expires_at__lt=Now())

    def old(self, age: timedelta) -> Self:
        """Finished jobs of that age, except the newest of each work, which tells how it went."""
        newer = Job.objects.filter(
            kind=OuterRef("kind"), key=OuterRef("key"), pk__gt=OuterRef("pk")
        )
        return self.filter(Exists(newer), finished_at__lt=Now() - age)


class Job(models.Model):
    """One piece of durable work for one key, for example an ingest of one notebook."""

    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=100)
    vault_id = models.UUIDField()
    queue = models.CharField(max_length=20)
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=_STATES, default=State.QUEUED.value)

    attempts = models.PositiveIntegerField(default=0)
    available_at = models.DateTimeField(db_default=Now())
    lease_owner = models.CharField(max_length=160, blank=True, default="")
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    fence = models.BigIntegerField(default=0)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)

    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    progress_item = models.CharField(max_length=200, blank=True, default="")
    result = models.JSONField(null=True, blank=True)
    error_code = models.CharField(max_length=60, blank=True, default="")
    error_detail = models.CharField(max_length=500, blank=True, default="")

    created_at = models.DateTimeField(db_default=Now())
    claimed_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "key"],
                condition=Q(state=State.QUEUED.value),
                name="jobs_one_queued_per_work",
            ),
            models.UniqueConstraint(
                fields=["kind", "key"],
                condition=Q(state=State.RUNNING.value),
                name="jobs_one_running_per_work",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in State]), name="jobs_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state=State.RUNNING.value, lease_expires_at__isnull=False)
                | (~Q(state=State.RUNNING.value) & Q(lease_expires_at__isnull=True)),
                name="jobs_lease_while_running",
            ),
            models.CheckConstraint(
                condition=Q(
                    finished_at__isnull=False, state__in=["succeeded", "failed", "cancelled"]
                )
                | Q(finished_at__isnull=True, state__in=["queued", "running"]),
                name="jobs_finished_when_over",
            ),
        ]
        indexes = [
            models.Index(
                fields=["available_at", "id"],
                condition=Q(state=State.QUEUED.value),
                name="jobs_due",
            ),
            models.Index(
                fields=["lease_expires_at"],
                condition=Q(state=State.RUNNING.value),
                name="jobs_leases",
            ),
            models.Index(fields=["vault_id", "claimed_at"], name="jobs_turns"),
            models.Index(fields=["kind", "key", "id"], name="jobs_history"),
            models.Index(fields=["finished_at"], name="jobs_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} ({self.state})"

    @property
    def progress(self) -> Progress:
        """How far the job is; it never runs backwards while the total stays the same."""
        return Progress(self.progress_done, self.progress_total, self.progress_item)

    @property
    def owner_is_gone(self) -> bool:
        """Whether the process that holds the lease certainly died on this machine."""
        return owners.is_gone(self.lease_owner)
