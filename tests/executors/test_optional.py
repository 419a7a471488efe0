"""Executors on packages that not every site has: Dask and MPI."""

import os
import shutil
import sys

import pytest

from evosdc.errors import ExecutorError
from evosdc.executors.dask import DaskExecutor
from evosdc.executors.mpi import MpiExecutor
from evosdc.testing import ExecutorConformance

from .work import task


class TestDask(ExecutorConformance):
    def executor(self, workers):
        pytest.importorskip("distributed", reason="the optional package distributed is not installed")
        pytest.importorskip("cryptography", reason="the optional package cryptography is not installed")
        return DaskExecutor(None, workers)

    def test_the_culprit_is_found_and_all_else_is_done(self, running):
        rows = running.map([task("leave", ["a", "os-exit", "b"]), task("leave", ["c"])])
        assert [o.value if o.ok else o.value.type for row in rows for o in row] == ["a", "WorkerDied", "b", "c"]


@pytest.fixture(scope="module", autouse=True)
def mpi_as_root():
    """Open MPI wants to be told twice."""
    names = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"]
    before = {name: os.environ.get(name) for name in names}
    os.environ |= dict.fromkeys(names, "1")
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]


class TestMpi(ExecutorConformance):
    def executor(self, workers):
        pytest.importorskip("mpi4py", reason="the optional package mpi4py is not installed")
        if shutil.which("mpiexec") is None:
            pytest.skip("no MPI library is installed")
        return MpiExecutor(None, workers)


@pytest.mark.parametrize(("kind", "module"), [(DaskExecutor, "distributed"), (MpiExecutor, "mpi4py.futures")])
def test_what_is_missing_is_told(kind, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ExecutorError, match=r"pip install evosdc\[(dask|mpi)\]"):
        kind(None, 1).__enter__()
