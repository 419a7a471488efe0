"""The first things that a worker process does: learn its settings, and make sure that it ends when its parent does."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
from typing import Any

_PERIOD = 2.0


def attend() -> dict[str, Any]:
    """Read the settings from standard input and stay alive for as long as that is open.

    Standard input is a pipe whose other end only the parent holds. It closes when the parent ends, however it ends, and
    this process then ends too. Ctrl-C is the parent's to handle. What tasks print goes to standard error, for the
    parent's standard output may be read by a program.

    Raises
    ------
    SystemExit
        The parent is gone already.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)
    line = b""
    while not line.endswith(b"\n"):
        # Byte by byte: a buffer would hide from `select` that the pipe has been closed.
        letter = os.read(0, 1)
        if not letter:
            sys.exit(1)
        line += letter
    settings: dict[str, Any] = json.loads(line)
    threading.Thread(target=_watch, args=(settings.get("parent"),), name="lifeline", daemon=True).start()
    return settings


def _watch(parent: int | None) -> None:
    # Compiled code that holds the interpreter's lock keeps this thread waiting; the process then ends once it returns.
    while parent is None or os.getppid() == parent:
        readable, _, _ = select.select([0], [], [], _PERIOD)
        # Nothing is ever sent after the settings: readable means closed.
        if readable and not os.read(0, 1):
            break
    os._exit(1)
