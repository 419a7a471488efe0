"""Conformance of executors."""

# ruff: noqa: D102 -- the name of a test says what it asserts

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from evosdc.model import Executor, Failure, Outcome, SharedFiles, Task
from evosdc.testing import tasks
from evosdc.testing.acceptance import assert_unknown_keys_refused


class ExecutorConformance:
    """Tests that every executor must pass; subclass it and say how the executor is made.

    The executor is started once for all tests of the class, by the fixture `running`, which may be overridden.

    Examples
    --------
    >>> class TestGrid(ExecutorConformance):
    ...     def executor(self, workers):
    ...         return Grid(Grid.Params(), workers)
    """

    workers: ClassVar[int] = 2  #: How many workers the tests ask for.

    def executor(self, workers: int) -> Executor:
        """Return the executor to test, not started."""
        raise NotImplementedError("define executor(self, workers) and return the executor to test")

    @pytest.fixture(scope="class")
    @classmethod
    def running(cls) -> Iterator[Executor]:
        """Start the executor before the first test and stop it after the last one."""
        with cls().executor(cls.workers) as executor:
            yield executor

    def test_nothing_to_do(self, running: Executor) -> None:
        assert running.map([]) == []
        assert running.map([_task("scaled", [])]) == [()]

    def test_results_come_in_order(self, running: Executor) -> None:
        seconds = [0.15, 0.0, 0.05, 0.0, 0.1, 0.0, 0.0]
        found = running.map([_task("slow_at_first", [(10 * i, s), (10 * i + 1, 0.0)]) for i, s in enumerate(seconds)])
        assert [tuple(o.value for o in outcomes) for outcomes in found] == [(10 * i, 10 * i + 1) for i in range(7)]
        assert [tuple(o.id for o in outcomes) for outcomes in found] == [(0, 1)] * 7

    def test_identifiers_are_given_back(self, running: Executor) -> None:
        ((first, second),) = running.map([Task(f"{tasks.__name__}:scaled", None, 2, ((41, 1), (7, 2)))])
        assert (first.id, first.value, second.id, second.value) == (41, 2, 7, 4)

    def test_more_tasks_than_workers(self, running: Executor) -> None:
        found = running.map([_task("scaled", [i], seed=3) for i in range(40)])
        assert [outcomes[0].value for outcomes in found] == [3 * i for i in range(40)]

    def test_a_failure_is_a_value_and_the_others_are_done(self, running: Executor) -> None:
        found = running.map([_task("reciprocal", [2.0, 0.0, 4.0]), _task("reciprocal", [5.0])])
        assert [[o.ok for o in outcomes] for outcomes in found] == [[True, False, True], [True]]
        failure = found[0][1].value
        assert isinstance(failure, Failure)
        assert failure.type == "ZeroDivisionError"
        assert "division" in failure.message
        assert "reciprocal" in failure.traceback, "the traceback should say where it happened"
        assert (found[0][0].value, found[0][2].value, found[1][0].value) == (0.5, 0.25, 0.2)

    @pytest.mark.parametrize("function", ["evosdc.testing.tasks:absent", "evosdc_absent_module:function"])
    def test_a_function_that_is_not_there_is_a_failure(self, running: Executor, function: str) -> None:
        missing, fine = running.map([Task(function, None, 0, ((0, 1), (1, 1))), _task("scaled", [5], seed=1)])
        assert [o.ok for o in missing] == [False, False]
        assert fine[0].value == 5

    def test_the_context_is_passed_on(self, running: Executor) -> None:
        shared = SharedFiles("/somewhere/safe", "0123abcd")
        with_shared, without = running.map([_task("echo_shared", [None], shared), _task("echo_shared", [None])])
        assert with_shared[0].value == ("/somewhere/safe", "0123abcd")
        assert without[0].value is None

    def test_arrays_and_odd_numbers_arrive_as_they_are(self, running: Executor) -> None:
        payload = (
            np.arange(5000, dtype=np.int32).reshape(50, 100),
            "text \N{LATIN SMALL LETTER E WITH ACUTE}",
            (1.5, -1),
        )
        ((outcome,),) = running.map([_task("nested", [payload])])
        back, total, not_a_number, infinity = outcome.value
        np.testing.assert_array_equal(back[0], payload[0])
        assert back[0].dtype == np.int32
        assert back[1:] == payload[1:]
        assert total == 12497500.0
        assert isnan(not_a_number)
        assert infinity == float("inf")

    def test_outcomes_tell_their_seconds(self, running: Executor) -> None:
        ((slow, quick),) = running.map([_task("slow_at_first", [(1, 0.1), (2, 0.0)])])
        assert isinstance(slow, Outcome)
        assert slow.seconds >= 0.09
        assert quick.seconds >= 0.0

    def test_chunks_do_not_matter(self, running: Executor) -> None:
        each = running.map([_task("drawn", [i], seed=9) for i in range(12)])
        together = running.map([_task("drawn", list(range(12)), seed=9)])
        expected = [tasks.drawn(None, 9, i) for i in range(12)]
        np.testing.assert_array_equal([outcomes[0].value for outcomes in each], expected)
        np.testing.assert_array_equal([outcome.value for outcome in together[0]], expected)

    def test_a_stream_takes_tasks_in_while_others_run(self, running: Executor) -> None:
        """Numbers are passed on from task to task at several places, each at its own speed."""
        found: dict[int, list[int]] = {place: [] for place in range(4)}
        with running.queue() as queue:
            assert queue.take() == [], "nothing was given, and nothing is waited for"
            for place in found:
                queue.give(place, _task("slow_at_first", [(place, 0.01 * place)]))
            under_way = set(found)
            while under_way:
                answers = queue.take()
                assert answers, "a task that was given has no answer"
                for place, (outcome,) in answers:
                    assert place in under_way, "each task is reported once"
                    found[place].append(outcome.value)
                    if len(found[place]) < 4:
                        queue.give(place, _task("slow_at_first", [(outcome.value + 10, 0.0)]))
                    else:
                        under_way.remove(place)
        assert found == {place: [place, place + 10, place + 20, place + 30] for place in found}
        assert running.map([_task("scaled", [5], seed=2)])[0][0].value == 10, "the executor can be used again"

    def test_a_stream_does_not_wait_where_there_is_no_patience(self, running: Executor, tmp_path: Path) -> None:
        with running.queue() as queue:
            queue.give(7, _task("after", [(1, str(tmp_path / "go"))]))
            assert queue.take(0.0) == [], "it cannot be done before the file is there"
            (tmp_path / "go").touch()
            ((place, (outcome,)),) = queue.take()
            assert (place, outcome.value) == (7, 1)

    def test_failures_in_a_stream_are_values(self, running: Executor) -> None:
        with running.queue() as queue:
            queue.give(0, _task("reciprocal", [0.0, 4.0]))
            queue.give(1, _task("scaled", []))
            rows: dict[int, tuple[Outcome, ...]] = {}
            while len(rows) < 2:
                rows.update(queue.take())
        assert [outcome.ok for outcome in rows[0]] == [False, True]
        assert rows[1] == ()

    def test_what_is_under_way_when_a_stream_is_closed_is_never_heard_of(self, running: Executor) -> None:
        with running.queue() as queue:
            for place in range(3):
                queue.give(place, _task("slow_at_first", [(place, 0.2)]))
        rows = running.map([_task("scaled", [i], seed=3) for i in range(5)])
        assert [row[0].value for row in rows] == [0, 3, 6, 9, 12]

    def test_it_has_workers(self, running: Executor) -> None:
        assert running.workers >= 1
        assert isinstance(running.remote, bool)

    def test_unknown_parameters_are_refused(self) -> None:
        assert_unknown_keys_refused(self.executor(self.workers))


def _task(function: str, payloads: list[Any], shared: SharedFiles | None = None, seed: int = 0) -> Task:
    return Task(f"{tasks.__name__}:{function}", shared, seed, tuple(enumerate(payloads)))
