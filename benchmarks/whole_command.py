"""A whole command in a process of its own: its clock time, CPU time and output."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter


@dataclass(frozen=True)
class Whole:
    """Times and output of a command."""

    seconds: float
    processor: float
    status: int
    said: str


def whole(words: list[str], installed: Path | None = None, folder: Path | None = None) -> Whole:
    """Run ``evosdc`` with words, in a folder; by default this evosdc, or the one that is installed in a folder."""
    environment = os.environ | ({} if installed is None else {"PYTHONPATH": str(installed)})
    before, began = getrusage(RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "evosdc", *words],
        env=environment,
        cwd=folder,
        text=True,
        capture_output=True,
        check=False,
    )
    seconds, after = perf_counter() - began, getrusage(RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Whole(seconds, processor, done.returncode, done.stdout + done.stderr)
