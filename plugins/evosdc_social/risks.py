"""What intruders learn of a published graph: semantic disclosure risk (thesis, section 6.4), and two who know more."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Fitted, Incremental, Measure, Microdata, Parameters
from evosdc.table.table import Rows, Table
from evosdc_social.adjacency import NEIGHBOURS, neighbours_in, without_neighbours
from evosdc_social.graph import Neighbours
from evosdc_social.informed import informed_credit
from evosdc_social.level_counts import CountState, LevelCounts, level_counts
from evosdc_social.level_vectors import LevelVectors, nearest_credit
from evosdc_social.space import SCALES, space_of
from evosdc_social.tree import Nodes


class RiskState(NamedTuple):
    """The nodes that records publish, shape (n, V), and what is counted of them, None where that takes too much."""

    nodes: Nodes
    counted: CountState | None


class FittedSemanticRisk(Incremental[RiskState]):
    """Links by least semantic distance; counts by vectors of levels are followed where they fit in memory."""

    def __init__(self, original: Table, weights: dict[str, int]) -> None:
        self.space = space_of(original, weights)
        self.leaves = self.space.nodes(original)
        self.vectors = LevelVectors(self.space, "measure semantic-dr")
        self._known: LevelCounts | None = None

    @property
    def known(self) -> LevelCounts | None:
        """What is counted; None where that would take too much memory."""
        if self._known is None:
            self._known = level_counts(self.vectors, self.leaves)
        return self._known

    def start(self, masked: Table) -> RiskState:
        """Return the state of a published table."""
        nodes, known = self.space.nodes(masked), self.known
        return RiskState(nodes, None if known is None else known.counted(nodes))

    def update(self, state: RiskState, masked: Table, rows: Rows) -> RiskState:
        """Return the state after some records changed."""
        nodes, known = self.space.nodes(masked), self.known
        if known is None or state.counted is None:
            return RiskState(nodes, None)
        changed = rows[(state.nodes[rows] != nodes[rows]).any(axis=1)]
        return RiskState(nodes, known.recounted(state.counted, nodes, changed))

    def value(self, state: RiskState) -> float:
        """Return the share of users that are linked, in per cent."""
        return 100.0 * float(self._credit(state).sum()) / len(self.leaves)

    def burdens(self, masked: Table) -> NDArray[np.float64]:
        """Return what each user adds to the risk, in per cent."""
        return 100.0 * self._credit(self.start(masked)) / len(self.leaves)

    def score(self, masked: Table) -> float:
        """Return the risk of a table by itself, which is found without counts."""
        nodes = self.space.nodes(masked)
        return 100.0 * float(nearest_credit(self.vectors, self.leaves, nodes).sum()) / len(self.leaves)

    def _credit(self, state: RiskState) -> NDArray[np.float64]:
        known = self.known
        if known is None or state.counted is None:
            return nearest_credit(self.vectors, self.leaves, state.nodes)
        return known.credit(state.counted)


class FittedInformedRisk(Fitted):
    """Links by the likelihood of published values."""

    def __init__(self, original: Table) -> None:
        self.space = space_of(original)
        self.leaves = self.space.nodes(original)

    def score(self, masked: Table) -> float:
        """Return the share of records that are linked, in per cent."""
        return 100.0 * float(informed_credit(self.leaves, self.space.nodes(masked)).sum()) / len(self.leaves)

    def burdens(self, masked: Table) -> NDArray[np.float64]:
        """Return what each record adds to the risk, in per cent."""
        return 100.0 * informed_credit(self.leaves, self.space.nodes(masked)) / len(self.leaves)


class FittedNeighbourhoodRisk(Fitted):
    """Links by least semantic distance among records with the same neighbourhood."""

    def __init__(self, original: Table, neighbours: Neighbours, weights: dict[str, int]) -> None:
        self.space = space_of(original, weights)
        self.leaves = self.space.nodes(original)
        self.vectors, self.neighbours = LevelVectors(self.space, "measure neighbourhood-dr"), neighbours

    def score(self, masked: Table) -> float:
        """Return the share of users that are linked, in per cent."""
        return 100.0 * float(self._credit(masked).sum()) / len(self.leaves)

    def burdens(self, masked: Table) -> NDArray[np.float64]:
        """Return what each user adds to the risk, in per cent."""
        return 100.0 * self._credit(masked) / len(self.leaves)

    def _credit(self, masked: Table) -> NDArray[np.float64]:
        nodes = self.space.nodes(masked)
        order = np.unique(neighbourhoods(self.neighbours, nodes), return_inverse=True)[1].reshape(-1)
        return _credit_within(self.vectors, self.leaves, nodes, order)


def _credit_within(vectors: LevelVectors, leaves: Nodes, nodes: Nodes, of: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the credit of users among the records of the same class only; one alone in a class is found at once."""
    alone = np.bincount(of)[of] == 1
    credit: NDArray[np.float64] = alone.astype(np.float64)
    rest = np.flatnonzero(~alone)
    if rest.size:
        classes = np.unique(of[rest], return_inverse=True)[1].reshape(-1)
        credit[rest] = nearest_credit(vectors, leaves[rest], nodes[rest], classes.astype(np.int64))
    return credit


