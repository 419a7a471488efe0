"""Who waits for one piece of work, such as a masked file or a limit, is told that it takes long, while it does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

FIRST = 10.0  # seconds after which it is told for the first time; then after twice as many each time

# Called, in a thread of its own, with what takes long and how many seconds it has taken so far.
Slow = Callable[[str, float], None]


@contextmanager
def told_while_slow(what: str, slow: Slow | None) -> Iterator[None]:
    """Tell now and then that the body takes long; nobody is told without `slow`."""
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
