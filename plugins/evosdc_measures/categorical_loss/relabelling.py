"""Records that would read right if only the labels of the categories were exchanged.

The assignment problem of one attribute gives each original category a published one of its own, so that as many records
as possible have theirs (Kuhn, 1955).
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.model import Expected, Fitted, Measure, Mending
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Numbers, Table
from evosdc_measures.domains import Integers, counts_of
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes
from evosdc_measures.records import FittedJointCounts


class Relabelling(Measure):
    """How many more records would read right if the categories' labels were exchanged, times 100; mean over attributes.

    With J_v(a, b) records of original category a published as b, ``100 / n (max_s sum_a J_v(a, s(a)) - sum_a J_v(a,
    a))``, the greatest over all permutations s of the categories. Range 0..100, smaller is better: 0 for the original
    and wherever every category is still best read as itself, 100 where each record has another category than its own
    and equal ones still have equal ones. A permuted file has some, the more the finer its categories are.

    It is a harm to analysts, who take a published label at its word, more than a loss or a risk: a search that finds a
    relabelling beats measures that look for equal or near values, and gives up nothing else. So it is a figure of its
    own, for constraints such as ``relabelling <= 3``, and not part of IL or DR. A reconstruction; assignments after
    Kuhn (1955).

    ``aggregate = "worst"`` takes the greatest over attributes in place of the mean. A missing value is a category of
    its own, under both rules. Numbers are taken by classes: ``bins`` of about equal frequency in the original.
    """

    supports = frozenset(Scale)

    class Params(Parameters):
        """Several attributes, and classes of numbers."""

        aggregate: Literal["mean", "worst"] = Field("mean", description="Over attributes: their mean or the greatest.")
        bins: int = Field(
            10, ge=2, description="Classes of about equal frequency that numbers, and dates of more days, are taken by."
        )

    def fit(self, original: Table) -> Fitted:
        """Lay the tables of counts out."""
        self.require_support(original)
        worst = self.params.aggregate == "worst"
        if by_classes(original.schema, self.params.bins):
            return FittedOnClasses(original, self.params.bins, lambda classed: FittedRelabelling(classed, worst))
        return FittedRelabelling(original, worst)


class WorstRelabelling(Relabelling):
    """`Relabelling` of the attribute where it is greatest: ``aggregate = "worst"`` by default."""

    class Params(Relabelling.Params):
        """As of `Relabelling`."""

        aggregate: Literal["mean", "worst"] = Field("worst", description="Over attributes: their mean or the greatest.")


class FittedRelabelling(FittedJointCounts, Expected, Mending):
    """`Relabelling` of one original."""

    def __init__(self, original: Table, worst: bool) -> None:
        super().__init__(original)
        self._worst = worst
        self._counts = [
            counts_of(original.codes, v, len(a.categories)) for v, a in enumerate(original.schema.categorical)
        ]

    def of_counts(self, counts: Integers) -> Integers:
        """Return how many more records of an attribute read right under the best assignment of labels."""
        from scipy.optimize import linear_sum_assignment  # late: it takes a while

        right: Integers = np.trace(counts, axis1=1, axis2=2)
        gained = np.zeros_like(right)
        # Elsewhere each category is best read as itself.
        for k in np.flatnonzero(counts.max(axis=1).sum(axis=1) != right).tolist():
            gained[k] = counts[k][linear_sum_assignment(counts[k], maximize=True)].sum() - right[k]
        return gained

    def of_columns(self, original: Codes, masked: Codes) -> int:
        """Return the same of an attribute of many categories."""
        # The matching is sparse: a category whose label never occurs behind it counts no record, so each has a label of
        # its own besides, with no record.
        from scipy.sparse import coo_array  # late: few files have an attribute with this many categories
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching

        names, flat = np.unique(np.concatenate((original, masked)), return_inverse=True)
        size, n = len(names), len(original)
        (a, b), numbers = np.unique(flat.reshape(2, n), axis=1, return_counts=True)
        # Weights of 0 would be no edges, so all are raised alike: each original has one label, and nothing changes.
        weights = np.concatenate((numbers + 1, np.ones(size, dtype=np.int64))).astype(np.float64)
        # The matching of older versions of scipy takes positions of 32 bits alone.
        ends = np.stack((np.append(a, np.arange(size)), np.append(b, np.arange(size, 2 * size)))).astype(np.int32)
        graph = coo_array((weights, (ends[0], ends[1])), shape=(size, 2 * size)).tocsr()
        best = graph[min_weight_full_bipartite_matching(graph, maximize=True)]
        return round(float(best.sum())) - size - int(np.count_nonzero(original == masked))

    def scores(self, figures: Integers | Numbers) -> Numbers:
        """Return the shares of records that are gained."""
        gained = figures.max(axis=1) if self._worst else figures.sum(axis=1) / figures.shape[1]
        shares: Numbers = np.minimum(100.0 * gained / len(self.original), 100.0)
        return shares

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the figure of the expected counts under the matrices: the first order, to which a draw adds some."""
        from scipy.optimize import linear_sum_assignment  # late: it takes a while, and files are judged without it

        gains = []
        for T, P in zip(self._counts, transitions, strict=True):
            flows = T[:, None] * P
            gains.append(float(flows[linear_sum_assignment(flows, maximize=True)].sum() - np.trace(flows)))
        return float(self.scores(np.maximum(gains, 0.0)[None])[0])

    def wrongly_labelled(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes that are each above a bound."""
        attributes, gains = self.original.schema.categorical, self.track(masked).figures
        return tuple(a.name for a, gain in zip(attributes, gains, strict=True) if 100 * gain > bound * len(masked))


class FittedOnClasses(FittedOnIntervals, Mending):
    """`Relabelling` of an original with numbers or dates, taken by classes whose labels are never put right."""

    def wrongly_labelled(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes of categories that are each above a bound."""
        categorical = {a.name for a in masked.schema.attributes} - self._limits.keys()
        fitted = self._fitted
        assert isinstance(fitted, Mending)
        return tuple(name for name in fitted.wrongly_labelled(self._classed(masked), bound) if name in categorical)
