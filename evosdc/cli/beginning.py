"""When a command began: a time that is given to it counts from there."""

from time import monotonic

_began: list[float] = []


def note_beginning(moment: float) -> None:
    """Remember when a command began, on the clock of `time.monotonic`."""
    # That is when evosdc got its process. When the process itself began, which the system tells, is something else: a
    # shell that was given several commands turns into the last of them, after all that the others took.
    _began[:] = [moment]


def seconds_since() -> float:
    """Return the seconds since a command began; 0 where nothing was noted."""
    return max(0.0, monotonic() - _began[0]) if _began else 0.0
