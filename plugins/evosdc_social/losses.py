"""What analysts of a graph lose: the measures of information loss of the thesis' section 6.3.

The published matrix has an edge of two labels spread evenly over the pairs of categories below them. It is not made:
only the pairs that have edges in the original are looked at, each by the ancestors of both categories. What the
published matrix has beside them is what is left of all edges. So the time grows with the edges, not with the square of
the categories.

All are means over attributes, in per cent, 0 for a graph that was not changed. Published labels are read as the leaves
of the tree below them, each as likely, whether the original has them or not (a reconstruction).
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import Changes, Fitted, Measure, Tracker
from evosdc.table.table import Rows, Table
from evosdc_social.graph import AmongNeighbours, Neighbours
from evosdc_social.space import SCALES, SemanticSpace, space_of
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


class FittedNodeLoss(Fitted):
    """A loss that is the mean over attributes of what follows from counts of each, in arrays."""

    def __init__(self, original: Table) -> None:
        self.space: SemanticSpace = space_of(original)
        self.leaves = self.space.nodes(original)

    def track(self, masked: Table) -> "NodeLossTracker":
        """Return a tracker, which counts changed records of changed attributes again."""
        return NodeLossTracker(self, masked)

    def score(self, masked: Table) -> float:
        """Return the mean over attributes, in per cent."""
        return self.track(masked).score

    def by_attribute(self, masked: Table) -> dict[str, float]:
        """Return the loss of each attribute, in per cent."""
        losses = self.track(masked).losses.tolist()
        return {tree.name: 100.0 * loss for tree, loss in zip(self.space.trees, losses, strict=True)}

    def contributions_of(self, nodes: Nodes) -> NDArray[np.float64] | None:
        """Return what each user adds to the loss, None where it belongs to no users."""
        return None

    @abstractmethod
    def counted(self, v: int, nodes: Nodes) -> Any:
        """Return what is counted of an attribute: an array, or a tuple of arrays."""

    @abstractmethod
    def recount(self, v: int, counts: Any, before: Nodes, after: Nodes, changed: Rows) -> None:
        """Count an attribute, shape (n,), after some records changed, in place."""

    @abstractmethod
    def loss(self, v: int, counts: Any) -> float:
        """Return the loss of an attribute in [0, 1]."""


class NodeLossTracker(Tracker):
    """The tracker of a `FittedNodeLoss`.

    Parameters
    ----------
    fitted : FittedNodeLoss
    masked : Table
    """

    def __init__(self, fitted: FittedNodeLoss, masked: Table) -> None:
        self._fitted = fitted
        self._nodes = fitted.space.nodes(masked)
        self._counts = [fitted.counted(v, column) for v, column in enumerate(self._nodes.T)]
        self.losses = np.array([fitted.loss(v, counts) for v, counts in enumerate(self._counts)])

    @property
    def score(self) -> float:
        """The mean over attributes, in per cent."""
        return 100.0 * float(self.losses.sum()) / len(self.losses)

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        latest = self._fitted.space.nodes(change.after)
        differ = self._nodes[change.rows] != latest
        for v in np.flatnonzero(differ.any(axis=0)).tolist():
            changed, before = change.rows[differ[:, v]], self._nodes[:, v].copy()
            self._nodes[changed, v] = latest[differ[:, v], v]
            self._fitted.recount(v, self._counts[v], before, self._nodes[:, v].copy(), changed)
            self.losses[v] = self._fitted.loss(v, self._counts[v])

    def contributions(self) -> NDArray[np.float64] | None:
        """Return what each user adds to the loss, in per cent; None where it belongs to no users."""
        return self._fitted.contributions_of(self._nodes)


class FittedDistanceLoss(FittedNodeLoss):
    """The distances between original and published values; counts are the sum of their levels."""

    def counted(self, v: int, nodes: Nodes) -> NDArray[np.int64]:
        """Return the sum of levels."""
        return np.array([self._levels(v, nodes, slice(None)).sum()], dtype=np.int64)

    def recount(self, v: int, counts: NDArray[np.int64], before: Nodes, after: Nodes, changed: Rows) -> None:
        """Sum levels after some records changed."""
        counts += self._levels(v, after, changed).sum() - self._levels(v, before, changed).sum()

    def loss(self, v: int, counts: NDArray[np.int64]) -> float:
        """Return the mean distance of an attribute."""
        return float(counts[0]) / (len(self.leaves) * max(self.space.trees[v].height, 1))

    def contributions_of(self, nodes: Nodes) -> NDArray[np.float64]:
        """Return what each user adds to the loss, in per cent."""
        found = np.zeros(len(nodes))
        for v, tree in enumerate(self.space.trees):
            found += self._levels(v, nodes[:, v], slice(None)) / max(tree.height, 1)
        return 100.0 * found / (len(nodes) * len(self.space.trees))

    def _levels(self, v: int, nodes: Nodes, rows: Any) -> NDArray[np.int64]:
        return levels_between(self.space.trees[v], self.leaves[rows, v], nodes[rows])


def levels_between(tree: Tree, one: Nodes, other: Nodes) -> NDArray[np.int64]:
    """Return the level of the lowest common ancestor of nodes, pair by pair; 0 where they are the same category."""
    found: NDArray[np.int64] = (tree.up[one] != tree.up[other]).sum(axis=1, dtype=np.int64)
    return found


class FittedDistributionLoss(FittedNodeLoss):
    """The distributions of published values; counts are the records of each node."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        self.frequencies = [self.counted(v, self.leaves[:, v]) for v in range(self.leaves.shape[1])]

    def counted(self, v: int, nodes: Nodes) -> NDArray[np.int64]:
        """Return the records of each node."""
        return np.bincount(nodes, minlength=len(self.space.trees[v].up)).astype(np.int64)

    def recount(self, v: int, counts: NDArray[np.int64], before: Nodes, after: Nodes, changed: Rows) -> None:
        """Count the records of each node after some changed."""
        np.subtract.at(counts, before[changed], 1)
        np.add.at(counts, after[changed], 1)

    def loss(self, v: int, counts: NDArray[np.int64]) -> float:
        """Return the total variation between the distributions of categories."""
        before, after = self.frequencies[v], expanded(self.space.trees[v], counts)
        tree = self.space.trees[v]
        own = np.append(before[: tree.leaves], before[-1])
        elsewhere = max(len(self.leaves) - float(after.sum()), 0.0)  # at leaves that are no category of the original
        return (float(np.abs(own - after).sum()) + elsewhere) / (2.0 * len(self.leaves))


