"""One frame of every type, and a strategy for deltas of any text."""

import uuid

from apps.chat import frames as f
from apps.chat.values import (
    Confidence,
    GroundingPolicy,
    PhaseName,
    Reason,
    Support,
    TurnState,
    Verdict,
)

NOTEBOOK = uuid.UUID(int=1)

META = f.AclMeta(
    label="Answered from 1 source",
    sources=("db:delta/pla-de-gestio",),
    source_details=(
        f.SourceDetail(
            source="db:delta/pla-de-gestio",
            title="Pla de gestió",
            notebook="Delta",
            kind="attachment",
            excerpt="El delta retrocedeix.",
            locator="p. 3",
        ),
    ),
    decision=Verdict.ANSWER,
    reason=Reason.OK,
    confidence=Confidence.HIGH,
    allow_generation=True,
    llm_called=False,
    tokens_used=f.TokensUsed(),
    grounding_policy=GroundingPolicy.ANCHORED,
    pinned_active=False,
    pinned_display="",
    pin_chunks_used=False,
    revisions={str(NOTEBOOK): 12},
)
CITATION = f.CitationFrame(
    n=1,
    marker=(22, 25),
    sentence=(0, 21),
    chunk_id=7,
    notebook_id=NOTEBOOK,
    revision=12,
    source_id=uuid.UUID(int=2),
    resource_id=uuid.UUID(int=3),
    title="Pla de gestió",
    source_label="pla.pdf",
    kind="attachment",
    locator={"kind": "page", "page": 3},
    label="p. 3",
    href="/notebooks/1/evidence/7?revision=12",
    start=100,
    quote=(10, 31),
    quoted="El delta retrocedeix.",
    support=Support.VERBATIM,
)
EVERY_PAYLOAD: tuple[f.Payload, ...] = (
    META,
    f.Phase(PhaseName.SEARCHING, "Searching the sources"),
    f.Delta("El delta retrocedeix. "),
    CITATION,
    f.Reset("provider_restarted"),
    f.ErrorFrame("provider_error", "No answer could be made.", retryable=True),
    f.Done(TurnState.COMPLETED, citations=1, unknown_citations=0, words=3, duration_ms=12),
)
