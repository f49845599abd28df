"""Servers of the suite end with it, also when it is killed and no fixture gets its turn."""

import ctypes
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1  # prctl(2)
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def ended_with_us(by: signal.Signals) -> Callable[[], None]:
    """For `preexec_fn`: the kernel sends the child this signal when its parent is gone."""

    def bind() -> None:
        if _LIBC is not None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, by)

    return bind
