"""Tasks and outcomes as bytes, so that what cannot travel fails alone and never takes its neighbours with it.

The bytes pass between a process and the children that it started, over private pipes or authenticated sockets, and are
never written to disk.
"""

import pickle
from typing import Any

from evosdc.executors.chunk import failure_of, run_chunk
from evosdc.model.executor import Failure, Outcome, Task

_PROTOCOL = pickle.HIGHEST_PROTOCOL


def packed(task: Task) -> bytes | Failure:
    """Return a task as bytes, or why it cannot be sent."""
    return _dumped(task, "the task cannot be sent to a worker")


def run_packed(parcel: bytes, time_limit: float | None = None) -> bytes:
    """Run a packed task in a worker and return its outcomes as bytes; for `unpacked`.

    Nothing is raised: an outcome that cannot be sent back becomes a `Failure` of its own, and a task that cannot be
    read becomes one `Failure` for all of its items.
    """
    try:
        task: Task = pickle.loads(parcel)
    except Exception as error:
        return pickle.dumps(_failure("the task cannot be read by a worker", error), _PROTOCOL)
    outcomes = run_chunk(task, time_limit, contain=True)
    whole = _dumped(outcomes, "")
    if isinstance(whole, bytes):
        return whole
    return pickle.dumps(tuple(map(_portable, outcomes)), _PROTOCOL)


def unpacked(task: Task, parcel: bytes) -> tuple[Outcome, ...]:
    """Return the outcomes of a task from what `run_packed` made of it."""
    found: tuple[Outcome, ...] | Failure
    try:
        found = pickle.loads(parcel)
    except Exception as error:
        found = _failure("the result of a worker cannot be read", error)
    return all_failed(task, found) if isinstance(found, Failure) else found


def all_failed(task: Task, failure: Failure, seconds: float = 0.0) -> tuple[Outcome, ...]:
    """Return outcomes that all hold the same failure."""
    return tuple(Outcome(identifier, failure, seconds) for identifier, _ in task.items)


def _portable(outcome: Outcome) -> Outcome:
    trial = _dumped(outcome.value, "the result cannot be sent back")
    return Outcome(outcome.id, trial, outcome.seconds) if isinstance(trial, Failure) else outcome


def _dumped(value: Any, complaint: str) -> bytes | Failure:
    try:
        return pickle.dumps(value, _PROTOCOL)
    except Exception as error:
        return _failure(complaint, error)


def _failure(complaint: str, error: Exception) -> Failure:
    told = failure_of(error)
    return Failure(told.type, f"{complaint}: {told.message}", told.traceback, complaint)
