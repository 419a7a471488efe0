"""When the process of a command began: a time that is given to a command counts from there."""

import os
import time
from pathlib import Path

_began: list[float] = []


def note_beginning() -> None:
    """Remember when this process began, on the clock of `time.monotonic`; where the system does not tell, now."""
    _began[:] = [time.monotonic() - _age()]


def seconds_since() -> float:
    """Return how long this process has been there; 0 where it is no command's own and nothing was noted."""
    return max(0.0, time.monotonic() - _began[0]) if _began else 0.0


def _age() -> float:
    try:
        # The name of the program, in brackets, may hold blanks; the start is the 22nd field, in ticks since boot.
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (AttributeError, OSError, ValueError, IndexError):
        return 0.0
