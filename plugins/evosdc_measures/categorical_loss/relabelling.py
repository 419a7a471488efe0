"""Records that would read right if only the labels of the categories were exchanged.

The assignment problem of one attribute gives each original category a published one of its own, so that as many records
as possible have theirs. Beside the assignment its dual prices are kept, which prove that it is the best: most changes
leave both as they are, and any other change of an original category is repaired by one shortest augmenting path (Kuhn,
1955; Jonker and Volgenant, 1987), where a library would start from scratch.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numba import njit
from pydantic import Field

from evosdc.model import Changes, Expected, Fitted, Measure, Mending, Tracker
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, counts_of, require_aligned
from evosdc_measures.number_intervals import FittedOnIntervals, by_classes
from evosdc_measures.records import Tracked, joint_layout_of

LABEL, OWNER, PRICE, LABEL_PRICE = 0, 1, 2, 3
"""Rows of an assignment: the published category of each original one, the original one of each published one, and the
prices of both. The sum of two prices is never above ``-count``, and equal to it for each category and its label."""
FREE = -1  # No partner


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


class FittedRelabelling(Tracked, Expected, Mending):
    """`Relabelling` of one original."""

    def __init__(self, original: Table, worst: bool) -> None:
        self.original = original
        self._worst = worst
        self.joint = joint_layout_of(original.schema)
        widths = self.joint.widths
        self.layout = np.column_stack((widths, self.joint.offsets[:-1], np.cumsum(widths) - widths))
        """Of each attribute its width, and where it begins in the joint counts and in assignments."""
        self._counts = [
            counts_of(original.codes, v, len(a.categories)) for v, a in enumerate(original.schema.categorical)
        ]

    def track(self, masked: Table) -> "RelabellingTracker":
        """Return a tracker of a table; O(n V + sum c**3)."""
        require_aligned(self.original, masked)
        return RelabellingTracker(self, masked)

    def share(self, gains: Integers) -> Numbers:
        """Return the share of records that each child gains, from what it gains by attribute, shape (k, V)."""
        gained = gains.max(axis=1) if self._worst else gains.sum(axis=1) / gains.shape[1]
        shares: Numbers = np.minimum(100.0 * gained / len(self.original), 100.0)
        return shares

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the figure of the expected counts under the matrices: the first order, to which a draw adds some."""
        from scipy.optimize import linear_sum_assignment  # late: it takes a while, and files are judged without it

        gains = []
        for T, P in zip(self._counts, transitions, strict=True):
            flows = T[:, None] * P
            gains.append(float(flows[linear_sum_assignment(flows, maximize=True)].sum() - np.trace(flows)))
        return float(self.share(np.maximum(gains, 0.0)[None])[0])

    def wrongly_labelled(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes that are each above a bound."""
        attributes, gains = self.original.schema.categorical, self.track(masked).gains
        return tuple(a.name for a, gain in zip(attributes, gains, strict=True) if 100 * gain > bound * len(masked))


class FittedOnClasses(FittedOnIntervals, Mending):
    """`Relabelling` of an original with numbers or dates, taken by classes whose labels are never put right."""

    def wrongly_labelled(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes of categories that are each above a bound."""
        categorical = {a.name for a in masked.schema.attributes} - self._limits.keys()
        fitted = self._fitted
        assert isinstance(fitted, Mending)
        return tuple(name for name in fitted.wrongly_labelled(self._classed(masked), bound) if name in categorical)


class RelabellingTracker(Tracker):
    """The joint counts and the best labels of one masked file."""

    def __init__(self, fitted: FittedRelabelling, masked: Table) -> None:
        self._fitted, original, joint = fitted, fitted.original, fitted.joint
        self._counts = joint.of_itself(original.codes)
        """Records by published and original category, attribute by attribute."""
        # Of the original each category is best read as itself: the masked file is followed as one change of it.
        own = [np.arange(width) for width in joint.widths]
        frequencies = [np.bincount(original.codes[:, v] + 1, minlength=w)[:w] for v, w in enumerate(joint.widths)]
        labels, prices = np.concatenate(own), np.concatenate(frequencies)
        self._assignment = np.stack((labels, labels, -prices, np.zeros_like(prices))).astype(np.int64)
        """Of all attributes, one after the other, shape (4, C)."""
        self.gains = np.zeros(len(joint.widths), dtype=np.int64)  # Records that are gained, by attribute
        self._codes = original.codes.copy() if joint.wide else original.codes  # read for wide attributes alone
        self.take(Changes.of_one(np.arange(len(masked), dtype=np.intp), original, masked))

    @property
    def score(self) -> float:
        """The share of records, 0..100."""
        return float(self._fitted.share(self.gains[None])[0])

    def take(self, change: Changes) -> None:
        """Update to a child; O(c) for a changed cell, O(c**2) where it changes the assignment."""
        self.gains = self._followed(change, True)[0]
        if self._fitted.joint.wide:
            self._codes[change.rows] = change.after.codes
            for v in self._fitted.joint.wide:
                if (change.before.codes[:, v] != change.after.codes[:, v]).any():
                    self.gains[v] = gained_of_many(self._fitted.original.codes[:, v], self._codes[:, v])

    def tries(self, changes: Changes) -> Numbers:
        """Return the shares of children; as `take`."""
        if self._fitted.joint.wide:
            return super().tries(changes)
        return self._fitted.share(self._followed(changes, False))

    def _followed(self, changes: Changes, stays: bool) -> Integers:
        before, after = changes.before.codes, changes.after.codes
        state = self._fitted.layout, self._counts, self._assignment, self.gains
        gains: Integers = gains_of_children(
            self._fitted.original.codes, before, after, changes.rows, changes.ends, stays, *state
        )
        return gains


@njit(cache=True)
def gains_of_children(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    stays: bool,
    layout: Integers,
    counts: Counts,
    assignment: Integers,
    gains: Integers,
) -> Integers:
    """Return how many more records of each child read right under its best assignment, by attribute, shape (k, V)."""
    # With `stays`, of the child taken. The layout is that of `FittedRelabelling`; attributes of width 0 are left
    # out. Counts and assignment are those of the parent, see `RelabellingTracker`, and changed.
    found, saved = np.empty((len(ends), len(layout)), np.int64), np.empty_like(assignment)
    begin = 0
    for child in range(len(ends)):
        for v in range(len(layout)):
            width, base, first = layout[v, 0], layout[v, 1], layout[v, 2]
            found[child, v], changes = gains[v], 0
            for i in range(begin, ends[child]):
                changes += before[i, v] != after[i, v]
            if width == 0 or changes == 0:
                continue
            for row in range(0 if stays else 4):  # one by one: to assign to slices takes long to compile
                for a in range(first, first + width):
                    saved[row, a] = assignment[row, a]
            for i in range(begin, ends[child]):
                left, entered = before[i, v] + 1, after[i, v] + 1
                if left == entered:
                    continue
                a = original[rows[i], v] + 1
                counts[base + left * width + a] -= 1
                counts[base + entered * width + a] += 1
                label = assignment[LABEL, first + a]
                if changes == 1 and label == entered:
                    # Its own label has become better by one record: nothing else does as well.
                    assignment[PRICE, first + a] -= 1
                    continue
                bid = assignment[PRICE, first + a] + assignment[LABEL_PRICE, first + entered]
                if changes == 1 and label != left and -counts[base + entered * width + a] >= bid:
                    continue
                # The prices hold for those categories alone whose counts stay: others must be reassigned.
                if label != FREE:
                    assignment[OWNER, first + label] = FREE
                    assignment[LABEL, first + a] = FREE
            gain = 0
            for a in range(width):
                if assignment[LABEL, first + a] == FREE:
                    assign(counts, base, width, a, assignment[:, first : first + width])
            for a in range(width):
                gain += counts[base + assignment[LABEL, first + a] * width + a] - counts[base + a * width + a]
            found[child, v] = gain
            if not stays:
                for row in range(4):
                    for a in range(first, first + width):
                        assignment[row, a] = saved[row, a]
                for i in range(begin, ends[child]):
                    a = original[rows[i], v] + 1
                    counts[base + (after[i, v] + 1) * width + a] -= 1
                    counts[base + (before[i, v] + 1) * width + a] += 1
        begin = ends[child]
    return found


@njit(cache=True)
def assign(counts: Counts, base: int, width: int, original: int, assignment: Integers) -> None:
    """Give one original category without a label the best one, and others a new one where that is better for all."""
    # Of an attribute, `counts` holds at ``base + b * width + a`` the records of a published as b; its part of the
    # assignment, shape (4, width), is changed.
    labels, owners = assignment[LABEL], assignment[OWNER]
    prices, label_prices = assignment[PRICE], assignment[LABEL_PRICE]
    far = 1 << 60
    shortest, previous = np.full(width, far), np.full(width, FREE)
    reached = np.zeros(width, np.bool_)
    here, category = FREE, original
    while True:
        # One round: the nearest label that is not reached yet, from the category of the last one.
        step, nearest = far, FREE
        for label in range(width):
            if not reached[label]:
                cost = -counts[base + label * width + category] - prices[category] - label_prices[label]
                if cost < shortest[label]:
                    shortest[label], previous[label] = cost, here
                if shortest[label] < step:
                    step, nearest = shortest[label], label
        prices[original] += step
        for label in range(width):
            if reached[label]:
                prices[owners[label]] += step
                label_prices[label] -= step
            else:
                shortest[label] -= step
        here = nearest
        reached[here] = True
        category = owners[here]
        if category == FREE:
            break
    while here != FREE:
        before = previous[here]
        category = owners[before] if before != FREE else original
        owners[here] = category
        labels[category] = here
        here = before


def gained_of_many(original: Codes, masked: Codes) -> int:
    """Return the records gained in one attribute from its columns, without a table of its categories."""
    # The matching is sparse: a category whose label never occurs behind it counts no record, so each has a label of its
    # own besides, with no record.
    from scipy.sparse import coo_array  # late: few files have an attribute with this many categories
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    names, flat = np.unique(np.concatenate((original, masked)), return_inverse=True)
    size, n = len(names), len(original)
    (a, b), numbers = np.unique(flat.reshape(2, n), axis=1, return_counts=True)
    # Weights of 0 would be no edges, so all are raised alike; each original has exactly one label, so nothing changes.
    weights = np.concatenate((numbers + 1, np.ones(size, dtype=np.int64))).astype(np.float64)
    # The matching of older versions of scipy takes positions of 32 bits alone.
    ends = np.stack((np.append(a, np.arange(size)), np.append(b, np.arange(size, 2 * size)))).astype(np.int32)
    graph = coo_array((weights, (ends[0], ends[1])), shape=(size, 2 * size)).tocsr()
    best = graph[min_weight_full_bipartite_matching(graph, maximize=True)]
    return round(float(best.sum())) - size - int(np.count_nonzero(original == masked))
