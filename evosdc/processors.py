"""The processors that a process may use, and calls that are made on them side by side."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.time_limit import check_time

S = TypeVar("S")
T = TypeVar("T")

LONG = 100_000  # records from which on calls about a file take so long that threads are worth it

# Number of parts of records that are looked up in parallel. An interruption waits for the parts under way.
PARTS = 32

_shared = [False]


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_processors() -> None:
    """Keep to one processor from now on: others of this computer work for other processes."""
    _shared[0] = True


def side_by_side(records: int, calls: Sequence[Callable[[], T]]) -> list[T]:
    """Return the results of calls about a file with this number of records, in order; for long files `in_threads`."""
    return in_threads(calls) if records >= LONG else list(_in_time(calls, lambda call: call()))


def in_parts(rows: NDArray[np.intp], call: Callable[[NDArray[np.intp]], T]) -> list[T]:
    """Return the results of a call for each of `PARTS` parts of some rows, `in_threads`, in order; none is empty."""
    return in_threads([partial(call, part) for part in np.array_split(rows, PARTS) if len(part)])


def in_threads(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Return the results of calls that each take milliseconds, in order, from one thread for each processor."""
    # A call may do the same: threads of both then run at a time.
    threads = 1 if _shared[0] else min(processors(), len(calls))
    if threads < 2:
        return list(_in_time(calls, lambda call: call()))
    pool = ThreadPoolExecutor(threads, "side-by-side")
    futures = [pool.submit(call) for call in calls]
    try:
        return list(_in_time(futures, lambda one: one.result()))
    except BaseException as error:
        interruption = _ended(futures)
        if isinstance(error, Exception) and interruption is not None:
            raise interruption from error
        raise
    finally:
        pool.shutdown(wait=False)


def _in_time(several: Sequence[S], result: Callable[[S], T]) -> Iterator[T]:
    for one in several:
        yield result(one)
        check_time()


def _ended(futures: Sequence[Future[T]]) -> BaseException | None:
    """Cancel calls that have not begun, and wait for the others. Return the interruption, if any."""
    for one in futures:
        one.cancel()
    interruption: BaseException | None = None
    while True:
        try:
            wait(futures)
        except BaseException as again:
            interruption = again
        else:
            return interruption
