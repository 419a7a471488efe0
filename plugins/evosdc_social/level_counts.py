"""Published records counted by vectors of levels, so that links are followed through small changes."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Rows
from evosdc_social.level_vectors import Integers, LevelVectors
from evosdc_social.tree import Nodes

Places = NDArray[np.int32]

MOST_COUNTS = 20_000_000
"""Originals times vectors that are kept in memory."""


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """What originals look for.

    Parameters
    ----------
    vectors : LevelVectors
    sought : ndarray of int64
        The distinct keys of the originals, vector by vector, ascending for each.
    offsets : ndarray of int64, shape (L + 1,)
        Where the keys of each vector begin.
    of : ndarray of int32, shape (n, L)
        By original and vector the place of its key among all.
    """

    vectors: LevelVectors
    sought: Integers
    offsets: Integers
    of: Places

    def places(self, nodes: Nodes) -> Places:
        """Return by record and vector the place of its key among those that are sought, -1 for none, shape (m, L)."""
        vectors = self.vectors
        return _places(vectors.up, vectors.widths, vectors.vectors, nodes, self.sought, self.offsets)

    def counted(self, places: Places) -> NDArray[np.int32]:
        """Return how many published records have each key that is sought."""
        return np.bincount(places[places >= 0], minlength=len(self.sought)).astype(np.int32)

    def recount(self, places: Places, counts: NDArray[np.int32], nodes: Nodes, changed: Rows) -> None:
        """Count after some records changed, in place.

        Parameters
        ----------
        places : ndarray of int32, shape (n, L)
        counts : ndarray of int32
        nodes : ndarray of int32, shape (m, V)
            Of the changed records.
        changed : ndarray of intp, shape (m,)
        """
        old, new = places[changed], self.places(nodes)
        np.subtract.at(counts, old[old >= 0], 1)
        np.add.at(counts, new[new >= 0], 1)
        places[changed] = new

    def credit(self, places: Places, counts: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the credit of each user, as `evosdc_social.level_vectors.nearest_credit`."""
        return _credit(self.of, places, counts, self.vectors.costs)


def level_counts(vectors: LevelVectors, leaves: Nodes) -> LevelCounts | None:
    """Return what originals look for; None where it would take too much memory."""
    if len(leaves) * len(vectors) > MOST_COUNTS:
        return None
    sought, offsets = [], np.zeros(len(vectors) + 1, dtype=np.int64)
    of = np.empty((len(leaves), len(vectors)), dtype=np.int32)
    for vector in range(len(vectors)):
        keys, place = np.unique(vectors.keys(leaves, vector), return_inverse=True)
        sought.append(keys)
        of[:, vector] = place.reshape(-1) + offsets[vector]
        offsets[vector + 1] = offsets[vector] + len(keys)
    return LevelCounts(vectors, np.concatenate(sought), offsets, of)


@njit(cache=True)
def _places(
    up: NDArray[np.int32], widths: Integers, vectors: Integers, nodes: Nodes, sought: Integers, offsets: Integers
) -> Places:
    result = np.empty((nodes.shape[0], vectors.shape[0]), dtype=np.int32)
    for record in range(nodes.shape[0]):
        for vector in range(vectors.shape[0]):
            key = np.int64(0)
            for v in range(nodes.shape[1]):
                key = key * (2 * widths[v] + 2) + up[v, nodes[record, v], vectors[vector, v]] + widths[v] + 1
            low, high = offsets[vector], offsets[vector + 1]
            while low < high:
                middle = (low + high) // 2
                if sought[middle] < key:
                    low = middle + 1
                else:
                    high = middle
            known = low < offsets[vector + 1] and sought[low] == key
            result[record, vector] = low if known else -1
    return result


@njit(cache=True)
def _credit(
    sought: NDArray[np.int32], own: NDArray[np.int32], counts: NDArray[np.int32], costs: Integers
) -> NDArray[np.float64]:
    credit = np.zeros(sought.shape[0])
    for user in range(sought.shape[0]):
        ties, mine, vector = 0, False, 0
        while vector < costs.size:
            place = sought[user, vector]
            if counts[place] > 0:
                ties += counts[place]
                mine = mine or own[user, vector] == place
            vector += 1
            if ties > 0 and (vector == costs.size or costs[vector] > costs[vector - 1]):
                break
        if mine:
            credit[user] = 1.0 / ties
    return credit
