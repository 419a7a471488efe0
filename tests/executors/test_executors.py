"""What holds for every executor: order, failures as values, the same results whoever computes them."""

import math
import os
import time

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.executors.processes import ProcessesExecutor
from evosdc.executors.serial import SerialExecutor
from evosdc.executors.shared_files import share
from evosdc.executors.tasks import chunks_of
from evosdc.model import Executor, Task
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import default_registry
from evosdc_scoop.executor import ScoopExecutor

from .conftest import KINDS
from .work import HERE, task


def comparable(rows):
    return [[(o.id, o.value[0], o.value[1], o.value[2].tobytes()) for o in row] for row in rows]


def drawing_tasks(workers):
    items = [(i, i) for i in range(60)]
    chunks = chunks_of(len(items), 0.001, workers)
    return [Task(f"{HERE}:drawn", None, 11, tuple(items[begin:end])) for begin, end in chunks]


@pytest.fixture(scope="module")
def expected():
    rows = comparable(SerialExecutor().map(drawing_tasks(1)))
    return [entry for row in rows for entry in row]


@pytest.mark.parametrize(
    ("kind", "workers"),
    [
        ("processes", 3),
        pytest.param("scoop", 3, marks=pytest.mark.endurance),
        pytest.param("processes", 1, marks=pytest.mark.endurance),
        pytest.param("scoop", 1, marks=pytest.mark.endurance),
    ],
)
def test_the_executor_and_the_number_of_workers_change_nothing(kind, workers, expected):
    with KINDS[kind](None, workers) as executor:
        rows = comparable(executor.map(drawing_tasks(workers)))
    assert [entry for row in rows for entry in row] == expected


def test_shared_pools_give_the_same_results(pool, expected):
    for _ in range(3):
        rows = comparable(pool.map(drawing_tasks(2)))
        assert [entry for row in rows for entry in row] == expected


def test_order_is_that_of_the_tasks_not_of_their_completion(pool):
    waits = [0.2, 0.0, 0.1, 0.0, 0.05, 0.0]
    rows = pool.map([task("asleep", [wait, 0.0], first=2 * i) for i, wait in enumerate(waits)])
    assert [[o.id for o in row] for row in rows] == [[2 * i, 2 * i + 1] for i in range(len(waits))]
    assert [row[0].value for row in rows] == waits


def test_all_workers_work(pool, tmp_path):
    # SCOOP's origin keeps a few for itself, so there are more tasks than workers.
    rows = pool.map([task("met", [(str(tmp_path), 2)]) for _ in range(12)])
    assert [len(row[0].value) for row in rows] == [2] * 12
    assert os.getpid() not in rows[0][0].value
    assert pool.workers == 2
    assert pool.remote


def test_no_tasks_and_tasks_without_items(pool):
    assert pool.map([]) == []
    assert pool.map([task("echo", []), task("echo", ["x"]), task("echo", [])])[1][0].value == "x"


def test_failures_are_values(pool):
    rows = pool.map([task("picky", [0, 1, 2]), Task("nowhere.at.all:f", None, 0, ((9, None),)), task("picky", [3])])
    assert [o.ok for row in rows for o in row] == [True, False, True, False, True]
    assert rows[0][1].value.type == "ValueError"
    assert "in picky" in rows[0][1].value.traceback
    assert rows[1][0].value.type == "ModuleNotFoundError"
    assert rows[2][0].value == 30


def test_values_that_are_hard_to_send(pool):
    unsendable = task("echo", [lambda: None])
    (odd, lost, unread) = pool.map(
        [task("odd", ["nan", "unpicklable", "none"]), unsendable, task("odd", ["unreadable"])]
    )
    assert math.isnan(odd[0].value)
    assert "cannot be sent back" in odd[1].value.message
    assert odd[2].value is None
    assert odd[2].ok
    assert "cannot be sent to a worker" in lost[0].value.message
    assert "cannot be read" in unread[0].value.message
    assert pool.map([task("echo", [1])])[0][0].value == 1


