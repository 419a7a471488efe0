"""What passes the executor suite, and the faults that it finds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from evosdc.model import Executor, Failure, Outcome
from evosdc.testing import ExecutorConformance
from tests.testing.findings import findings

run_chunk = pytest.importorskip("evosdc.executors.tasks").run_chunk


class Threads(Executor):
    def __init__(self, params: Any, workers: int) -> None:
        super().__init__(params, workers)
        self._pool = ThreadPoolExecutor(workers)

    def map(self, tasks):
        return list(self._pool.map(run_chunk, tasks))

    def __exit__(self, kind, error, trace) -> None:
        self._pool.shutdown()


class TestThreads(ExecutorConformance):
    def executor(self, workers):
        return Threads(Threads.Params(), workers)


class TestOneThread(TestThreads):
    workers = 1


class AsTheyCome(Threads):
    def map(self, tasks):
        return sorted(super().map(tasks), key=lambda outcomes: [outcome.seconds for outcome in outcomes])


class Raises(Threads):
    def map(self, tasks):
        results = super().map(tasks)
        if any(not outcome.ok for outcomes in results for outcome in outcomes):
            raise RuntimeError("an item failed")
        return results


class GivesUpTheTask(Threads):
    def map(self, tasks):
        return [
            outcomes
            if all(outcome.ok for outcome in outcomes)
            else tuple(Outcome(o.id, Failure("Lost", "", ""), 0.0) for o in outcomes)
            for outcomes in super().map(tasks)
        ]


class Renumbers(Threads):
    def map(self, tasks):
        return [tuple(replace(o, id=i) for i, o in enumerate(outcomes)) for outcomes in super().map(tasks)]


class LosesTheContext(Threads):
    def map(self, tasks):
        return super().map([replace(task, shared=None) for task in tasks])


class ForgetsTheSeed(Threads):
    def map(self, tasks):
        return super().map([replace(task, seed=0) for task in tasks])


class OneTaskAWorker(Threads):
    def map(self, tasks):
        return super().map(tasks[: self.workers])


class DropsEmptyTasks(Threads):
    def map(self, tasks):
        return super().map([task for task in tasks if task.items])


FAILURE = "test_a_failure_is_a_value_and_the_others_are_done"

FAULTS = [
    (AsTheyCome, "test_results_come_in_order"),
    (Raises, FAILURE),
    (GivesUpTheTask, FAILURE),
    (Renumbers, "test_identifiers_are_given_back"),
    (LosesTheContext, "test_the_context_is_passed_on"),
    (ForgetsTheSeed, "test_more_tasks_than_workers"),
    (ForgetsTheSeed, "test_chunks_do_not_matter"),
    (OneTaskAWorker, "test_more_tasks_than_workers"),
    (DropsEmptyTasks, "test_nothing_to_do"),
]


@pytest.mark.parametrize(("executor", "test"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_the_fault_is_found(executor: type[Executor], test: str) -> None:
    class Suite(ExecutorConformance):
        def executor(self, workers):
            return executor(executor.Params(), workers)

    with Suite().executor(2) as running:
        assert set(findings(Suite, test, running=running)) == {test}
