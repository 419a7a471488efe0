"""Ending in good order on Ctrl-C, SIGTERM or SIGHUP, each with its own exit status."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 0.05  # seconds after which a signal that was lost, or that had to wait, is raised again


class Stopped(KeyboardInterrupt):
    """A signal ends the program."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class _Signals:
    """Whether a signal to end this program has come, and whether it is still listening to any."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.listening = self.waiting = self.repeated = False


_signals = _Signals()


def stop_if_asked() -> None:
    """Raise `Stopped` where a signal came whose exception was lost on the way."""
    # Python drops what is raised while it clears up objects, and libraries may swallow it while they are imported. Long
    # work asks here, so that it ends all the same.
    if _signals.number is not None:
        _signals.waiting = False
        raise Stopped(_signals.number)


def asked_to_stop() -> int | None:
    """Return the number of the signal to end this program; None where none has come."""
    return _signals.number


def forget() -> None:
    """Mark the signal as handled: it ended the intended action."""
    _signals.number = None


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `Stopped` in the main thread when SIGINT, SIGTERM or SIGHUP arrives; an ignored signal stays ignored."""
    # An exception that cannot be caught where it is raised is raised again soon. If a signal came and the block ended
    # all the same, it ends with `Stopped`.

    def stop(number: int, frame: FrameType | None) -> None:
        repeated, _signals.repeated = _signals.repeated, False
        if repeated and not _signals.waiting:
            return  # a caller of `stop_if_asked` has the answer, and is ending in good order by now
        _signals.number, _signals.waiting = number, False
        raise Stopped(number)

    def lost(unraisable: "sys.UnraisableHookArgs") -> None:
        if not isinstance(unraisable.exc_value, Stopped):
            hook_before(unraisable)
            return
        later(unraisable.exc_value.number)

    def later(number: int) -> None:
        _signals.waiting = True
        timer = threading.Timer(AGAIN, again, (number,))
        timer.daemon = True
        timer.start()

    def again(number: int) -> None:
        if _signals.listening and _signals.waiting:
            _signals.repeated = True
            os.kill(os.getpid(), number)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    hook_before = sys.unraisablehook
    _signals.number, _signals.listening, _signals.waiting, _signals.repeated = None, True, False, False
    sys.unraisablehook = lost
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield
        stop_if_asked()
    finally:
        _signals.listening = False
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook_before
