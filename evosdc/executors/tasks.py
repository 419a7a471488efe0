"""Running named tasks in any process, and the messages between processes: a task returns nothing but an outcome.

Tasks and outcomes travel as bytes over private pipes or authenticated sockets and are never written to disk. What
cannot travel fails alone and never takes its neighbours with it.
"""

import pickle
import traceback
from collections.abc import Callable
from importlib import import_module
from itertools import accumulate
from math import ceil
from time import perf_counter
from typing import Any

from evosdc.errors import EvosdcError
from evosdc.model.executor import Failure, Outcome, Task
from evosdc.time_limit import OutOfTime, check_time, time_limited

TIME_LIMIT = "TimeLimit"  # `Failure.type` of an item that ran out of time

_FRAMES = 25
_MESSAGE = 500


def run_chunk(task: Task, time_limit: float | None = None, contain: bool = False) -> tuple[Outcome, ...]:
    """Run every item of a task and return the outcomes, in order; an item that raised holds a `Failure`."""
    try:
        function = resolve(task.function)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit) and not contain:
            raise
        failure = failure_of(error)
        return tuple(Outcome(identifier, failure, 0.0) for identifier, _ in task.items)
    limit = task.time_limit(time_limit)
    return tuple(_run_item(function, task, item, limit, contain) for item in task.items)


def resolve(name: str) -> Callable[..., Any]:
    """Return the function named ``"package.module:function"``; raises `ValueError` for a name of another form."""
    module, colon, path = name.partition(":")
    if not (module and colon and path):
        raise ValueError(f"{name!r} is not of the form 'package.module:function'")
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise ValueError(f"{name!r} is not a function")
    return found  # type: ignore[no-any-return]


def failure_of(error: BaseException) -> Failure:
    """Describe an exception by its type, message and traceback; the traceback shows code, never values of variables."""
    try:
        message = str(error)
    except Exception:
        message = "(its message could not be made)"
    described = traceback.TracebackException(
        type(error), error, error.__traceback__, limit=-_FRAMES, capture_locals=False, compact=True
    )
    try:
        text = "".join(described.format())
    except Exception:
        text = "".join(traceback.format_tb(error.__traceback__, limit=-_FRAMES))
    public = error.public[:_MESSAGE] if isinstance(error, EvosdcError) else ""
    return Failure(type(error).__name__, message[:_MESSAGE], text, public)


def _run_item(
    function: Callable[..., Any], task: Task, item: tuple[int, Any], time_limit: float | None, contain: bool
) -> Outcome:
    identifier, payload = item
    begin = perf_counter()
    value: Any
    try:
        with time_limited(time_limit):
            value = function(task.shared, task.seed, payload)
            check_time()
    except OutOfTime:
        value = Failure(TIME_LIMIT, f"the evaluation took longer than {time_limit:g} s")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit) and not contain:
            raise
        value = failure_of(error)
    return Outcome(identifier, value, perf_counter() - begin)


def packed(task: Task) -> bytes | Failure:
    """Return a task as bytes, or why it cannot be sent."""
    return _dumped(task, "the task cannot be sent to a worker")


def run_packed(parcel: bytes, time_limit: float | None = None) -> bytes:
    """Run a packed task in a worker and return its outcomes as bytes for `unpacked`; nothing is raised."""
    try:
        task: Task = pickle.loads(parcel)
    except Exception as error:
        return pickle.dumps(_failure("the task cannot be read by a worker", error), pickle.HIGHEST_PROTOCOL)
    outcomes = run_chunk(task, time_limit, contain=True)
    whole = _dumped(outcomes, "")
    if isinstance(whole, bytes):
        return whole
    return pickle.dumps(tuple(map(_portable, outcomes)), pickle.HIGHEST_PROTOCOL)


def unpacked(task: Task, parcel: bytes) -> tuple[Outcome, ...]:
    """Return the outcomes of a task from the result of `run_packed`."""
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
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return _failure(complaint, error)


def _failure(complaint: str, error: Exception) -> Failure:
    failure = failure_of(error)
    return Failure(failure.type, f"{complaint}: {failure.message}", failure.traceback, complaint)


OVERHEAD_SHARE = 0.05  # most that sending may cost, as a share of the work sent
CHUNKS_PER_WORKER = 4  # chunks that each worker gets at least, where there are items enough
MAX_BYTES = 4 * 1024 * 1024  # greatest size of a chunk on the wire, unless one item alone is larger
OVERHEAD = 0.0003  # seconds that a chunk costs on the way: the dearest of the shipped executors
WORTH_SENDING = 0.02  # seconds of work in all below which it is done before the workers have heard of it
START_SECONDS = 3.0  # seconds until workers have been started and have built their problem, about


def chunks_of(
    items: int, seconds_per_item: float, workers: int, bytes_per_item: float = 0.0, overhead: float = OVERHEAD
) -> list[tuple[int, int]]:
    """Return chunks of items as positions, ``(first, one past the last)`` of each: sizes differ by one at most."""
    if items < 0 or workers < 1:
        raise ValueError(f"{items} items for {workers} workers")
    if items == 0:
        return []
    if seconds_per_item > 0.0:
        # The quotient of two measured times may be anything, infinity included.
        size = max(1, ceil(min(float(items), overhead / OVERHEAD_SHARE / seconds_per_item)))
    else:
        size = max(1, items // (CHUNKS_PER_WORKER * workers))
    count = max(ceil(items / size), min(items, workers))
    if bytes_per_item > 0.0:
        light = max(1, int(min(float(items), MAX_BYTES / bytes_per_item)))
        count = max(count, ceil(items / light))
    least, larger = divmod(items, count)
    ends = list(accumulate((least + 1,) * larger + (least,) * (count - larger)))
    return list(zip([0, *ends], ends, strict=False))


def worth_sending(total_seconds: float) -> bool:
    """Whether this much work in all is worth sending to workers rather than doing it here and now."""
    return total_seconds >= WORTH_SENDING


def worth_starting(total_seconds: float, workers: int) -> bool:
    """Whether workers save more of this much work in all than the time that it takes to start them."""
    return total_seconds * (1.0 - 1.0 / workers) > START_SECONDS
