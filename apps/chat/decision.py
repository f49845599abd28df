"""The verdict on a question: an ordered tuple of gates, each (facts) → Reason | None. Pure."""

from collections.abc import Callable

from apps.chat.values import Confidence, Decision, Facts, Reason, Verdict

Gate = Callable[[Facts], Reason | None]

COVERAGE_FLOOR = 0.36
HIGH_COVERAGE = 0.7

_HARD_STOPS = frozenset({Reason.PROVIDER_ERROR})


def provider_failed(facts: Facts) -> Reason | None:
    """The provider failed, timed out or refused: nothing else matters any more."""
    return Reason.PROVIDER_ERROR if facts.provider_failed else None


def insufficient_context(facts: Facts) -> Reason | None:
    """There is no evidence, or the best of it holds too little of what was asked."""
    if facts.passages == 0 or facts.coverage < COVERAGE_FLOOR:
        return Reason.INSUFFICIENT_CONTEXT
    return None


GATES: tuple[Gate, ...] = (provider_failed, insufficient_context)
"""The order is part of the contract: the first gate that speaks decides."""


def decide(facts: Facts) -> Decision:
    """The decision of the first gate that speaks, `ok` when none does."""
    reason = next((found for gate in GATES if (found := gate(facts))), Reason.OK)
    verdict = Verdict.HARD_STOP if reason in _HARD_STOPS else Verdict.ANSWER
    return Decision(verdict, reason, _confidence(reason, facts))


def _confidence(reason: Reason, facts: Facts) -> Confidence:
    if reason is not Reason.OK:
        return Confidence.LOW
    return Confidence.HIGH if facts.coverage >= HIGH_COVERAGE else Confidence.MEDIUM