def expanded(tree: Tree, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how many records each category has, missing last, where those of a node are spread over what is below it.

    Leaves of the tree that are no category have their share, which is not returned.

    Parameters
    ----------
    tree : Tree
    counts : ndarray of int64, shape (N + 1,)
        Records by node.
    """
    share = np.append(counts[:-1] / np.maximum(tree.sizes[:-1], 1), 0.0)
    found = np.where(tree.path[: tree.leaves] >= 0, share[tree.path[: tree.leaves]], 0.0).sum(axis=1)
    return np.append(found, float(counts[-1]))


class FittedAdjacencyLoss(FittedNodeLoss):
    """The edges between categories; counts are those between published nodes (`evosdc_social.losses`)."""

    def __init__(self, original: Table, neighbours: Neighbours) -> None:
        super().__init__(original)
        self.neighbours = neighbours
        self.pairs: list[PairLoss] = [
            pair_loss(tree, self.leaves[:, v], neighbours) for v, tree in enumerate(self.space.trees)
        ]

    def counted(self, v: int, nodes: Nodes) -> PairCounts:
        """Return the edges between nodes."""
        return self.pairs[v].counted(nodes)

    def recount(self, v: int, counts: PairCounts, before: Nodes, after: Nodes, changed: Rows) -> None:
        """Count the edges between nodes after some users changed."""
        self.pairs[v].recount(counts, before, after, changed)

    def loss(self, v: int, counts: PairCounts) -> float:
        """Return the share of edges that stand elsewhere in the matrix."""
        return self.pairs[v].loss(counts[1])


class SemanticDistanceLoss(Measure):
    """DBIL of nodes: the mean over users and attributes of the semantic distance of original and published value.

    Source: thesis, section 6.3.3; the distance is a reconstruction.
    """

    supports = SCALES
    generalised = True

    def fit(self, original: Table) -> FittedDistanceLoss:
        """Find the trees of the attributes."""
        self.require_support(original)
        return FittedDistanceLoss(original)


class DistributionLoss(Measure):
    """CDIL, Categories Distribution Information Loss: the total variation between the distributions of categories.

    Source: thesis, section 6.3.2; the formula is a reconstruction.
    """

    supports = SCALES
    generalised = True

    def fit(self, original: Table) -> FittedDistributionLoss:
        """Count the categories."""
        self.require_support(original)
        return FittedDistributionLoss(original)


class AdjacencyLoss(AmongNeighbours[FittedAdjacencyLoss]):
    """AAMIL, Attributes Adjacency Matrices Information Loss: edges that join other categories than before.

    A_ij is the number of edges between users of the categories i and j; the loss is half the sum of the differences of
    both matrices, over the number of edges.

    Source: thesis, section 6.3.1; the formula is a reconstruction.
    """

    supports = SCALES
    generalised = True

    def fit_among(self, judged: Table, neighbours: Neighbours) -> FittedAdjacencyLoss:
        """Count the edges between categories."""
        return FittedAdjacencyLoss(judged, neighbours)
