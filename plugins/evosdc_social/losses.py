"""What analysts of a graph lose: the measures of information loss of the thesis' section 6.3.

All are means over attributes, in per cent, 0 for a graph that was not changed. Published labels are read as the leaves
of the tree below them, each as likely, whether the original has them or not (METHODS.md 5.2: a reconstruction).
"""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Incremental, Measure
from evosdc.table.table import Rows, Table
from evosdc_social.adjacency import AmongNeighbours
from evosdc_social.graph import Neighbours
from evosdc_social.pair_counts import PairLoss, PairState, pair_loss
from evosdc_social.space import SCALES, SemanticSpace, space_of
from evosdc_social.tree import Nodes, Tree


class NodeState(NamedTuple):
    """The nodes that records publish, shape (n, V), and what a measure counts of each attribute."""

    nodes: Nodes
    counts: tuple[Any, ...]


class _Followed(Incremental[NodeState]):
    """A loss that follows changed records by what it counts of each attribute."""

    def __init__(self, original: Table) -> None:
        self.space: SemanticSpace = space_of(original)
        self.leaves = self.space.nodes(original)

    def start(self, masked: Table) -> NodeState:
        """Return the state of a published table."""
        nodes = self.space.nodes(masked)
        return NodeState(nodes, tuple(self.counted(v, nodes[:, v]) for v in range(nodes.shape[1])))

    def update(self, state: NodeState, masked: Table, rows: Rows) -> NodeState:
        """Return the state after some records changed."""
        nodes = self.space.nodes(masked)
        counts = []
        for v, before in enumerate(state.counts):
            changed = rows[state.nodes[rows, v] != nodes[rows, v]]
            if len(changed):
                before = self.recounted(v, before, state.nodes[:, v], nodes[:, v], changed)
            counts.append(before)
        return NodeState(nodes, tuple(counts))

    def value(self, state: NodeState) -> float:
        """Return the mean over attributes, in per cent."""
        losses = [self.loss(v, counts) for v, counts in enumerate(state.counts)]
        return 100.0 * sum(losses) / len(losses)

    def by_attribute(self, masked: Table) -> dict[str, float]:
        """Return the loss of each attribute, in per cent."""
        state = self.start(masked)
        return {tree.name: 100.0 * self.loss(v, state.counts[v]) for v, tree in enumerate(self.space.trees)}

    @abstractmethod
    def counted(self, v: int, nodes: Nodes) -> Any:
        """Return what is counted of an attribute."""

    @abstractmethod
    def recounted(self, v: int, counts: Any, before: Nodes, after: Nodes, changed: Rows) -> Any:
        """Return what is counted after some records changed."""

    @abstractmethod
    def loss(self, v: int, counts: Any) -> float:
        """Return the loss of an attribute in [0, 1]."""


class FittedDistanceLoss(_Followed):
    """The distances between original and published values; counts are the sum of their levels."""

    def counted(self, v: int, nodes: Nodes) -> NDArray[np.int64]:
        """Return the sum of levels."""
        return np.array([self._levels(v, nodes, slice(None)).sum()], dtype=np.int64)

    def recounted(
        self, v: int, counts: NDArray[np.int64], before: Nodes, after: Nodes, changed: Rows
    ) -> NDArray[np.int64]:
        """Return the sum after some records changed."""
        moved = self._levels(v, after, changed).sum() - self._levels(v, before, changed).sum()
        return counts + np.int64(moved)

    def loss(self, v: int, counts: NDArray[np.int64]) -> float:
        """Return the mean distance of an attribute."""
        return float(counts[0]) / (len(self.leaves) * max(self.space.trees[v].height, 1))

    def burdens(self, masked: Table) -> NDArray[np.float64]:
        """Return what each user adds to the loss, in per cent."""
        nodes, found = self.space.nodes(masked), np.zeros(len(masked))
        for v, tree in enumerate(self.space.trees):
            found += self._levels(v, nodes[:, v], slice(None)) / max(tree.height, 1)
        return 100.0 * found / (len(masked) * len(self.space.trees))

    def _levels(self, v: int, nodes: Nodes, rows: Any) -> NDArray[np.int64]:
        return levels_between(self.space.trees[v], self.leaves[rows, v], nodes[rows])


def levels_between(tree: Tree, one: Nodes, other: Nodes) -> NDArray[np.int64]:
    """Return the level of the lowest common ancestor of nodes, pair by pair; 0 where they are the same category."""
    found: NDArray[np.int64] = (tree.up[one] != tree.up[other]).sum(axis=1, dtype=np.int64)
    return found


class FittedDistributionLoss(_Followed):
    """The distributions of published values; counts are the records of each node."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        self.frequencies = [self.counted(v, self.leaves[:, v]) for v in range(self.leaves.shape[1])]

    def counted(self, v: int, nodes: Nodes) -> NDArray[np.int64]:
        """Return the records of each node."""
        return np.bincount(nodes, minlength=len(self.space.trees[v].up)).astype(np.int64)

    def recounted(
        self, v: int, counts: NDArray[np.int64], before: Nodes, after: Nodes, changed: Rows
    ) -> NDArray[np.int64]:
        """Return the records of each node after some changed."""
        return counts + self.counted(v, after[changed]) - self.counted(v, before[changed])

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


class FittedAdjacencyLoss(_Followed):
    """The edges between categories; counts are those between published nodes (`evosdc_social.pair_counts`)."""

    def __init__(self, original: Table, neighbours: Neighbours) -> None:
        super().__init__(original)
        self.neighbours = neighbours
        self.pairs: list[PairLoss] = [
            pair_loss(tree, self.leaves[:, v], neighbours) for v, tree in enumerate(self.space.trees)
        ]

    def counted(self, v: int, nodes: Nodes) -> PairState:
        """Return the edges between nodes."""
        return self.pairs[v].counted(nodes)

    def recounted(self, v: int, counts: PairState, before: Nodes, after: Nodes, changed: Rows) -> PairState:
        """Return the edges between nodes after some users changed."""
        return self.pairs[v].recounted(counts, before, after, changed)

    def loss(self, v: int, counts: PairState) -> float:
        """Return the share of edges that stand elsewhere in the matrix."""
        return self.pairs[v].loss(counts)


class SemanticDistanceLoss(Measure):
    """DBIL of nodes: the mean over users and attributes of the semantic distance of original and published value.

    Source: thesis, section 6.3.3; the distance is METHODS.md 5.2: a reconstruction.
    """

    supports = SCALES
    generalised = True

    def fit(self, original: Table) -> FittedDistanceLoss:
        """Find the trees of the attributes."""
        self.require_support(original)
        return FittedDistanceLoss(original)


class DistributionLoss(Measure):
    """CDIL, Categories Distribution Information Loss: the total variation between the distributions of categories.

    Source: thesis, section 6.3.2; formula METHODS.md 5.2: a reconstruction.
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

    Source: thesis, section 6.3.1; formula METHODS.md 5.2: a reconstruction.
    """

    supports = SCALES
    generalised = True

    def fit_among(self, judged: Table, neighbours: Neighbours) -> FittedAdjacencyLoss:
        """Count the edges between categories."""
        return FittedAdjacencyLoss(judged, neighbours)
