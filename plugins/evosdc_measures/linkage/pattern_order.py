"""The order of agreement patterns by weight, and the best pattern that occurs."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.fellegi_sunter import SAME_WEIGHT, estimate, weights_of

MERGED = 16
"""Patterns beyond which sorting by merging is fastest; up to so many by insertion."""
MOVED = 4
"""Another order is near where at most so many patterns are moved for each that there is."""

FIRST = 64
"""Patterns that are tried one by one, from the greatest weight on."""


@njit(cache=True)
def ranks_of(weights: NDArray[np.float64], order: NDArray[np.int64]) -> Counts:
    """Return the rank of each pattern by its weight, equal for equal weights; `order` has the greatest weight first."""
    ranks = np.zeros(len(order), np.int32)
    for position in range(1, len(order)):
        above, below = order[position - 1], order[position]
        ranks[below] = ranks[above] + (1 if weights[above] - weights[below] > SAME_WEIGHT else 0)
    return ranks


@njit(cache=True)
def descending(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the patterns, the greatest weight first; in whichever order those of the same weight.

    Agreement on one more attribute adds the same to the weights of all patterns of the attributes before, so that
    their order is merged with itself. What rounding has put elsewhere is inserted at the end.
    """
    patterns = len(weights)
    order = np.arange(patterns)
    if patterns > MERGED:
        before, known = np.empty(patterns, np.int64), 1
        while known < patterns:
            before[:known] = order[:known]
            without = agreed = 0
            for place in range(2 * known):
                a, b = before[min(without, known - 1)], before[min(agreed, known - 1)] + known
                first = agreed == known or (without < known and weights[a] >= weights[b])
                order[place] = a if first else b
                without, agreed = without + first, agreed + (not first)
            known *= 2
    _insert(order, weights, patterns * patterns)
    return order


@njit(cache=True)
def descending_like(weights: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what `descending` returns, sooner where that is much like another order."""
    near = order.copy()
    return near if _insert(near, weights, MOVED * len(order)) else descending(weights)


@njit(cache=True)
def _insert(order: NDArray[np.int64], weights: NDArray[np.float64], most: int) -> bool:
    """Sort the patterns by insertion, unless more than so many have to be moved."""
    moved = 0
    for place in range(1, len(order)):
        pattern, free = order[place], place
        weight = weights[pattern]
        while free > 0 and weights[order[free - 1]] < weight:
            order[free] = order[free - 1]
            free -= 1
        order[free] = pattern
        moved += place - free
        if moved > most:
            return False
    return True


@njit(cache=True)
def estimated_weights(counts: Integers, attributes: int, n: int, known: bool) -> NDArray[np.float64]:
    """Return the weight of each pattern by its number of pairs; `known` as of `estimate`."""
    m, u, _ = estimate(counts, attributes, n, known)
    return weights_of(m, u)


@njit(cache=True)
def weights_together(counts: Integers, attributes: int, n: int, known: bool) -> NDArray[np.float64]:
    """Return the weight of each pattern for several tables of counts, shape (k, 2**V), as `estimated_weights`."""
    weights = np.empty(counts.shape)
    for table in range(len(counts)):
        weights[table] = estimated_weights(counts[table], attributes, n, known)
    return weights


@njit(cache=True)
def best_of(profiles: Counts, places: Counts, order: NDArray[np.int64], ranks: Counts) -> tuple[Counts, Counts]:
    """Return for the profile at each place the rank of the best pattern in it, and how many originals have that rank.

    Parameters
    ----------
    profiles : ndarray of int32, shape (places, 2**V)
    places : ndarray of int32, shape (m,)
        Of profiles that are not empty.
    order : ndarray of int64, shape (2**V,)
        Patterns, the greatest weight first.
    ranks : ndarray of int32, shape (2**V,)
        By pattern.
    """
    best, ties = np.empty(len(places), np.int32), np.empty(len(places), np.int32)
    for i in range(len(places)):
        best[i], ties[i] = best_at(profiles, places[i], order, ranks)
    return best, ties


@njit(cache=True)
def best_at(profiles: Counts, place: int, order: NDArray[np.int64], ranks: Counts) -> tuple[int, int]:
    """Return for one profile what `best_of` returns for many."""
    rank, tied, _ = best_from(profiles, place, order, ranks, 0)
    return rank, tied


@njit(cache=True)
def best_from(
    profiles: Counts, place: int, order: NDArray[np.int64], ranks: Counts, begin: int
) -> tuple[int, int, int]:
    """Return what `best_at` returns, and a pattern of the best that occurs, none of which precedes a position."""
    size, position = len(order), begin
    last = min(begin + FIRST, size)
    while position < last and profiles[place, order[position]] == 0:
        position += 1
    if position < last:
        pattern, tied = order[position], 0
        rank = ranks[pattern]
        while position < size and ranks[order[position]] == rank:
            tied += profiles[place, order[position]]
            position += 1
        return int(rank), int(tied), int(pattern)
    # Far down, two passes through memory are faster than steps to and fro.
    least, together, found = np.int32(size), np.int32(0), 0
    for pattern in range(size):
        least = min(least, ranks[pattern] if profiles[place, pattern] > 0 else np.int32(size))
    for pattern in range(size):
        together += profiles[place, pattern] if ranks[pattern] == least else np.int32(0)
    while found < size - 1 and (profiles[place, found] == 0 or ranks[found] != least):
        found += 1
    return int(least), int(together), int(found)