def neighbourhoods(neighbours: Neighbours, nodes: Nodes) -> NDArray[np.uint64]:
    """Return a number for what an intruder sees around each user: the published values of all neighbours.

    Equal for neighbourhoods with the same values, each as often, so of the same degree; that others are equal is as
    likely as that two of 64 random bits are.
    """
    _, profile = np.unique(nodes, axis=0, return_inverse=True)
    words = np.random.default_rng(0).integers(0, 2**64, size=int(profile.max()) + 1, dtype=np.uint64)
    drawn = words[profile.reshape(-1)]
    found = np.zeros(len(nodes), dtype=np.uint64)
    np.add.at(found, neighbours.users, drawn[neighbours.ends])
    found *= np.uint64(0x9E3779B97F4A7C15)
    found += neighbours.degrees.astype(np.uint64)
    return found


class RiskParameters(Parameters):
    """What the semantic distance weighs."""

    weights: dict[str, int] = Field(
        default_factory=dict, description="by attribute or list how much it counts, whole numbers from 1"
    )


class SemanticRisk(Measure):
    """Semantic disclosure risk: users that are linked to their own record by least semantic distance.

    Each user's original values are compared with all published records; of t nearest ones that hold the own, the chance
    of taking it is 1/t.

    Source: thesis, section 6.4; distance and credit METHODS.md 5.2: a reconstruction.
    """

    class Params(RiskParameters):
        """What the semantic distance weighs."""

    supports = SCALES
    generalised = True
    params: Params

    def fit(self, original: Table) -> FittedSemanticRisk:
        """Find the trees of the attributes."""
        self.require_support(original)
        return FittedSemanticRisk(original, self.params.weights)


class InformedSemanticRisk(Measure):
    """Records that the informed intruder links, who knows how often each value is published as which (METHODS.md 7.8).

    A published record is linked to the originals of greatest likelihood; labels that were never published for a value
    exclude it. Credit 1/t for t of them that hold the true one.

    Source: after Torra (2017): a reconstruction, for labels above the categories.
    """

    supports = SCALES
    generalised = True

    def fit(self, original: Table) -> FittedInformedRisk:
        """Find the trees of the attributes."""
        self.require_support(original)
        return FittedInformedRisk(original)


class NeighbourhoodRisk(Measure):
    """Users that an intruder links who also knows their neighbours: how many, and what is published of each.

    Edges are published as they are, so that a user's neighbourhood is found in the published graph. Among the records
    with the same one the nearest in meaning are taken, as in semantic disclosure risk.

    Source: 1-neighbourhood attack, after Zhou and Pei (2008): a reconstruction.
    """

    class Params(RiskParameters):
        """What the semantic distance weighs, and where the edges are."""

        neighbours: str = Field(NEIGHBOURS, description="the column of neighbours")

    supports = SCALES
    generalised = True
    params: Params

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the column of neighbours."""
        return (self.params.neighbours,)

    def fit(self, original: Table) -> FittedNeighbourhoodRisk:
        """Find the trees; the table has to hold the neighbours besides."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> FittedNeighbourhoodRisk:
        """Find the trees and the neighbours.

        Raises
        ------
        ParameterError
            The file has no column of neighbours.
        """
        judged = without_neighbours(microdata.original, self.params.neighbours)
        self.require_support(judged)
        found = neighbours_in(microdata.table, self.params.neighbours)
        return FittedNeighbourhoodRisk(judged, found, self.params.weights)
