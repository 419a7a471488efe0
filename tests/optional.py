"""Packages and libraries that not every site has: tests that need them are skipped with the reason."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

from evosdc_mpi.executor import make_mpi_known

_SPAWN = """
from mpi4py.futures import MPIPoolExecutor
with MPIPoolExecutor(1, main=False) as pool:
    assert pool.submit(abs, -1).result(timeout=120) == 1
"""


def require_dask() -> None:
    """Skip the test where Dask cannot be used."""
    for package in ("distributed", "cryptography"):
        pytest.importorskip(package, reason=f"the optional package {package} is not installed")


def require_mpi() -> None:
    """Skip the test where MPI cannot start processes.

    A process that has become an MPI program takes its whole process group along if it does not end in order: MPICH's
    launcher kills the group. So a process that pytest shares tests out to gets a group of its own; or else on a busy
    machine, where it may be ended before MPI has, pytest itself would be killed without a word.
    """
    if "PYTEST_XDIST_WORKER" in os.environ and os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    # Open MPI wants to be told twice.
    os.environ |= dict.fromkeys(("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), "1")
    if reason := _why_no_mpi():
        pytest.skip(reason)


@cache
def _why_no_mpi() -> str:
    """Return why MPI cannot be used, or nothing; asked in a process of its own, which MPI may abort."""
    make_mpi_known()
    try:
        done = subprocess.run(
            [sys.executable, "-c", _SPAWN], capture_output=True, text=True, timeout=180, start_new_session=True
        )
    except subprocess.TimeoutExpired:
        return "MPI does not start processes here within a minute"
    if done.returncode == 0:
        return ""
    return f"MPI cannot be used here: {(done.stderr.strip().splitlines() or ['no word why'])[-1][:200]}"
