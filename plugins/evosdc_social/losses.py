"""What analysts of a graph lose: the measures of information loss of the thesis' section 6.3.

The published matrix has an edge of two labels spread evenly over the pairs of categories below them. It is not made:
only the pairs that have edges in the original are looked at, each by the ancestors of both categories. The other
entries of the published matrix are the remaining edges. So the time grows with the edges, not with the square of
the categories.

All are means over attributes, in per cent, 0 for a graph that was not changed. Published labels are read as the leaves
of the tree below them, each as likely, whether the original has them or not (a reconstruction).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import Changes, Fitted, Measure, Tracker
from evosdc.table.table import Rows, Table
from evosdc_social.graph import AmongNeighbours, Neighbours
from evosdc_social.space import SCALES, Nodes, SemanticSpace, Tree, space_of

Integers = NDArray[np.int64]
Counts = NDArray[np.int32]

DENSE = 1 << 22  # pairs of nodes of which a matrix is kept; with more of them pairs that occur are listed

# The edges between published nodes, shape (N + 1, N + 1), empty where pairs are listed; and what they give each pair of
# categories that has edges in the original, shape (p,).
PairCounts = tuple[Counts, NDArray[np.float64]]


class AttributeLoss(ABC):
    """The loss of one attribute, in [0, 1], by the counts of its published nodes."""

    @abstractmethod
    def counted(self, nodes: Nodes) -> Any:
        """Return the counts of nodes, shape (n,): an array, or a tuple of arrays."""

    @abstractmethod
    def recount(self, counts: Any, before: Nodes, after: Nodes, changed: Rows) -> None:
        """Count nodes, shape (n,), after some records changed, in place."""

    @abstractmethod
    def loss(self, counts: Any) -> float:
        """Return the loss."""

    def contributions(self, nodes: Nodes) -> NDArray[np.float64] | None:
        """Return what each user adds to the loss; None where it belongs to no users."""
        return None


class PairLoss(AttributeLoss):
    """The loss of an attribute's adjacency matrix, which is symmetric: edges have no direction."""

    def __init__(self, tree: Tree, leaves: Nodes, neighbours: Neighbours) -> None:
        self.tree, self.neighbours, self.dense = tree, neighbours, len(tree.up) ** 2 <= DENSE
        missing, width = len(tree.up) - 1, tree.leaves + 1
        codes = np.where(leaves == missing, tree.leaves, leaves).astype(np.int64)
        one, other = codes[neighbours.users], codes[neighbours.ends]
        here = one <= other
        pairs, self.edges = np.unique(one[here] * width + other[here], return_counts=True)
        # Pairs of categories that have edges, shape (p, 2), and how often each stands in the matrix.
        self.cells = np.stack([pairs // width, pairs % width], axis=1)
        self._times = np.where(self.cells[:, 0] == self.cells[:, 1], 1, 2)
        # The ways up of all categories; a missing value, the last one, stands for itself alone.
        self._path, self._sizes = tree.path.copy(), np.append(tree.sizes[:-1], 1)
        self._path[-1, 0] = missing

    def counted(self, nodes: Nodes) -> PairCounts:
        """Return the counts of published nodes, shape (n,)."""
        width, spread = len(self.tree.up), np.zeros(len(self.edges))
        if not self.dense:
            self._list(nodes, spread)
            return np.empty((0, 0), np.int32), spread
        counts = np.bincount(self._pairs(nodes), minlength=width * width).astype(np.int32).reshape(width, width)
        _spread(self.cells, self._path, self._sizes, counts, np.ones(len(self._path), dtype=np.bool_), spread)
        return counts, spread

    def recount(self, counts: PairCounts, before: Nodes, after: Nodes, changed: Rows) -> None:
        """Count published nodes after some users changed, in place."""
        edges, spread = counts
        if not self.dense:
            self._list(after, spread)
            return
        _moved(
            edges, self.neighbours.starts, self.neighbours.ends, before, after, np.asarray(changed, dtype=np.int64),
            np.zeros(len(before), dtype=np.bool_),
        )  # fmt: skip
        touched = np.zeros(len(self.tree.up) + 1, dtype=np.bool_)
        touched[before[changed]] = touched[after[changed]] = True
        _spread(self.cells, self._path, self._sizes, edges, np.any(touched[self._path], axis=1), spread)

    def _pairs(self, nodes: Nodes) -> Integers:
        users, ends = self.neighbours.users, self.neighbours.ends
        pairs: Integers = nodes[users].astype(np.int64) * len(self.tree.up) + nodes[ends]
        return pairs

    def _list(self, nodes: Nodes, spread: NDArray[np.float64]) -> None:
        found, times = np.unique(self._pairs(nodes), return_counts=True)
        _spread_listed(self.cells, self._path, self._sizes, found, times, len(self.tree.up), spread)

    def loss(self, counts: PairCounts) -> float:
        """Return half the sum of differences over the number of edges; 0 for a graph without edges."""
        spread, total = counts[1], len(self.neighbours.ends)
        if not total:
            return 0.0
        inside = float((self._times * spread).sum())
        away = float((self._times * np.abs(spread - self.edges)).sum()) + max(total - inside, 0.0)
        return min(max(away / (2.0 * total), 0.0), 1.0)


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
    cells: Integers, path: Nodes, sizes: Integers, listed: Integers, times: Integers, width: int,
    spread: NDArray[np.float64],
) -> None:  # fmt: skip
    """Write what published pairs, sorted, give the pairs of categories."""
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


class LevelLoss(AttributeLoss):
    """The mean distance between original and published values of an attribute; counted is the sum of their levels."""

    def __init__(self, tree: Tree, leaves: Nodes) -> None:
        self.tree, self.leaves = tree, leaves

    def counted(self, nodes: Nodes) -> Integers:
        """Return the sum of levels."""
        return np.array([levels_between(self.tree, self.leaves, nodes).sum()], dtype=np.int64)

    def recount(self, counts: Integers, before: Nodes, after: Nodes, changed: Rows) -> None:
        """Sum levels after some records changed."""
        for sign, nodes in ((1, after), (-1, before)):
            counts += sign * levels_between(self.tree, self.leaves[changed], nodes[changed]).sum()

    def loss(self, counts: Integers) -> float:
        """Return the mean distance."""
        return float(counts[0]) / (len(self.leaves) * max(self.tree.height, 1))

    def contributions(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return what each user adds to the loss."""
        return levels_between(self.tree, self.leaves, nodes) / (len(nodes) * max(self.tree.height, 1))


def levels_between(tree: Tree, one: Nodes, other: Nodes) -> Integers:
    """Return the level of the lowest common ancestor of nodes, pair by pair; 0 where they are the same category."""
    found: Integers = (tree.up[one] != tree.up[other]).sum(axis=1, dtype=np.int64)
    return found


class ShareLoss(AttributeLoss):
    """The total variation between the distributions of categories; counted are the records of each node."""

    def __init__(self, tree: Tree, leaves: Nodes) -> None:
        self.tree, self._n = tree, len(leaves)
        frequencies = self.counted(leaves)
        self._own = np.append(frequencies[: tree.leaves], frequencies[-1])

    def counted(self, nodes: Nodes) -> Integers:
        """Return the records of each node."""
        return np.bincount(nodes, minlength=len(self.tree.up)).astype(np.int64)

    def recount(self, counts: Integers, before: Nodes, after: Nodes, changed: Rows) -> None:
        """Count the records of each node after some changed."""
        np.subtract.at(counts, before[changed], 1)
        np.add.at(counts, after[changed], 1)

    def loss(self, counts: Integers) -> float:
        """Return the total variation."""
        # The records of a node are spread over the categories below it, missing last. Leaves of the tree that are no
        # category of the original have their share, too.
        tree, path = self.tree, self.tree.path[: self.tree.leaves]
        share = np.append(counts[:-1] / np.maximum(tree.sizes[:-1], 1), 0.0)
        after = np.append(np.where(path >= 0, share[path], 0.0).sum(axis=1), float(counts[-1]))
        elsewhere = max(self._n - float(after.sum()), 0.0)
        return (float(np.abs(self._own - after).sum()) + elsewhere) / (2.0 * self._n)


class FittedNodeLoss(Fitted):
    """A loss that is the mean over attributes, in per cent."""

    def __init__(self, original: Table, of: Callable[[Tree, Nodes], AttributeLoss]) -> None:
        self.space: SemanticSpace = space_of(original)
        leaves = self.space.nodes(original)
        self.parts = [of(tree, np.ascontiguousarray(leaves[:, v])) for v, tree in enumerate(self.space.trees)]

    def track(self, masked: Table) -> "NodeLossTracker":
        """Return a tracker, which counts changed records of changed attributes again."""
        return NodeLossTracker(self, masked)

    def score(self, masked: Table) -> float:
        """Return the mean over attributes, in per cent."""
        return self.track(masked).score


class NodeLossTracker(Tracker):
    """The tracker of a `FittedNodeLoss`."""

    def __init__(self, fitted: FittedNodeLoss, masked: Table) -> None:
        self._space, self._parts = fitted.space, fitted.parts
        self._nodes = fitted.space.nodes(masked)
        self._counts = [part.counted(column) for part, column in zip(self._parts, self._nodes.T, strict=True)]
        self.losses = np.array([part.loss(counts) for part, counts in zip(self._parts, self._counts, strict=True)])

    @property
    def score(self) -> float:
        """The mean over attributes, in per cent."""
        return 100.0 * float(self.losses.sum()) / len(self.losses)

    def take(self, change: Changes) -> None:
        """Update to a child."""
        latest = self._space.nodes(change.after)
        differ = self._nodes[change.rows] != latest
        for v in np.flatnonzero(differ.any(axis=0)).tolist():
            changed, before = change.rows[differ[:, v]], self._nodes[:, v].copy()
            self._nodes[changed, v] = latest[differ[:, v], v]
            self._parts[v].recount(self._counts[v], before, self._nodes[:, v].copy(), changed)
            self.losses[v] = self._parts[v].loss(self._counts[v])

    def contributions(self) -> NDArray[np.float64] | None:
        """Return what each user adds to the loss, in per cent; None where it belongs to no users."""
        found = [part.contributions(column) for part, column in zip(self._parts, self._nodes.T, strict=True)]
        known = [part for part in found if part is not None]
        return 100.0 * np.sum(known, axis=0) / len(known) if known else None


class SemanticDistanceLoss(Measure):
    """DBIL of nodes: the mean over users and attributes of the semantic distance of original and published value."""

    # Source: thesis, section 6.3.3; the distance is a reconstruction.

    supports = SCALES
    generalised = True

    def fit(self, original: Table) -> FittedNodeLoss:
        """Find the trees of the attributes."""
        self.require_support(original)
        return FittedNodeLoss(original, LevelLoss)


class DistributionLoss(Measure):
    """CDIL, Categories Distribution Information Loss: the total variation between the distributions of categories."""

    # Source: thesis, section 6.3.2; the formula is a reconstruction.

    supports = SCALES
    generalised = True

    def fit(self, original: Table) -> FittedNodeLoss:
        """Count the categories."""
        self.require_support(original)
        return FittedNodeLoss(original, ShareLoss)


class AdjacencyLoss(AmongNeighbours[FittedNodeLoss]):
    """AAMIL, Attributes Adjacency Matrices Information Loss: edges that join other categories than before."""

    # A_ij is the number of edges between users of the categories i and j; the loss is half the sum of the differences
    # of both matrices, over the number of edges.
    # Source: thesis, section 6.3.1; the formula is a reconstruction.

    supports = SCALES
    generalised = True

    def fit_among(self, judged: Table, neighbours: Neighbours) -> FittedNodeLoss:
        """Count the edges between categories."""
        return FittedNodeLoss(judged, partial(PairLoss, neighbours=neighbours))
