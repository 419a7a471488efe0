"""All ways in which two users can be near: how far up each attribute's tree their values meet.

Two users are within levels (l_1, ..., l_V) where they have the same nodes at these levels. A published record that is
within them of an original is at the distance which is the sum of their costs, or nearer. So the nearest published
records of all originals are found by grouping both files by their nodes at one vector of levels after the other, in the
order of cost: each takes a time in proportion to the users, and pairs are never looked at.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc_social.space import SemanticSpace
from evosdc_social.tree import Nodes

Integers = NDArray[np.int64]

MOST_VECTORS = 20_000
_GREATEST_KEY = 2**62


class LevelVectors:
    """The vectors of levels of a space, in the order of their costs.

    Parameters
    ----------
    space : SemanticSpace
    where : str
        What needs them, for messages.

    Raises
    ------
    ParameterError
        There are too many of them.
    """

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
        """Return a number for the nodes of each record at a vector of levels, shape (n,): equal for equal nodes.

        Parameters
        ----------
        nodes : ndarray of int32, shape (n, V)
        vector : int
        further : ndarray of int64, shape (n,), optional
            A number of each record that has to be equal besides, from 0.
        """
        found = np.zeros(len(nodes), dtype=np.int64) if further is None else further.astype(np.int64)
        for v, level in enumerate(self.vectors[vector].tolist()):
            up = self._trees[v].up
            found = found * (2 * len(up) + 2) + (up[nodes[:, v], level].astype(np.int64) + len(up) + 1)
        return found

    def tiers(self) -> Iterator[range]:
        """Yield the vectors of each cost, the least first."""
        ends = [*np.flatnonzero(np.diff(self.costs) > 0).tolist(), len(self) - 1]
        begin = 0
        for end in ends:
            yield range(begin, end + 1)
            begin = end + 1


def nearest_credit(
    vectors: LevelVectors, leaves: Nodes, published: Nodes, further: Integers | None = None
) -> NDArray[np.float64]:
    """Return for each user the chance that the published record taken for them, one of the nearest, is their own.

    Parameters
    ----------
    vectors : LevelVectors
    leaves, published : ndarray of int32, shape (n, V)
        The nodes of the original and of the published file; row r of both is the same user.
    further : ndarray of int64, shape (n,), optional
        What an intruder knows of a user and sees of a record besides: only records with an equal one are looked at.

    Returns
    -------
    ndarray of float64, shape (n,)
        1 over the number of nearest records where the own is among them, else 0.
    """
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
