"""How far the memory of a process grows at most while a piece of work is done; for Linux."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

_STATUS, _REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def growth(prepare: Callable[..., Callable[[], Any]], *args: Any) -> float | None:
    """Return the peak growth of the resident set in MiB, in a process of its own; None where unknown.

    Parameters
    ----------
    prepare : callable
        Of a module: makes data of a given size and returns the work. The work is done once on a small size first, so
        that compiled code is loaded.
    *args
        Size first.
    """
    if not _REFERENCES.exists():
        return None
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_growth, (prepare, *args))


def _growth(prepare: Callable[..., Callable[[], Any]], size: int, *args: Any) -> float:
    prepare(100, *args)()
    work = prepare(size, *args)
    _REFERENCES.write_text("5", encoding="ascii")  # resets the peak to the current size
    before = _resident("VmHWM")
    work()
    return (_resident("VmHWM") - before) / 1024


def _resident(key: str) -> int:
    line = next(line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith(key))
    return int(line.split()[1])
