"""Edges between the categories of an attribute, and between the labels that were published in their place.

The published matrix has an edge of two labels spread evenly over the pairs of categories below them. It is not made:
only the pairs that have edges in the original are looked at, each by the ancestors of both categories. What the
published matrix has beside them is what is left of all edges. So the time grows with the edges, not with the square of
the categories.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Rows
from evosdc_social.graph import Neighbours
from evosdc_social.tree import Nodes, Tree

Integers = NDArray[np.int64]
Counts = NDArray[np.int32]

DENSE = 1 << 22
"""Pairs of nodes of which a matrix is kept; with more of them pairs that occur are listed."""


PairCounts = tuple[Counts, NDArray[np.float64]]
"""The edges between published nodes, shape (N + 1, N + 1), empty where pairs are listed; and what they give each pair
of categories that has edges in the original, shape (p,)."""


@dataclass(frozen=True, eq=False)
class PairLoss:
    """The loss of an attribute's adjacency matrix, which is symmetric: edges have no direction.

    Parameters
    ----------
    tree : Tree
    neighbours : Neighbours
    cells : ndarray of int64, shape (p, 2)
        Pairs of categories, or of the missing value, that have edges; the first not above the second.
    edges : ndarray of int64, shape (p,)
        What stands in the original's matrix.
    """

    tree: Tree
    neighbours: Neighbours
    cells: Integers
    edges: Integers

    @cached_property
    def dense(self) -> bool:
        """Whether counts are a matrix."""
        return len(self.tree.up) ** 2 <= DENSE

    @cached_property
    def _path(self) -> Nodes:
        """The ways up of all categories, and last that of a missing value, which stands for itself alone."""
        path = self.tree.path.copy()
        path[-1, 0] = len(self.tree.up) - 1
        return path

    @cached_property
    def _sizes(self) -> Integers:
        return np.append(self.tree.sizes[:-1], 1)

    @cached_property
    def _times(self) -> Integers:
        """How often each pair stands in the matrix."""
        return np.where(self.cells[:, 0] == self.cells[:, 1], 1, 2)

    def counted(self, nodes: Nodes) -> PairCounts:
        """Return the counts of published nodes, shape (n,)."""
        width, spread = len(self.tree.up), np.zeros(len(self.edges))
        if not self.dense:
            spread[:] = self._listed(nodes)
            return np.empty((0, 0), np.int32), spread
        pairs = self._pairs(nodes)
        counts = np.bincount(pairs, minlength=width * width).astype(np.int32).reshape(width, width)
        _spread(self.cells, self._path, self._sizes, counts, np.ones(len(self._path), dtype=np.bool_), spread)
        return counts, spread

    def recount(self, known: PairCounts, before: Nodes, after: Nodes, changed: Rows) -> None:
        """Count published nodes after some users changed, in place."""
        counts, spread = known
        if not self.dense:
            spread[:] = self._listed(after)
            return
        _moved(
            counts, self.neighbours.starts, self.neighbours.ends, before, after, np.asarray(changed, dtype=np.int64),
            np.zeros(len(before), dtype=np.bool_),
        )  # fmt: skip
        touched = np.zeros(len(self.tree.up) + 1, dtype=np.bool_)
        touched[before[changed]] = touched[after[changed]] = True
        _spread(
            self.cells, self._path, self._sizes, counts, np.any(touched[self._path], axis=1).astype(np.bool_), spread
        )

    def _pairs(self, nodes: Nodes) -> Integers:
        pairs: Integers = (
            nodes[self.neighbours.users].astype(np.int64) * len(self.tree.up) + nodes[self.neighbours.ends]
        )
        return pairs

    def _listed(self, nodes: Nodes) -> NDArray[np.float64]:
        found, times = np.unique(self._pairs(nodes), return_counts=True)
        spread: NDArray[np.float64] = _spread_listed(
            self.cells, self._path, self._sizes, found, times, len(self.tree.up)
        )
        return spread

    def loss(self, spread: NDArray[np.float64]) -> float:
        """Return half the sum of differences over the number of edges, in [0, 1]; 0 for a graph without edges."""
        total = len(self.neighbours.ends)
        if not total:
            return 0.0
        inside = float((self._times * spread).sum())
        away = float((self._times * np.abs(spread - self.edges)).sum()) + max(total - inside, 0.0)
        return min(max(away / (2.0 * total), 0.0), 1.0)


def pair_loss(tree: Tree, leaves: Nodes, neighbours: Neighbours) -> PairLoss:
    """Return the loss of an attribute by its original values.

    Parameters
    ----------
    tree : Tree
    leaves : ndarray of int32, shape (n,)
        The original's values as nodes.
    neighbours : Neighbours
    """
    missing, width = len(tree.up) - 1, tree.leaves + 1
    codes = np.where(leaves == missing, tree.leaves, leaves).astype(np.int64)
    one, other = codes[neighbours.users], codes[neighbours.ends]
    here = one <= other
    pairs, edges = np.unique(one[here] * width + other[here], return_counts=True)
    return PairLoss(tree, neighbours, np.stack([pairs // width, pairs % width], axis=1), edges.astype(np.int64))


@njit(cache=True)
def _moved(
    counts: Counts, starts: Integers, ends: Nodes, before: Nodes, after: Nodes, changed: Integers,
    done: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Take the edges of changed users from their old pairs to the new ones; of two changed users once."""
    for user in changed:
        done[user] = True
        for place in range(starts[user], starts[user + 1]):
            other = ends[place]
            if done[other]:
                continue
            counts[before[user], before[other]] -= 1
            counts[before[other], before[user]] -= 1
            counts[after[user], after[other]] += 1
            counts[after[other], after[user]] += 1


@njit(cache=True)
def _spread(
    cells: Integers,
    path: Nodes,
    sizes: Integers,
    counts: Counts,
    touched: NDArray[np.bool_],
    spread: NDArray[np.float64],
) -> None:
    """Write what published pairs give the pairs of categories of which one is touched."""
    for cell in range(cells.shape[0]):
        one, other = cells[cell, 0], cells[cell, 1]
        if not (touched[one] or touched[other]):
            continue
        found = 0.0
        for i in range(path.shape[1]):
            upper = path[one, i]
            if upper < 0:
                break
            for j in range(path.shape[1]):
                right = path[other, j]
                if right < 0:
                    break
                count = counts[upper, right]
                if count:
                    found += count / (sizes[upper] * sizes[right])
        spread[cell] = found


@njit(cache=True)
def _spread_listed(
    cells: Integers, path: Nodes, sizes: Integers, listed: Integers, times: Integers, width: int
) -> NDArray[np.float64]:
    """Return what published pairs, sorted, give the pairs of categories."""
    spread = np.zeros(cells.shape[0])
    for cell in range(cells.shape[0]):
        one, other = cells[cell, 0], cells[cell, 1]
        found = 0.0
        for i in range(path.shape[1]):
            upper = path[one, i]
            if upper < 0:
                break
            for j in range(path.shape[1]):
                right = path[other, j]
                if right < 0:
                    break
                pair = upper * width + right
                at = np.searchsorted(listed, pair)
                if at < listed.size and listed[at] == pair:
                    found += times[at] / (sizes[upper] * sizes[right])
        spread[cell] = found
    return spread