def test_leaving_python_in_a_task_fails_that_item(pool):
    rows = pool.map([task("leave", ["stay", "sys-exit", "interrupt", "stay too"])])
    assert [o.value if o.ok else o.value.type for o in rows[0]] == [
        "stay",
        "SystemExit",
        "KeyboardInterrupt",
        "stay too",
    ]


def test_large_payloads_come_and_go(pool):
    payloads = [np.full(400_000, i, dtype=float) for i in range(6)]
    rows = pool.map([task("echo", [payload]) for payload in payloads])
    assert all(np.array_equal(row[0].value, payload) for row, payload in zip(rows, payloads, strict=True))


def test_workers_map_the_published_context(pool, tmp_path):
    codes = np.arange(3000, dtype=np.int32).reshape(100, 30)
    ref = share(tmp_path / "context", {"codes": codes}, {"name": "census"})
    rows = pool.map([task("from_shared", list(range(i, i + 10)), shared=ref) for i in range(0, 100, 10)])
    assert [o.value for row in rows for o in row] == [("census", int(codes[i].sum()), False) for i in range(100)]


def test_workers_have_one_thread_and_a_silent_standard_output(pool, capfd):
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]
    rows = pool.map([task("surroundings", names), task("blas_threads", [None])])
    assert [o.value for o in rows[0]] == ["1"] * len(names)
    assert rows[1][0].value == 1
    assert capfd.readouterr() == ("", "")


def test_an_executor_that_was_not_entered_starts_with_its_first_map():
    executor = ProcessesExecutor(None, 1)
    try:
        assert executor.map([task("echo", ["x"])])[0][0].value == "x"
    finally:
        executor.__exit__(None, None, None)


def test_serial_is_here():
    executor = SerialExecutor(SerialExecutor.Params(time_limit=0.5), 8)
    assert (executor.workers, executor.remote) == (1, False)
    with executor:
        rows = executor.map([task("process", [0.0, 0.6])])
    assert rows[0][0].value == os.getpid()
    assert rows[0][1].value.type == "TimeLimit"


@pytest.mark.parametrize("executor", [ProcessesExecutor, ScoopExecutor])
def test_bad_parameters_are_told(executor):
    with pytest.raises(ParameterError, match="workers: given 0; wanted at least 1"):
        executor(None, 0)
    with pytest.raises(ParameterError) as caught:
        parse_parameters(executor.Params, {"time_limit": -1, "retrys": 2}, "executor")
    assert len(caught.value.faults) == 2


def test_specs_name_what_exists():
    registry = default_registry()
    assert {"serial", "processes", "scoop", "dask"} <= set(registry.names("executor"))
    for name in registry.names("executor"):
        found = registry.implementation("executor", name)
        assert issubclass(found, Executor)
        assert found(found.Params(), 1).workers == 1


def test_workers_start_beside_this_process_and_run_a_task_each_before_they_count(expected):
    executor = ProcessesExecutor(None, 2)
    try:
        asked = 0
        assert not executor.begin(task("asleep", [0.3]))
        assert not executor.started
        while not executor.begin(task("asleep", [0.3])):
            asked += 1
            time.sleep(0.01)
        assert asked > 0
        assert executor.started
        assert executor.begin(task("asleep", [60.0])), "nothing more is prepared"
        rows = comparable(executor.map(drawing_tasks(2)))
    finally:
        executor.__exit__(None, None, None)
    assert [entry for row in rows for entry in row] == expected
    assert not executor.started


def test_tasks_may_come_while_workers_start_or_prepare():
    for looks in (1, 400):
        executor = ProcessesExecutor(None, 2)
        try:
            for _ in range(looks):
                executor.begin(task("asleep", [0.5]))
                time.sleep(0.005)
            assert executor.map([task("echo", ["a"]), task("echo", ["b"])])[1][0].value == "b"
            assert executor.begin(task("asleep", [60.0])), "nothing more is prepared"
        finally:
            executor.__exit__(None, None, None)


def test_workers_that_are_starting_can_be_stopped():
    executor = ProcessesExecutor(None, 2)
    assert not executor.begin(task("asleep", [0.1]))
    executor.__exit__(None, None, None)
    assert not executor.started
