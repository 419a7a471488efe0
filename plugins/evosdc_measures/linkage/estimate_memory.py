"""The memory of weights: what was estimated from which numbers of pairs.

A child that was judged among others has its state made when it has children itself, and a search asks what the records
of a file cost that it has just judged: the model would be estimated again. What is remembered is a pure function of the
numbers, so it changes the time and never the result.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_measures.domains import Integers
from evosdc_measures.linkage.pattern_order import weights_together

PLACES, MOST = 256, 1 << 18
"""So many estimates are remembered, but no more than so many numbers."""


class EstimateMemory(NamedTuple):
    """The last estimates; kernels change the arrays.

    Parameters
    ----------
    pairs : ndarray of int64, shape (places, 2**V)
        Numbers of pairs by pattern; -1 where nothing is remembered.
    weights : ndarray of float64, shape (places, 2**V)
        By pattern.
    following : ndarray of int64, shape (1,)
        The place that is overwritten next.
    """

    pairs: Integers
    weights: NDArray[np.float64]
    following: Integers


def estimate_memory_of(attributes: int) -> EstimateMemory:
    """Return an empty memory."""
    shape = max(1, min(PLACES, MOST >> attributes)), 1 << attributes
    return EstimateMemory(np.full(shape, -1, dtype=np.int64), np.empty(shape), np.zeros(1, dtype=np.int64))


@njit(cache=True)
def remembered_weights(
    counts: Integers,
    attributes: int,
    n: int,
    known: bool,
    pairs: Integers,
    weights: NDArray[np.float64],
    following: Integers,
) -> NDArray[np.float64]:
    """Return what `weights_together` returns; the last three are those of an `EstimateMemory`."""
    tables, patterns = counts.shape
    found = np.empty((tables, patterns))
    missing, count = np.empty(tables, np.int64), 0
    # Where the weights of each table are: in the memory, or among those that are missing there, counted from -1 down.
    places = np.empty(tables, np.int64)
    for table in range(tables):
        place = _place_of(counts, table, pairs, len(pairs))
        if place < 0:
            twin = 0
            while twin < count and not _same(counts, table, counts, missing[twin]):
                twin += 1
            if twin == count:
                missing[count] = table
                count += 1
            place = -1 - twin
        else:
            found[table] = weights[place]
        places[table] = place
    if count > 0:
        asked = counts[missing[:count]]
        estimated = weights_together(asked, attributes, n, known)
        for table in range(tables):
            if places[table] < 0:
                found[table] = estimated[-1 - places[table]]
        for i in range(count):
            place = following[0]
            pairs[place], weights[place] = asked[i], estimated[i]
            following[0] = (place + 1) % len(pairs)
    return found


@njit(cache=True)
def _place_of(counts: Integers, table: int, pairs: Integers, places: int) -> int:
    for place in range(places):
        if _same(counts, table, pairs, place):
            return place
    return -1


@njit(cache=True)
def _same(a: Integers, i: int, b: Integers, j: int) -> bool:
    pattern = 0
    while pattern < a.shape[1] and a[i, pattern] == b[j, pattern]:
        pattern += 1
    return bool(pattern == a.shape[1])
