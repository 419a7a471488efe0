"""Task functions for the tests, by name as workers find them; each has the signature ``(shared, seed, payload)``."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.executors.shared_files import read_shared
from evosdc.model import SharedFiles, Task
from evosdc.time_limit import check_time

HERE = __name__


def task(function: str, payloads: list[Any], seed: int = 7, shared: SharedFiles | None = None, first: int = 0) -> Task:
    """Return a task of this module's functions; items are numbered from `first`."""
    return Task(f"{HERE}:{function}", shared, seed, tuple(enumerate(payloads, start=first)))


def echo(shared: SharedFiles | None, seed: int, payload: Any) -> Any:
    return payload


def drawn(shared: SharedFiles | None, seed: int, payload: int) -> tuple[int, float, NDArray[np.float64]]:
    """A pure function of seed and payload, of uneven duration."""
    rng = np.random.default_rng((seed, payload))
    time.sleep(0.001 * (payload % 3))
    return payload, float(rng.random()), rng.random(4)


def picky(shared: SharedFiles | None, seed: int, payload: int) -> int:
    secret_of_the_record = "Smith"
    if payload % 3 == 1:
        raise ValueError(f"payload {payload} after {len(secret_of_the_record)} letters")
    return payload * 10


def asleep(shared: SharedFiles | None, seed: int, payload: float) -> float:
    """Sleep, and swallow what can be swallowed."""
    try:
        time.sleep(payload)
    except Exception:
        return -1.0
    return payload


def busy(shared: SharedFiles | None, seed: int, payload: float) -> float:
    """Work for a time, look at the clock now and then, and swallow what can be swallowed."""
    end = time.monotonic() + payload
    while time.monotonic() < end:
        try:
            time.sleep(0.001)
            check_time()
        except Exception:
            return -1.0
    return payload


def unstoppable(shared: SharedFiles | None, seed: int, payload: float) -> float:
    """Sleep with the interpreter's lock held, as compiled code may: no thread of this process can do anything."""
    ctypes.PyDLL(None).usleep(int(payload * 1e6))
    return payload


def odd(shared: SharedFiles | None, seed: int, payload: str) -> Any:
    """Values that are hard to send."""
    match payload:
        case "unpicklable":
            return lambda: None
        case "unreadable":
            return Unreadable()
        case "nan":
            return float("nan")
        case "none":
            return None
        case _:
            return payload


def leave(shared: SharedFiles | None, seed: int, payload: str) -> str:
    """Ways to leave a process."""
    match payload:
        case "os-exit":
            os._exit(3)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "sys-exit":
            sys.exit(4)
        case "interrupt":
            raise KeyboardInterrupt
    return payload


def leave_once(shared: SharedFiles | None, seed: int, payload: str) -> str:
    """Die the first time, which the file named by the payload remembers."""
    marker = Path(payload)
    if not marker.exists():
        marker.touch()
        os._exit(5)
    return "survived"


def process(shared: SharedFiles | None, seed: int, payload: float) -> int:
    time.sleep(payload)
    return os.getpid()


def announced(shared: SharedFiles | None, seed: int, payload: tuple[str, str, Any]) -> Any:
    """Do other work, after a file in the folder has told which process is at it."""
    folder, work, given = payload
    (Path(folder) / str(os.getpid())).touch()
    return globals()[work](shared, seed, given)


def met(shared: SharedFiles | None, seed: int, payload: tuple[str, int]) -> set[int]:
    """Wait for so many processes to be at such a task at the same time, and return those that came."""
    folder, wanted = Path(payload[0]), payload[1]
    (folder / str(os.getpid())).touch()
    limit = time.monotonic() + 60.0
    while len(found := list(folder.iterdir())) < wanted and time.monotonic() < limit:
        time.sleep(0.005)
    return {int(path.name) for path in found}


def surroundings(shared: SharedFiles | None, seed: int, payload: str) -> str | None:
    print("printed by a task")
    return os.environ.get(payload)


def blas_threads(shared: SharedFiles | None, seed: int, payload: None) -> int:
    import numba

    return int(numba.config.NUMBA_NUM_THREADS)


@lru_cache(maxsize=2)
def _built(shared: SharedFiles) -> tuple[NDArray[Any], str]:
    arrays, documents = read_shared(shared)
    return arrays["codes"], documents["name"]


def from_shared(shared: SharedFiles, seed: int, payload: int) -> tuple[str, int, bool]:
    codes, name = _built(shared)
    return name, int(codes[payload].sum()), bool(codes.flags.writeable)


class Unreadable:
    """Can be written, but not read back."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _refuse, ()


def _refuse() -> None:
    raise RuntimeError("not here")
