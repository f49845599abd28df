"""Looking after processes in tests."""

import os
import select


def ends_within(seconds: float, pid: int) -> bool:
    """Whether the process is gone by then."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], seconds)[0])
    finally:
        os.close(process)
