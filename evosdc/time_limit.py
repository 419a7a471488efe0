"""Time limits of what runs in the main thread, kept by the alarm of the operating system."""

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTime(BaseException):
    """A time limit is over.

    Not an `Exception`, so that a task's own ``except Exception`` cannot swallow it.
    """


SOON = 0.01
"""Seconds until an alarm rings again that nobody would have heard."""

AGAIN = 2.0
"""Seconds until it rings again while the body goes on all the same: callbacks of weak references drop errors, too."""


@contextmanager
def time_limited(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTime` in the body once the time is over, and leave the alarm's handler as it was found.

    The limit is kept in the main thread of the process, where signals are delivered, and between bytecodes: compiled
    code is interrupted only once it returns. A limit set further out is off from then on.
    """
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    armed, rang = True, False

    def expire(number: int, frame: FrameType | None) -> None:
        nonlocal rang
        if armed and _unheard(frame):
            signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
        elif armed:
            rang = True
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, expire)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            yield
        except SystemError as error:
            # Extensions that call Python, such as numba's dispatcher, may say no more of an exception than this.
            if rang:
                raise OutOfTime from error
            raise
        finally:
            # The alarm may still ring before this statement, hence the outer block.
            armed = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _unheard(frame: FrameType | None) -> bool:
    """Whether an exception would be lost: Python reports and drops what garbage collection and finalisers raise."""
    collecting = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_code in collecting:
            return True
        frame = frame.f_back
    return False


_preparing = [0]


def preparing() -> bool:
    """Whether the main thread is in the body of `unlimited`: whoever wants to raise there from outside has to wait."""
    return _preparing[0] > 0


@contextmanager
def unlimited() -> Iterator[None]:
    """Stop the clock of a time limit in the body.

    What is prepared once is no part of an evaluation, and an exception in the midst of compilation would leave the
    compiler broken.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    left, interval = signal.setitimer(signal.ITIMER_REAL, 0.0)
    _preparing[0] += 1
    try:
        yield
    finally:
        _preparing[0] -= 1
        signal.setitimer(signal.ITIMER_REAL, left, interval)
