"""When to give up waiting for workers."""

from collections.abc import Callable
from time import monotonic

from evosdc.errors import ExecutorError

PATIENCE = 600.0
"""Seconds without any result after which the workers are given up, at least."""

TIMES_SLOWEST = 20.0
"""The same, as a multiple of the slowest evaluation seen."""


class Watchdog:
    """Raises the alarm when nothing has been heard for too long."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._latest = monotonic()

    def news(self) -> None:
        """Take note that something has been heard."""
        self._latest = monotonic()

    def check(self, slowest: float, complaint: Callable[[], str]) -> None:
        """Compare the time since the last news with the limit.

        Parameters
        ----------
        slowest : float
            Seconds of the slowest evaluation so far.
        complaint : callable
            Gives what to add to the message.

        Raises
        ------
        ExecutorError
            The limit is exceeded.
        """
        silence = monotonic() - self._latest
        if silence > max(self._patience, TIMES_SLOWEST * slowest):
            raise ExecutorError(f"the workers have been silent for {silence:.0f} s{complaint()}")


def losses_allowed(workers: int) -> int:
    """Return how many times in a row workers may be lost without any result before there is no point in going on."""
    return 25 + 5 * workers
