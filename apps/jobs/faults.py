"""What follows an attempt that did not succeed. Pure."""

from dataclasses import dataclass
from datetime import timedelta

from apps.jobs.values import MAX_ATTEMPTS, Fail, Retry

_FIRST_WAIT = timedelta(seconds=5)
_LONGEST_WAIT = timedelta(hours=1)
_GROWTH = 3


@dataclass(frozen=True, slots=True)
class Again:
    """Another attempt after `wait`."""

    wait: timedelta


@dataclass(frozen=True, slots=True)
class Over:
    """No further attempt."""


def decide(fault: Retry | Fail, attempts: int, spread: float) -> Again | Over:
    """Whether a job that was tried `attempts` times gets another try, and when.

    `spread` in [0, 1) is the random part: the wait lies between half and one and a half
    times the nominal one, so that jobs that failed together do not return together.
    """
    if isinstance(fault, Fail) or attempts >= MAX_ATTEMPTS:
        return Over()
    nominal = _FIRST_WAIT * _GROWTH ** max(attempts - 1, 0)
    wait = max(nominal * (0.5 + spread), fault.after or timedelta())
    return Again(min(wait, _LONGEST_WAIT))
