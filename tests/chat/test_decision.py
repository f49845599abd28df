"""The gates as a table of cases: facts in, verdict out."""

import pytest

from apps.chat.decision import COVERAGE_FLOOR, GATES, HIGH_COVERAGE, decide
from apps.chat.values import Confidence, Decision, Facts, Reason, Verdict

ANSWER, STOP = Verdict.ANSWER, Verdict.HARD_STOP
LOW, MEDIUM, HIGH = Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH


@pytest.mark.parametrize(
    "facts, verdict, reason, confidence",
    [
        (Facts(0, 0.0), ANSWER, Reason.INSUFFICIENT_CONTEXT, LOW),
        (Facts(5, COVERAGE_FLOOR - 0.01), ANSWER, Reason.INSUFFICIENT_CONTEXT, LOW),
        (Facts(5, COVERAGE_FLOOR), ANSWER, Reason.OK, MEDIUM),
        (Facts(1, HIGH_COVERAGE), ANSWER, Reason.OK, HIGH),
        (Facts(0, 0.9), ANSWER, Reason.INSUFFICIENT_CONTEXT, LOW),
        (Facts(5, 0.9, provider_failed=True), STOP, Reason.PROVIDER_ERROR, LOW),
        (Facts(0, 0.0, provider_failed=True), STOP, Reason.PROVIDER_ERROR, LOW),
    ],
)
def test_the_first_gate_that_speaks_decides(
    facts: Facts, verdict: Verdict, reason: Reason, confidence: Confidence
) -> None:
    assert decide(facts) == Decision(verdict, reason, confidence)


@pytest.mark.parametrize("facts", [Facts(0, 0.0), Facts(3, 0.8), Facts(3, 0.8, True)])
def test_generation_is_allowed_exactly_when_the_verdict_is_to_answer(facts: Facts) -> None:
    decision = decide(facts)
    assert decision.allow_generation == (decision.verdict is Verdict.ANSWER)


def test_clear_facts_pass_every_gate() -> None:
    assert [gate(Facts(3, 0.8)) for gate in GATES] == [None] * len(GATES)
