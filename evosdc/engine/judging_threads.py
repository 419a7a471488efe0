"""Measures that judge the same children side by side, on processors that have nothing else to do."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes

WORTH = 0.002
"""Seconds of judging from which threads are worth it: to wake one, and to be woken by it, takes a tenth of that."""

ALONE = 3
"""Calls that are made by this thread alone: the first ones load machine code, the last one is measured."""

Columns = Sequence[NDArray[np.float64]]


class Judge(NamedTuple):
    """What judges children together, by one measure or by two.

    Parameters
    ----------
    place : int
        Of its state among those followed.
    names : tuple of str
        Of the measures.
    columns : callable
        Takes the state and what children change, and returns the scores, shape (k,), by measure.
    beside, divisible : bool
        As of `evosdc.model.Batched`.
    """

    place: int
    names: tuple[str, ...]
    columns: Callable[[Any, Changes], Columns]
    beside: bool
    divisible: bool


class JudgingThreads:
    """Judges children by several measures; the scores are the same however many threads there are.

    Parameters
    ----------
    judges : sequence of Judge
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        self._judges = judges
        self._threads = 1
        self._pool: ThreadPoolExecutor | None = None
        self._calls = 0
        self._seconds = 0.0  # of a child, by those judges that may have threads

    def use(self, threads: int) -> None:
        """Use up to so many threads from now on, where any measure is worth one."""
        self._threads = threads if any(judge.beside for judge in self._judges) else 1
        self._pool = None

    def columns(self, states: Sequence[Any], changes: Changes) -> list[NDArray[np.float64]]:
        """Return the scores of children by all judges, in order, shape (k,) each.

        Parameters
        ----------
        states : sequence
            Of the parent, by place.
        changes : Changes
            Of k children.

        Raises
        ------
        Exception
            What a measure raised. No thread goes on then.
        """
        children = len(changes.children)
        known = self._calls >= ALONE
        if self._threads > 1 and known and children > 1 and self._seconds * children > WORTH:
            return self._side_by_side(states, changes)
        found: list[NDArray[np.float64]] = []
        spent = 0.0
        for judge in self._judges:
            began = perf_counter()
            found.extend(judge.columns(states[judge.place], changes))
            spent += perf_counter() - began if judge.beside else 0.0
        if children and not known:
            self._calls, self._seconds = self._calls + 1, spent / children
        return found

    def _side_by_side(self, states: Sequence[Any], changes: Changes) -> list[NDArray[np.float64]]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, "judge")
        parts = _parts(changes, self._threads)
        pending: dict[int, list[Future[Columns]]] = {}
        try:
            # The longest first: what cannot be divided.
            for number, judge in sorted(enumerate(self._judges), key=lambda one: one[1].divisible):
                if judge.beside:
                    asked = parts if judge.divisible else [changes]
                    state = states[judge.place]
                    pending[number] = [self._pool.submit(judge.columns, state, part) for part in asked]
            here = {
                number: judge.columns(states[judge.place], changes)
                for number, judge in enumerate(self._judges)
                if number not in pending
            }
            found: list[NDArray[np.float64]] = []
            for number in range(len(self._judges)):
                if number in here:
                    found.extend(here[number])
                else:
                    found.extend(map(np.concatenate, zip(*(one.result() for one in pending[number]), strict=True)))
            return found
        except BaseException:
            # States are altered on the way: nobody may go on with them before all threads have ended.
            wait([one for several in pending.values() for one in several])
            raise


def _parts(changes: Changes, number: int) -> list[Changes]:
    """Return the changes of about as many children each."""
    bounds = np.linspace(0, len(changes.children), min(number, len(changes.children)) + 1).astype(int).tolist()
    return [changes.part(begin, end) for begin, end in pairwise(bounds)]
