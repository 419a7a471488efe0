"""What intruders learn of a published graph: semantic disclosure risk (thesis, section 6.4)."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Changes, Fitted, Measure, Parameters, Tracker
from evosdc.table.table import Table
from evosdc_social.level_counts import LevelCounts, level_counts
from evosdc_social.level_vectors import LevelVectors, nearest_credit
from evosdc_social.space import SCALES, space_of


class FittedSemanticRisk(Fitted):
    """Links by least semantic distance."""

    def __init__(self, original: Table, weights: dict[str, int]) -> None:
        self.space = space_of(original, weights)
        self.leaves = self.space.nodes(original)
        self.vectors = LevelVectors(self.space, "measure semantic-dr")

    @cached_property
    def known(self) -> LevelCounts | None:
        """What is counted; None where that would take too much memory."""
        return level_counts(self.vectors, self.leaves)

    def track(self, masked: Table) -> "SemanticRiskTracker":
        """Return a tracker, which follows counts by vectors of levels where they fit in memory."""
        return SemanticRiskTracker(self, masked)

    def score(self, masked: Table) -> float:
        """Return the risk of a table by itself, which is found without counts."""
        nodes = self.space.nodes(masked)
        return 100.0 * float(nearest_credit(self.vectors, self.leaves, nodes).sum()) / len(self.leaves)


class SemanticRiskTracker(Tracker):
    """The tracker of a `FittedSemanticRisk`.

    Parameters
    ----------
    fitted : FittedSemanticRisk
    masked : Table
    """

    def __init__(self, fitted: FittedSemanticRisk, masked: Table) -> None:
        self._fitted, self._known = fitted, fitted.known
        self._nodes = fitted.space.nodes(masked)
        if self._known is not None:
            self._places = self._known.places(self._nodes)
            self._counts = self._known.counted(self._places)

    @property
    def score(self) -> float:
        """The share of users that are linked, in per cent."""
        return float(self.contributions().sum())

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        nodes = self._fitted.space.nodes(change.after)
        differ = (self._nodes[change.rows] != nodes).any(axis=1)
        self._nodes[change.rows] = nodes
        if self._known is not None:
            self._known.recount(self._places, self._counts, nodes[differ], change.rows[differ])

    def contributions(self) -> NDArray[np.float64]:
        """Return what each user adds to the risk, in per cent."""
        known, fitted = self._known, self._fitted
        if known is None:
            credit = nearest_credit(fitted.vectors, fitted.leaves, self._nodes)
        else:
            credit = known.credit(self._places, self._counts)
        return 100.0 * credit / len(fitted.leaves)


class RiskParameters(Parameters):
    """What the semantic distance weighs."""

    weights: dict[str, int] = Field(
        default_factory=dict, description="by attribute or list how much it counts, whole numbers from 1"
    )


class SemanticRisk(Measure):
    """Semantic disclosure risk: users that are linked to their own record by least semantic distance.

    Each user's original values are compared with all published records; of t nearest ones that hold the own, the chance
    of taking it is 1/t.

    Source: thesis, section 6.4; distance and credit are reconstructions.
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
