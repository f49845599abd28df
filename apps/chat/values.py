"""Words and values of a conversation. Pure."""

import uuid
from dataclasses import dataclass
from enum import StrEnum

from apps.notebooks.values import GroundingPolicy

__all__ = [
    "Confidence",
    "ConversationKind",
    "Decision",
    "Facts",
    "GroundingPolicy",
    "PhaseName",
    "Question",
    "Reason",
    "Support",
    "TurnState",
    "Verdict",
]

MAX_MESSAGE = 16_000


class ConversationKind(StrEnum):
    """Whose history a conversation is."""

    NOTEBOOK_SHARED = "notebook_shared"
    NOTEBOOK_PRIVATE = "notebook_private"
    ASSISTANT = "assistant"


class TurnState(StrEnum):
    """Where a turn stands; only the first two can still change."""

    QUEUED = "queued"
    STREAMING = "streaming"
    COMPLETED = "completed"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"

    @property
    def is_over(self) -> bool:
        """Whether nothing will be added any more."""
        return self not in {TurnState.QUEUED, TurnState.STREAMING}


class Verdict(StrEnum):
    """What happens with a question; the wire calls it `decision`."""

    ANSWER = "answer"
    HARD_STOP = "hard_stop"


class Confidence(StrEnum):
    """How far the evidence carries an answer."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Reason(StrEnum):
    """Why a question is answered as it is; `ok` when every gate is clear."""

    OK = "ok"
    INSUFFICIENT_CONTEXT = "insufficient_context"
    UNDERSPECIFIED_QUERY = "underspecified_query"
    VAGUE_BUT_HIGH_RISK = "vague_but_high_risk"
    AMBIGUOUS_RETRIEVAL = "ambiguous_retrieval"
    CONTEXT_MISALIGNED = "context_misaligned"
    LOW_CONFIDENCE = "low_confidence"
    INDEX_GAP = "index_gap"
    POST_GENERATION_MISALIGNMENT = "post_generation_misalignment"
    PROVIDER_ERROR = "provider_error"


class PhaseName(StrEnum):
    """What the server is doing before and while it answers."""

    SEARCHING = "searching"
    READING = "reading"
    THINKING = "thinking"
    ANSWERING = "answering"
    ANALYSING = "analysing"


class Support(StrEnum):
    """What is known about the tie between a sentence and the passage it cites."""

    VERBATIM = "verbatim"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody asks, as it came in and was found usable.

    `client_turn_id` is the sender's own: the same one again means the same turn. `source_ids`
    narrows the notebook to some of its sources; None means all of them.
    """

    notebook_id: uuid.UUID
    text: str
    client_turn_id: uuid.UUID
    source_ids: frozenset[uuid.UUID] | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the gates may look at.

    `coverage` is the share (0 to 1) of the question's weight that the best passage holds, as
    `apps.llm.scoring.best_coverage` counts it: it does not depend on the notebook's size.
    """

    passages: int
    coverage: float
    provider_failed: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on a question, with its reason and how sure it is."""

    verdict: Verdict
    reason: Reason
    confidence: Confidence

    @property
    def allow_generation(self) -> bool:
        """Whether text may be generated: true exactly when the verdict is to answer."""
        return self.verdict is Verdict.ANSWER
