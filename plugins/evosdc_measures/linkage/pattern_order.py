"""The order of agreement patterns by weight, and the best pattern that occurs."""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.estimates_together import converged_together
from evosdc_measures.linkage.fellegi_sunter import SAME_WEIGHT, estimate, share_of, weights_of

INSERTED = 64
"""Patterns up to which sorting by insertion is fastest."""

FIRST = 64
"""Patterns that are tried one by one, from the greatest weight on."""


@kernel
def ranks_of(weights: NDArray[np.float64], order: NDArray[np.int64]) -> Counts:
    """Return the rank of each pattern by its weight, equal for equal weights; `order` has the greatest weight first."""
    ranks = np.zeros(len(order), np.int32)
    for position in range(1, len(order)):
        above, below = order[position - 1], order[position]
        ranks[below] = ranks[above] + (1 if weights[above] - weights[below] > SAME_WEIGHT else 0)
    return ranks


@kernel
def descending(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the patterns, the greatest weight first."""
    if len(weights) > INSERTED:
        return np.argsort(-weights)
    # For few patterns insertion takes a tenth of the time.
    order = np.empty(len(weights), np.int64)
    for pattern in range(len(weights)):
        place = pattern
        while place > 0 and weights[order[place - 1]] < weights[pattern]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = pattern
    return order


@kernel
def estimated_weights(counts: Integers, attributes: int, n: int, known: bool) -> NDArray[np.float64]:
    """Return the weight of each pattern by its number of pairs; `known` as of `estimate`."""
    m, u, _ = estimate(counts, attributes, n, known)
    return weights_of(m, u)


@kernel
def weights_together(counts: Integers, attributes: int, n: int, known: bool) -> NDArray[np.float64]:
    """Return the weight of each pattern for several tables of counts, shape (k, 2**V), as `estimated_weights`."""
    weights = np.empty(counts.shape)
    # One table alone needs no vector unit, which kernels have only where they are compiled.
    if known and len(counts) > 1:
        m, u = converged_together(counts, attributes, share_of(n))
        for table in range(len(counts)):
            weights[table] = weights_of(m[table], u[table])
        return weights
    for table in range(len(counts)):
        weights[table] = estimated_weights(counts[table], attributes, n, known)
    return weights


@kernel
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


@inner_kernel
def best_at(profiles: Counts, place: int, order: NDArray[np.int64], ranks: Counts) -> tuple[int, int]:
    """Return for one profile what `best_of` returns for many."""
    size, position = len(order), 0
    while position < min(FIRST, size) and profiles[place, order[position]] == 0:
        position += 1
    if position < FIRST:
        rank, tied = ranks[order[position]], 0
        while position < size and ranks[order[position]] == rank:
            tied += profiles[place, order[position]]
            position += 1
        return int(rank), int(tied)
    # Far down, two passes through memory are faster than steps to and fro.
    least, together = np.int32(size), np.int32(0)
    for pattern in range(size):
        least = min(least, ranks[pattern] if profiles[place, pattern] > 0 else np.int32(size))
    for pattern in range(size):
        together += profiles[place, pattern] if ranks[pattern] == least else np.int32(0)
    return int(least), int(together)
