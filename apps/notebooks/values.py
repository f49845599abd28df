"""Words of notebooks on the wire and in the database. Pure."""

from enum import StrEnum

INGEST = "notebook_ingest"
"""The kind of the jobs that read a notebook's sources; their key is the notebook's id."""


class Visibility(StrEnum):
    """Who can find a notebook: its creator alone, or the whole workspace."""

    PRIVATE = "private"
    WORKSPACE = "workspace"


class ConversationMode(StrEnum):
    """One conversation for all, or one for each member."""

    SHARED = "shared"
    PRIVATE_MEMBER = "private_member"


class GroundingPolicy(StrEnum):
    """How far an answer may go beyond the evidence."""

    STRICT = "strict"
    ANCHORED = "anchored"
    HYBRID = "hybrid"


class SourceStatus(StrEnum):
    """How a source, or a whole resource, stands in a notebook."""

    PENDING = "pending"
    INDEXING = "indexing"
    AVAILABLE = "available"
    STALE = "stale"
    ERROR = "error"


class RevisionState(StrEnum):
    """What became of a run."""

    BUILDING = "building"
    COMPLETE = "complete"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    CANCELLED = "cancelled"


class CitationStatus(StrEnum):
    """How a cited passage stands today."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    REMOVED = "removed"


def resource_status(states: list[SourceStatus]) -> SourceStatus:
    """A resource's state out of those of its sources: what needs someone comes first."""
    for worst in (
        SourceStatus.INDEXING,
        SourceStatus.ERROR,
        SourceStatus.STALE,
        SourceStatus.PENDING,
    ):
        if worst in states:
            return worst
    return SourceStatus.AVAILABLE if states else SourceStatus.PENDING
