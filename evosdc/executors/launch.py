"""Starting child processes that import what this process can, use one thread each and never outlive it."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic
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

    Attributes
    ----------
    names : frozenset of str
        Of the workers in it, once it has said what they are.

    Raises
    ------
    ExecutorError
        The process cannot be started on this system.
    """

    def __init__(self, module: str, settings: Mapping[str, Any], log: IO[bytes]) -> None:
        if os.name != "posix":
            raise ExecutorError("worker processes need Linux, macOS or another POSIX system; use the serial executor")
        self.connection, theirs = Pipe()
        self.names: frozenset[str] = frozenset()
        try:
            # A group of its own: Ctrl-C in a terminal reaches this process alone, which then stops its workers.
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(search_path())},
                pass_fds=(theirs.fileno(),),
                process_group=0,
            )
            assert self.process.stdin is not None
            sent_settings(self.process.stdin, {"parent": os.getpid(), "descriptor": theirs.fileno(), **settings})
        except OSError as error:
            self.connection.close()
            raise ExecutorError(f"a worker process could not be started: {error.strerror}") from None
        finally:
            theirs.close()

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self.process.poll() is None

    def first_message(self, deadline: float) -> bytes | None:
        """Return the first message; None where the deadline is over.

        Raises
        ------
        EOFError, OSError
            The process ended before.
        """
        return self.connection.recv_bytes() if wait([self.connection], max(0.0, deadline - monotonic())) else None

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


def sent_settings(pipe: IO[bytes], settings: Mapping[str, Any]) -> None:
    """Send a process its settings; one that has ended already is noticed by whoever waits for its first message."""
    with suppress(BrokenPipeError):
        pipe.write(json.dumps(settings).encode() + b"\n")
        pipe.flush()


def open_log(path: Path | None = None) -> IO[bytes]:
    """Return a file for what workers complain of, which its owner alone can read.

    Without a path it has no name, and is gone when it is closed.

    Raises
    ------
    ExecutorError
        It cannot be written.
    """
    if path is None:
        return tempfile.TemporaryFile(mode="a+b", buffering=0)
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+b", buffering=0)
    except OSError as error:
        raise ExecutorError(f"the workers' log {path} cannot be written: {error.strerror}") from None


def close_log(log: IO[bytes], path: Path | None = None) -> None:
    """Close a log, and remove its file where nobody complained of anything."""
    log.close()
    if path is not None and path.exists() and path.stat().st_size == 0:
        path.unlink(missing_ok=True)


def tail(log: IO[bytes]) -> str:
    """Return the end of a log as a clause for an error message, or nothing if the log is empty."""
    size = log.seek(0, os.SEEK_END)
    log.seek(max(0, size - _TAIL))
    text = log.read().decode(errors="replace").strip()
    return f". The end of the workers' log:\n{text}" if text else ""


def search_path() -> list[str]:
    """Return where this process finds modules: a worker has to find the same ones."""
    return [str(Path(entry).absolute()) for entry in sys.path]
