"""Time limits that long loops keep themselves: they ask `check_time` now and then, and nothing interrupts them.

Between two questions, as in a compiled kernel or a solver, the clock is not looked at. Work that never asks is ended
with its process, where it has one of its own: see `evosdc.executors.processes`.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic


class OutOfTime(BaseException):
    """A time limit is over."""

    # Not an `Exception`, so that a task's own ``except Exception`` cannot swallow it.


class DeadlineOver(BaseException):
    """The time of a part of a run is over, which is caught where that part began, and nowhere within it."""


@dataclass
class _Limit:
    end: float
    kind: type[BaseException]


class _Limits(threading.local):
    """Those in force in this thread, the outermost first."""

    def __init__(self) -> None:
        self.listed: list[_Limit] = []


_limits = _Limits()


@contextmanager
def time_limited(seconds: float | None, kind: type[BaseException] = OutOfTime) -> Iterator[None]:
    """Have `check_time` raise an error of a kind in the body once the time is over; None sets no limit."""
    # A limit set further out stays in force, and raises its own kind. A body that ends late without a question ends as
    # usual: what it has made is there.
    if seconds is None:
        yield
        return
    if seconds <= 0.0:
        raise kind
    limit = _Limit(monotonic() + seconds, kind)
    _limits.listed.append(limit)
    try:
        yield
    finally:
        _limits.listed.remove(limit)


def check_time() -> None:
    """Raise that a time limit is over, if one of this thread is; for loops that take long."""
    if not _limits.listed:
        return
    now = monotonic()
    for limit in _limits.listed:
        if limit.end <= now:
            raise limit.kind


@contextmanager
def unlimited() -> Iterator[None]:
    """Exclude the time of the body from all limits in force: one-time preparation is no part of an evaluation."""
    began, outer = monotonic(), _limits.listed
    _limits.listed = []
    try:
        yield
    finally:
        _limits.listed = outer
        for limit in outer:
            limit.end += monotonic() - began


FIRST = 10.0  # seconds until the first report; then after twice as many each time

# Called, in a thread of its own, with what takes long and how many seconds it has taken so far.
Slow = Callable[[str, float], None]


@contextmanager
def told_while_slow(what: str, slow: Slow | None) -> Iterator[None]:
    """Report by `slow` now and then that the body takes long; nothing without it."""
    if slow is None:
        yield
        return
    ended = Event()
    Thread(target=_tell, args=(what, slow, ended), daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _tell(what: str, slow: Slow, ended: Event) -> None:
    began, due = monotonic(), FIRST
    while not ended.wait(due - (monotonic() - began)):
        slow(what, monotonic() - began)
        due *= 2.0
