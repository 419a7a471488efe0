"""What analysts of a graph lose: the measures of information loss of the thesis' section 6.3.

All are means over attributes, in per cent, 0 for a graph that was not changed. Published labels are read as the leaves
of the tree below them, each as likely, whether the original has them or not (a reconstruction).
"""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes, Fitted, Measure, Tracker
from evosdc.table.table import Rows, Table
from evosdc_social.adjacency import AmongNeighbours
from evosdc_social.graph import Neighbours
from evosdc_social.pair_counts import PairCounts, PairLoss, pair_loss
from evosdc_social.space import SCALES, SemanticSpace, space_of
from evosdc_social.tree import Nodes, Tree


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
    """The edges between categories; counts are those between published nodes (`evosdc_social.pair_counts`)."""

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
