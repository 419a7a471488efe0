"""``python -m evosdc`` and ``evosdc``."""

import gc
import os
import signal
import sys
from contextlib import suppress
from time import monotonic
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130

FIRST_COLLECTION = 500_000
"""So many objects are there before cycles are first looked for; what start-up makes stays until the end anyway."""

IDLE_THREADS = ("OPENBLAS_THREAD_TIMEOUT", "20")
"""How long threads of linear algebra stay awake without work: 2^20 cycles of the processor, and not 2^28 as by default.

The results are the same. Awake, each of them takes a processor, in every command and whether it multiplies or not.
"""


def main() -> None:
    """Run the command line; Ctrl-C before it is there, and while Python closes down after it, ends without a word."""
    began = monotonic()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    os.environ.setdefault(*IDLE_THREADS)
    _collect_late()
    from evosdc.cli import main as command_line
    from evosdc.cli.beginning import note_beginning

    note_beginning(began)
    try:
        command_line()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):  # nobody reads it any more
                stream.flush()
        # All that is left goes with the process. To look for cycles in it took a fifth of the time of short commands.
        gc.freeze()


def _collect_late() -> None:
    """Look for cycles first when start-up is over, then as often as ever."""
    usual = gc.get_threshold()

    def as_usual(phase: str, facts: dict[str, int]) -> None:
        gc.set_threshold(*usual)
        gc.callbacks.remove(as_usual)

    gc.callbacks.append(as_usual)
    gc.set_threshold(FIRST_COLLECTION, *usual[1:])


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """End at once: nothing has been begun, or all is done."""
    os.write(2, b"Stopped.\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
