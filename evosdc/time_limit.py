"""Time limits of what runs in the main thread, kept by the alarm of the operating system."""

import gc
import signal
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from types import CodeType, FrameType


class OutOfTime(BaseException):
    """A time limit is over.

    Not an `Exception`, so that a task's own ``except Exception`` cannot swallow it.
    """


class DeadlineOver(BaseException):
    """The time of a part of a run is over, which is caught where that part began, and nowhere within it."""


SOON = 0.01
"""Seconds until an alarm rings again that nobody would have heard."""

AGAIN = 2.0
"""Seconds until it rings again while the body goes on: further callbacks of weak references drop errors, too."""


@dataclass
class _Limit:
    end: float
    kind: type[BaseException]
    rang: bool = False


_limits: list[_Limit] = []
"""Those in force, the outermost first; the alarm is set to the one that ends first."""


@contextmanager
def time_limited(seconds: float | None, kind: type[BaseException] = OutOfTime) -> Iterator[None]:
    """Raise an error of a kind in the body once the time is over, and leave the alarm's handler as it was found.

    The limit is kept in the main thread of the process, where signals are delivered, and between bytecodes: compiled
    code is interrupted only once it returns. A limit set further out stays in force, and raises its own kind.
    """
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    if seconds <= 0.0:
        raise kind
    limit = _Limit(_clock() + seconds, kind)
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        try:
            _limits.append(limit)
            _set_alarm()
            yield
        except Exception as error:
            raise_if_over(error)
            raise
        finally:
            # The alarm may still ring before this statement, hence the outer block.
            limit.end = float("inf")
    finally:
        _limits.remove(limit)
        # Silent first: without a handler of its own the process dies of an alarm.
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if _limits:
            _set_alarm()


def raise_if_over(error: Exception) -> None:
    """Raise that a time limit is over where an alarm became the given error on its way; for whoever would go on.

    Extensions that call Python make another error of it: numba's dispatcher a SystemError or a TypeError.
    """
    for limit in _limits:
        if limit.rang:
            raise limit.kind from error


def _ring(number: int, frame: FrameType | None) -> None:
    if _preparing[0]:
        return  # it rang just before the clock was stopped, and will be set again
    over = [limit for limit in _limits if limit.end <= _clock() + 1e-4]
    if not over:
        _set_alarm()
    elif _unheard(frame):
        signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
    else:
        over[0].rang = True
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        raise over[0].kind


def _set_alarm() -> None:
    first = min((limit.end for limit in _limits), default=float("inf"))
    left = 0.0 if first == float("inf") else max(first - _clock(), 1e-4)
    signal.setitimer(signal.ITIMER_REAL, left, AGAIN)


_IMPORTING = "<frozen importlib"
"""Where the code of imports stands."""

_FINALISERS = {"__del__", "_on_type_disposal", "on_disposal", "weakref_cb"}
"""Names of what runs when an object goes, numba's own callbacks and that of pools of threads among them."""

_FORGETTING = {
    function.__code__.co_filename
    for function in (weakref.finalize.__init__, weakref.WeakSet.__init__, weakref.WeakValueDictionary.__init__)
}
"""Where the callbacks of weak references stand that remove or finalise what is gone; the rest there takes no time."""


def _unheard(frame: FrameType | None) -> bool:
    """Whether an exception would be lost: Python drops what garbage collection, finalisers and their like raise.

    Or worse: machine code that numba made calls back into Python for some of its results, and takes for granted that
    they come; and extensions whose import is broken off crash when they are imported again.
    """
    collecting = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    lost = any(
        code.co_name in _FINALISERS
        or code in collecting
        or code.co_filename in _FORGETTING
        or code.co_filename.startswith(_IMPORTING)
        for code in _codes(frame)
    )
    return lost or within_machine_code(frame)


def within_machine_code(frame: FrameType | None) -> bool:
    """Whether Python runs on behalf of machine code, which an exception would crash."""
    return any(code.co_name == "_numba_unpickle" for code in _codes(frame))


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


@dataclass
class Standing:
    """That the clock of time limits stands still; whoever learns that it was no preparation lets the time count."""

    counts: bool = False


_preparing = [0]
_stood = [0.0]


def _clock() -> float:
    """Return seconds on a clock that stands still in the body of `unlimited`."""
    return monotonic() - _stood[0]


def preparing() -> bool:
    """Whether the main thread is in the body of `unlimited`: whoever wants to raise there from outside has to wait."""
    return _preparing[0] > 0


@contextmanager
def unlimited() -> Iterator[Standing]:
    """Stop the clock of time limits in the body, and ring no alarm.

    What is prepared once is no part of an evaluation, and an exception in the midst of compilation would leave the
    compiler broken.
    """
    standing = Standing()
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield standing
        return
    began, before = monotonic(), _stood[0]
    _preparing[0] += 1
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        yield standing
    finally:
        _preparing[0] -= 1
        if not standing.counts:
            # What stood still within this body did so within its own time.
            _stood[0] = before + monotonic() - began
        if not _preparing[0]:
            _set_alarm()
