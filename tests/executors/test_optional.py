"""Executors on packages that not every site has: Dask."""

import sys

import pytest

from evosdc.errors import ExecutorError
from evosdc.testing import ExecutorConformance
from evosdc_dask.executor import DaskExecutor
from tests.optional import require_dask

from .work import task


class TestDask(ExecutorConformance):
    def executor(self, workers):
        require_dask()
        return DaskExecutor(None, workers)

    @pytest.mark.endurance
    def test_the_culprit_is_found_and_all_else_is_done(self, running):
        # More tasks than workers: with the culprit a worker always loses one that waits for it.
        rows = running.map([task("leave", ["a", "os-exit", "b"]), *(task("asleep", [0.1]) for _ in range(4))])
        found = [o.value if o.ok else o.value.type for row in rows for o in row]
        assert found == ["a", "WorkerDied", "b", 0.1, 0.1, 0.1, 0.1]


def test_what_is_missing_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ExecutorError, match="pip install distributed"):
        DaskExecutor(None, 1).__enter__()
