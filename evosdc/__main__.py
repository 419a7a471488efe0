"""``python -m evosdc`` and ``evosdc``."""

import os
import signal
import sys
from contextlib import suppress
from time import monotonic

# How long threads of linear algebra stay awake without work: 2^20 cycles of the processor, and not 2^28 as by default.
# The results are the same. Awake, each of them takes a processor, in every command and whether it multiplies or not.
IDLE_THREADS = ("OPENBLAS_THREAD_TIMEOUT", "20")


def main() -> None:
    """Run the command line; Ctrl-C before it is there, and while Python closes down after it, ends without a word."""
    began = monotonic()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # The system ends the process: nothing has been begun, or all is done.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.setdefault(*IDLE_THREADS)
    from evosdc.cli import main as command_line
    from evosdc.cli.beginning import note_beginning

    note_beginning(began)
    try:
        command_line()
    except SystemExit as end:
        _flush()
        if _within_scoop():
            # SCOOP would print it as the failure of a task; its launcher ends the workers, with a status of its own.
            os._exit(end.code if isinstance(end.code, int) else 0)
        raise
    finally:
        _flush()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # it has no reader any more
            stream.flush()


def _within_scoop() -> bool:
    """Whether ``python -m scoop`` started this program; SCOOP is not imported to find out."""
    return bool(getattr(sys.modules.get("scoop"), "IS_RUNNING", False))


if __name__ == "__main__":
    main()
