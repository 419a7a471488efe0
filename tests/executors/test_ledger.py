"""The ledger against a simulated world in which given items kill whoever runs them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.executors.pool import Ledger
from evosdc.model import Failure, Outcome, Task


def tasks_of(sizes):
    first, tasks = 0, []
    for size in sizes:
        tasks.append(Task("m:f", None, 0, tuple((i, i) for i in range(first, first + size))))
        first += size
    return tasks


def ledger_of(tasks, retries, certain=True):
    ledger = Ledger(retries, certain)
    for index, task in enumerate(tasks):
        ledger.add(index, task)
    return ledger


def run(ledger, workers, killers):
    """Run a ledger to the end and return how many losses there were."""
    losses = 0
    for _ in range(10_000):
        if ledger.done:
            return losses
        jobs = []
        while len(jobs) < workers and (job := ledger.next()) is not None:
            jobs.append(job)
        assert jobs, "neither done nor anything to do"
        fatal = [job for job in jobs if any(i in killers for i, _ in job.task.items)]
        if fatal and not ledger._certain:
            losses += 1
            ledger.lost(jobs)
            continue
        for job in jobs:
            if job in fatal:
                losses += 1
                ledger.lost([job])
            else:
                ledger.completed(job, [Outcome(i, payload * 2, 0.5) for i, payload in job.task.items])
    raise AssertionError("never ends")


@given(
    st.lists(st.integers(0, 5), max_size=8),
    st.sets(st.integers(0, 30), max_size=4),
    st.integers(1, 5),
    st.integers(0, 2),
    st.booleans(),
)
def test_culprits_fail_and_nobody_else(sizes, killers, workers, retries, certain):
    tasks = tasks_of(sizes)
    ledger = ledger_of(tasks, retries, certain)
    run(ledger, workers, killers)
    taken = dict(ledger.taken())
    assert ledger.taken() == [], "each is told once"
    results = [taken[index] for index in range(len(tasks))]
    assert [len(row) for row in results] == sizes
    for given_task, row in zip(tasks, results, strict=True):
        for (identifier, payload), outcome in zip(given_task.items, row, strict=True):
            assert outcome.id == identifier
            if identifier in killers:
                assert outcome.value.type == "WorkerDied"
            else:
                assert outcome.value == payload * 2


@pytest.mark.parametrize("certain", [True, False])
def test_a_lost_job_is_run_again_whole(certain):
    ledger = ledger_of(tasks_of([3]), 2, certain)
    for _ in range(2):
        job = ledger.next()
        assert len(job.task.items) == 3
        ledger.lost([job])
    job = ledger.next()
    ledger.completed(job, [Outcome(i, i, 1.5) for i, _ in job.task.items])
    assert ledger.done
    assert ledger.slowest == 1.5


def test_suspects_are_run_with_nothing_else_under_way():
    ledger = ledger_of(tasks_of([1, 1, 1]), 0, certain=False)
    jobs = [ledger.next(), ledger.next()]
    ledger.lost(jobs)
    third = ledger.next()
    assert third.task.items == ((2, 2),)
    assert ledger.next() is None
    ledger.completed(third, [Outcome(2, 2, 0.0)])
    alone = ledger.next()
    assert alone.alone
    assert ledger.next() is None
    ledger.completed(alone, [Outcome(*alone.task.items[0], 0.0)])
    assert ledger.next().alone


def test_an_overdue_job_is_not_tried_again():
    ledger = ledger_of(tasks_of([2]), 2)
    ledger.lost([ledger.next()], overdue=True)
    late = ledger.next()
    ledger.lost([late], overdue=True, seconds=9.0)
    good = ledger.next()
    ledger.completed(good, [Outcome(1, "fine", 0.0)])
    ((_, (first, second)),) = ledger.taken()
    assert isinstance(first.value, Failure)
    assert (first.value.type, first.seconds, second.value) == ("TimeLimit", 9.0, "fine")


def test_losses_in_a_row_start_again_with_each_result():
    ledger = ledger_of(tasks_of([1, 1]), 5)
    for expected in (1, 2):
        ledger.lost([ledger.next()])
        assert ledger.losses_in_a_row == expected
    ledger.completed(ledger.next(), [Outcome(0, 0, 0.0)])
    assert ledger.losses_in_a_row == 0
    assert [index for index, _ in ledger.taken()] == [0]
    assert not ledger.done


def test_tasks_are_taken_in_while_others_run_and_a_number_is_free_once_its_task_is_told():
    ledger = ledger_of(tasks_of([1]), 2)
    first = ledger.next()
    ledger.add(1, tasks_of([1])[0])
    second = ledger.next()
    ledger.completed(second, [Outcome(0, "second", 0.0)])
    assert [index for index, _ in ledger.taken()] == [1]
    ledger.add(1, tasks_of([1])[0])
    with pytest.raises(ValueError, match="a task 0 already"):
        ledger.add(0, tasks_of([1])[0])
    ledger.completed(first, [Outcome(0, "first", 0.0)])
    ledger.completed(ledger.next(), [Outcome(0, "third", 0.0)])
    assert [(index, outcomes[0].value) for index, outcomes in ledger.taken()] == [(0, "first"), (1, "third")]
    assert ledger.done
