"""``python -m evosdc`` and ``evosdc``."""

import gc
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C before it is there, and while Python closes down after it, ends without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from evosdc.cli import main as command_line
    from evosdc.cli.beginning import note_beginning

    note_beginning()
    try:
        command_line()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):  # nobody reads it any more
                stream.flush()
        # All that is left goes with the process. To look for cycles in it took a fifth of the time of short commands.
        gc.freeze()


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """End at once: nothing has been begun, or all is done."""
    os.write(2, b"Stopped.\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
