"""Starting child processes that import what this process can, use one thread each and never outlive it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import IO, Any

from evosdc.errors import ExecutorError

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)
"""Environment of a worker: as many threads as workers, set before numpy is first imported."""

START_TIME = 120.0
"""Seconds that a worker may take to start; importing compiled libraries over a network drive is slow."""

_TAIL = 2000


class Child:
    """A child process and the private connection to it.

    Parameters
    ----------
    module : str
        Run as ``python -m module``; its main function begins with `lifeline.attend`, and finds under the setting
        ``descriptor`` the file descriptor of its end of the connection.
    settings : mapping
        JSON; they travel through a pipe, so that no other user sees them, as the command line could be.
    log : file
        Gets what the process writes to standard output and standard error.

    Raises
    ------
    ExecutorError
        The process cannot be started on this system.
    """

    def __init__(self, module: str, settings: Mapping[str, Any], log: IO[bytes]) -> None:
        if os.name != "posix":
            raise ExecutorError("worker processes need Linux, macOS or another POSIX system; use the serial executor")
        self.connection, theirs = Pipe()
        try:
            # A group of its own: Ctrl-C in a terminal reaches this process alone, which then stops its workers.
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(_search_path())},
                pass_fds=(theirs.fileno(),),
                process_group=0,
            )
            self._send({"parent": os.getpid(), "descriptor": theirs.fileno(), **settings})
        except OSError as error:
            self.connection.close()
            raise ExecutorError(f"a worker process could not be started: {error.strerror}") from None
        finally:
            theirs.close()

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self.process.poll() is None

    def stop(self, patience: float = 0.0) -> None:
        """Close the lifeline and the connection, wait, and kill the process if it is left after `patience` seconds."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        self.connection.close()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _send(self, settings: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        # A process that has ended already is noticed by whoever waits for its first message.
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(settings).encode() + b"\n")
            self.process.stdin.flush()


def open_log() -> IO[bytes]:
    """Return a file without a name for what workers complain of; it is gone when it is closed."""
    return tempfile.TemporaryFile(mode="a+b", buffering=0)


def tail(log: IO[bytes]) -> str:
    """Return the end of a log as a clause for an error message, or nothing if the log is empty."""
    size = log.seek(0, os.SEEK_END)
    log.seek(max(0, size - _TAIL))
    text = log.read().decode(errors="replace").strip()
    return f". The end of the workers' log:\n{text}" if text else ""


def _search_path() -> list[str]:
    """Return where this process finds modules: a worker has to find the same ones."""
    return [str(Path(entry).absolute()) for entry in sys.path]
