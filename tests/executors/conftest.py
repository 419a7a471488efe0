"""One pool for each executor and number of workers, shared by the tests that leave it as it was."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from evosdc.executors.processes import ProcessesExecutor
from evosdc_scoop.executor import ScoopExecutor

KINDS = {"processes": ProcessesExecutor, "scoop": ScoopExecutor}


@pytest.fixture(scope="session", params=sorted(KINDS))
def pool(request):
    """An executor of each remote kind with two workers."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # of this process; its workers get one each
                patch.setenv(f"{library}_NUM_THREADS", "2")
            executor = stack.enter_context(KINDS[request.param](None, 2))
        yield executor


@pytest.fixture
def children():
    """A function that lists the living descendants of a process."""
    return descendants


def descendants(pid: int) -> set[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    found: set[int] = set()
    fresh = {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh}
        found |= fresh
    return found


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
