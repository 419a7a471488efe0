"""Starting child processes with this process's import path, one thread each, which never outlive it."""

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic
from typing import IO, Any

import numpy as np

from evosdc._version import __version__
from evosdc.errors import ExecutorError
from evosdc.specs import Spec

# Environment of a worker: as many threads as workers, set before numpy is first imported.
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

START_TIME = 120.0  # seconds that a worker may take to start; importing compiled libraries over a network drive is slow

_TAIL = 2000


class Child:
    """A child process and the private connection to it."""

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
        """Return the first message; None where the deadline is over."""
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
    """Send a process its settings; the wait for its first message notices one that has ended already."""
    with suppress(BrokenPipeError):
        pipe.write(json.dumps(settings).encode() + b"\n")
        pipe.flush()


def open_log(path: Path | None = None) -> IO[bytes]:
    """Return a file for error output of workers, which its owner alone can read."""
    # Without a path it has no name, and is gone when it is closed.
    if path is None:
        return tempfile.TemporaryFile(mode="a+b", buffering=0)
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+b", buffering=0)
    except OSError as error:
        raise ExecutorError(f"the workers' log {path} cannot be written: {error.strerror}") from None


def close_log(log: IO[bytes], path: Path | None = None) -> None:
    """Close a log, and remove its file if it is empty."""
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


def launching_executor(specs: Iterable[Spec]) -> str | None:
    """Return the name of the executor whose own launcher runs this program, or None."""
    # ``python -m scoop script.py`` makes its workers available to the script. Nothing is imported to find out.
    for spec in specs:
        module, _, attribute = getattr(spec, "launcher", "").partition(":")
        if module and getattr(sys.modules.get(module), attribute, False):
            return spec.name
    return None


# Executors lie below the registry of plugins, and call it by name, as workers are called.
RECEIVE_PLUGINS = "evosdc.plugins.local_files:receive"  # what a worker on another computer calls with `plugin_sources`


def plugin_sources() -> dict[str, str]:
    """Return the plugin files that were given to this process (``--plugin FILE``): texts by path."""
    paths = [Path(part) for part in os.environ.get("EVOSDC_PLUGINS", "").split(os.pathsep) if part]
    return {str(path): path.read_text(encoding="utf-8") for path in paths if path.is_file()}


def versions() -> dict[str, str]:
    """Return the versions that results may depend on."""
    return {"python": platform.python_version(), "numpy": np.__version__, "evosdc": __version__}


def check_versions(found: Mapping[str, str], where: str) -> None:
    """Raise `ExecutorError` where a worker has other versions than this process: its results could differ, too."""
    own = versions()
    other = [f"{name} {found.get(name, 'none')} instead of {own[name]}" for name in own if found.get(name) != own[name]]
    if other:
        raise ExecutorError(f"{where} has other versions than this process: {', '.join(other)}")
