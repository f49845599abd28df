"""The rows behind notebooks: membership now, evidence that never changes, revisions, postings."""

from apps.notebooks.models.notebook import IndexSpace, Notebook, NotebookResource
from apps.notebooks.models.postings import Posting, SegmentLengths
from apps.notebooks.models.revisions import Revision, RevisionPin, RevisionSource
from apps.notebooks.models.sources import (
    Chunk,
    FailedReading,
    Fingerprint,
    Source,
    SourceState,
    SourceVersion,
)

__all__ = [
    "Chunk",
    "FailedReading",
    "Fingerprint",
    "IndexSpace",
    "Notebook",
    "NotebookResource",
    "Posting",
    "Revision",
    "RevisionPin",
    "RevisionSource",
    "SegmentLengths",
    "Source",
    "SourceState",
    "SourceVersion",
]
