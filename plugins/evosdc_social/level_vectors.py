"""All ways in which two users can be near: how far up each attribute's tree their values meet.

Two users are within levels (l_1, ..., l_V) where they have the same nodes at these levels. A published record that is
within them of an original is at the distance which is the sum of their costs, or nearer. So the nearest published
records of all originals are found by grouping both files by their nodes at one vector of levels after the other, in the
order of cost: each takes a time in proportion to the users, and pairs are never looked at.

Published records counted by vectors of levels, so that links are followed through small changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.table.table import Rows
from evosdc_social.space import Nodes, SemanticSpace

Integers = NDArray[np.int64]

MOST_VECTORS = 20_000
_GREATEST_KEY = 2**62


class LevelVectors:
    """The vectors of levels of a space, in the order of their costs."""

    def __init__(self, space: SemanticSpace, where: str) -> None:
        heights = [tree.height for tree in space.trees]
        count, size = 1, 1
        for tree in space.trees:
            count *= tree.height + 1
            size *= 2 * len(tree.up) + 2
        if count > MOST_VECTORS or size > _GREATEST_KEY:
            given = f"{len(heights)} attributes whose values can meet in {count} ways"
            advice = "Take fewer attributes, or give their trees fewer levels."
            raise ParameterError(Fault(where, given, f"at most {MOST_VECTORS}", advice))
        self._trees = space.trees
        self.up = space.padded
        self.widths: Integers = np.array([len(tree.up) for tree in space.trees], dtype=np.int64)
        vectors = np.array(list(product(*(range(height + 1) for height in heights))), dtype=np.int64)
        costs = vectors @ space.costs
        order = np.argsort(costs, kind="stable")
        self.vectors: Integers = vectors[order]
        self.costs: Integers = costs[order]

    def __len__(self) -> int:
        return len(self.costs)

    def keys(self, nodes: Nodes, vector: int, further: Integers | None = None) -> Integers:
        """Return a number for the nodes of each record at a vector of levels, shape (n,): equal for equal nodes."""
        # Further, shape (n,): a number of each record that has to be equal besides, from 0.
        found = np.zeros(len(nodes), dtype=np.int64) if further is None else further.astype(np.int64)
        for v, level in enumerate(self.vectors[vector].tolist()):
            up = self._trees[v].up
            found = found * (2 * len(up) + 2) + (up[nodes[:, v], level].astype(np.int64) + len(up) + 1)
        return found

    def tiers(self) -> Iterator[range]:
        """Yield the vectors of each cost, the least first."""
        ends = (np.flatnonzero(np.diff(self.costs) > 0) + 1).tolist()
        return (range(begin, end) for begin, end in pairwise([0, *ends, len(self)]))


def nearest_credit(
    vectors: LevelVectors, leaves: Nodes, published: Nodes, further: Integers | None = None
) -> NDArray[np.float64]:
    """Return for each user the chance that the published record taken for them, one of the nearest, is their own."""
    # Row r of leaves and published, shape (n, V), is the same user. further, shape (n,): what an intruder knows of a
    # user and sees of a record besides; only records with an equal one are looked at.
    n = len(leaves)
    credit = np.zeros(n)
    active = np.arange(n)
    for tier in vectors.tiers():
        ties, own = np.zeros(len(active), dtype=np.int64), np.zeros(len(active), dtype=np.bool_)
        for vector in tier:
            seen = vectors.keys(published, vector, further)
            wanted = vectors.keys(leaves[active], vector, None if further is None else further[active])
            distinct, counts = np.unique(seen, return_counts=True)
            place = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
            ties += np.where(distinct[place] == wanted, counts[place], 0)
            own |= seen[active] == wanted
        hit = ties > 0
        credit[active[hit & own]] = 1.0 / ties[hit & own]
        active = active[~hit]
        if not len(active):
            break
    return credit


Places = NDArray[np.int32]

MOST_COUNTS = 20_000_000  # originals times vectors that are kept in memory


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """What originals look for."""

    vectors: LevelVectors
    sought: Integers  # the distinct keys of the originals, vector by vector, ascending for each
    offsets: Integers  # shape (L + 1,); where the keys of each vector begin
    of: Places  # shape (n, L); by original and vector the place of its key among all

    def places(self, nodes: Nodes) -> Places:
        """Return by record and vector the place of its key among those that are sought, -1 for none, shape (m, L)."""
        vectors = self.vectors
        return _places(vectors.up, vectors.widths, vectors.vectors, nodes, self.sought, self.offsets)

    def counted(self, places: Places) -> NDArray[np.int32]:
        """Return how many published records have each key that is sought."""
        return np.bincount(places[places >= 0], minlength=len(self.sought)).astype(np.int32)

    def recount(self, places: Places, counts: NDArray[np.int32], nodes: Nodes, changed: Rows) -> None:
        """Count after some records changed, in place."""
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
