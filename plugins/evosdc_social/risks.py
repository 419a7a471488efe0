"""What intruders learn of a published graph: semantic disclosure risk (thesis, section 6.4)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Incremental, Measure, Parameters
from evosdc.table.table import Rows, Table
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
