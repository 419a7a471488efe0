"""What a worker process does first: learn its settings, and make sure that it ends when its parent does.

``python -m evosdc.executors.worker_bootstrap`` is a worker of the `processes` executor.
"""

import ctypes
import json
import os
import select
import shutil
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

from evosdc.processors import share_processors

_PERIOD = 2.0
_PR_SET_PDEATHSIG = 1
_LEFT_BEHIND: list[Path] = []


def remove_at_end(folder: Path | None) -> None:
    """Have a folder removed when the parent ends."""
    if folder is not None:
        _LEFT_BEHIND.append(folder)


def attend() -> dict[str, Any]:
    """Read the settings from standard input and stay alive for as long as that is open."""
    # Standard input is a pipe whose other end only the parent holds. It closes when the parent ends, however it ends,
    # and this process then ends too. Ctrl-C is the parent's to handle. What tasks print goes to standard error, for the
    # parent's standard output may be read by a program; the setting ``output`` is then the descriptor of what standard
    # output was. Where there is a setting ``silence``, the process also ends after that many seconds of silence: on
    # another computer a parent may be lost without the pipe being closed.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    share_processors()
    output = os.dup(1)
    os.dup2(2, 1)
    line = b""
    while not line.endswith(b"\n"):
        # Byte by byte: a buffer would hide from `select` that the pipe has been closed.
        letter = os.read(0, 1)
        if not letter:
            sys.exit(1)
        line += letter
    settings: dict[str, Any] = json.loads(line)
    parent, silence = settings.get("parent"), settings.get("silence")
    if parent is not None:
        _die_with_parent()
    threading.Thread(target=_watch, args=(parent, silence), name="parent", daemon=True).start()
    return settings | {"output": output}


def _die_with_parent() -> None:
    """Have the kernel end this process with its parent, where the kernel can: on Linux."""
    # Compiled code that holds the interpreter's lock, for minutes perhaps, would keep the watching thread from
    # noticing. To the kernel the parent is the thread that started this process.
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch(parent: int | None, silence: float | None) -> None:
    heard = monotonic()
    # A parent that ended before the kernel watched it is no longer the parent.
    while parent is None or os.getppid() == parent:
        readable, _, _ = select.select([0], [], [], _PERIOD)
        # After the settings come signs of life, if anything.
        if readable and not os.read(0, 4096):
            break
        heard = monotonic() if readable else heard
        if silence is not None and monotonic() - heard > silence:
            break
    for folder in _LEFT_BEHIND:
        shutil.rmtree(folder, ignore_errors=True)
    # From a thread nothing else ends a process whose main thread is in compiled code.
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Say hello, then run one task after another until the parent closes the connection."""
    settings = attend()
    from evosdc.executors.launch import versions
    from evosdc.executors.tasks import run_packed

    connection: Connection = Connection(settings["descriptor"])
    try:
        connection.send_bytes(json.dumps(versions()).encode())
        while True:
            connection.send_bytes(run_packed(connection.recv_bytes(), settings["time_limit"]))
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main()
