"""Records that would read right if only the labels of the categories were exchanged."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numba import njit
from pydantic import Field

from evosdc.model import Batched, Changes, Expected, FollowedInPlace, Incremental, Measure, Mending
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.categorical_loss.label_assignment import FREE, Assignment, assign, misread, moved, release
from evosdc_measures.domains import Counts, Integers, require_aligned
from evosdc_measures.expectation import counts_of
from evosdc_measures.joint import joint_layout_of, shift_child
from evosdc_measures.linkage.number_intervals import FittedOnIntervals, by_classes

State = tuple[Codes, Counts, Assignment]
"""Codes of the masked table, joint counts by attribute, best labels."""


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

    def fit(self, original: Table) -> Incremental[Any]:
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


class FittedRelabelling(FollowedInPlace[State], Batched[State], Expected, Mending):
    """`Relabelling` of one original.

    Parameters
    ----------
    original : Table
    worst : bool
        Whether the greatest attribute counts in place of the mean.
    """

    def __init__(self, original: Table, worst: bool) -> None:
        self._original = original
        self._worst = worst
        self._rows = np.arange(len(original))
        self._joint = joint_layout_of(original.schema)
        widths = self._joint.widths
        self._firsts = np.cumsum(widths) - widths
        self._layout = (widths, self._joint.offsets, self._firsts)
        self._counts = [
            counts_of(original.codes, v, len(a.categories)) for v, a in enumerate(original.schema.categorical)
        ]

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V + sum c**3)."""
        require_aligned(self._original, masked)
        assignment = Assignment.none(int(self._joint.widths.sum()), masked.codes.shape[1])
        return self._followed(masked.codes, masked.codes, self._rows, True, self._joint.zeros(), assignment)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2].copy()

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(c) for a changed cell, O(c**2) where it changes the assignment."""
        return self._followed(state[0], masked.codes, rows, False, state[1], state[2])

    @property
    def together(self) -> bool:
        """Whether all attributes are counted; the columns of wide ones are assigned anew."""
        return not self._joint.wide

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the shares of several children; as `follow`."""
        own, changed = self._original.codes[changes.rows], (changes.before.codes, changes.after.codes)
        gains = _gains_of_children(own, *changed, changes.ends, *self._layout, state[1], *state[2])
        gained = gains.max(axis=1) if self._worst else gains.sum(axis=1) / gains.shape[1]
        shares: Numbers = np.minimum(100.0 * gained / len(self._original), 100.0)
        return shares

    def _followed(
        self, before: Codes, after: Codes, rows: Rows, fresh: bool, counts: Counts, assignment: Assignment
    ) -> State:
        original = self._original.codes
        _follow(original, before, after, rows, fresh, *self._layout, counts, *assignment)
        for v in self._joint.wide:
            assignment.gains[v] = gained_of_many(original[:, v], after[:, v])
        return after, counts, assignment

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the figure of the expected counts under the matrices: the first order, to which a draw adds some."""
        from scipy.optimize import linear_sum_assignment  # late: it takes a while, and files are judged without it

        gains = []
        for T, P in zip(self._counts, transitions, strict=True):
            flows = T[:, None] * P
            gains.append(float(flows[linear_sum_assignment(flows, maximize=True)].sum() - np.trace(flows)))
        raised = np.maximum(gains, 0.0)
        return self._share(float(raised.max() if self._worst else raised.sum() / len(raised)))

    def value(self, state: State) -> float:
        """Return the share of records, 0..100."""
        gains = state[2].gains.tolist()  # so few are added up faster than by an array
        return self._share(max(gains) if self._worst else sum(gains) / len(gains))

    def wrongly_labelled(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes that are each above a bound."""
        attributes, gains = self._original.schema.categorical, self.start(masked)[2].gains
        return tuple(a.name for a, gain in zip(attributes, gains, strict=True) if 100 * gain > bound * len(masked))

    def _share(self, gained: float) -> float:
        return min(100.0 * gained / len(self._original), 100.0)


class FittedOnClasses(FittedOnIntervals, Mending):
    """`Relabelling` of an original with numbers or dates, taken by classes whose labels are never put right."""

    def wrongly_labelled(self, masked: Table, bound: float) -> tuple[str, ...]:
        """Return the attributes of categories that are each above a bound."""
        categorical = {a.name for a in masked.schema.attributes} - self._limits.keys()
        fitted = self._fitted
        assert isinstance(fitted, Mending)
        return tuple(name for name in fitted.wrongly_labelled(self._classed(masked), bound) if name in categorical)


@njit(cache=True)
def _follow(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    widths: Integers,
    offsets: Integers,
    firsts: Integers,
    counts: Counts,
    *arrays: Any,
) -> None:
    """Move changed rows in the joint counts, and keep the best assignment of each attribute, given by its arrays."""
    assignment = Assignment(*arrays)
    for v in range(len(widths)):
        width, first, base, changes = widths[v], firsts[v], offsets[v], 0
        for row in rows:
            changes += fresh or before[row, v] != after[row, v]
        if width == 0 or changes == 0:
            continue
        for row in rows:
            if fresh or before[row, v] != after[row, v]:
                a, entered, left = original[row, v] + 1, after[row, v] + 1, before[row, v] + 1
                counts[base + entered * width + a] += 1
                if not fresh:
                    counts[base + left * width + a] -= 1
                if changes == 1 and not fresh:
                    moved(counts, base, width, a, entered, left, first, assignment)
                else:
                    # The prices hold for those alone whose counts stay: all others are to be assigned anew.
                    release(a, first, assignment)
        for a in range(width):
            if assignment.labels[first + a] == FREE:
                assign(counts, base, width, a, first, assignment)
        assignment.gains[v] = misread(counts, base, width, first, assignment)


@njit(cache=True)
def _gains_of_children(
    own: Codes,
    before: Codes,
    after: Codes,
    ends: Integers,
    widths: Integers,
    offsets: Integers,
    firsts: Integers,
    counts: Counts,
    *arrays: Any,
) -> Integers:
    """Return the records gained by attribute in several children, shape (k, V).

    Their changed records are given by `own`, `before` and `after`, each of shape (r, V), and where those of each child
    end. The counts are changed on the way, and changed back.
    """
    labels, owners, prices, label_prices, gains = arrays
    child = labels.copy(), owners.copy(), prices.copy(), label_prices.copy(), gains.copy()
    rows, found = np.arange(len(own)), np.empty((len(ends), len(widths)), np.int64)
    begin = 0
    for number in range(len(ends)):
        end = ends[number]
        if number > 0:
            child[0][:], child[1][:], child[2][:], child[3][:], child[4][:] = arrays
        _follow(own, before, after, rows[begin:end], False, widths, offsets, firsts, counts, *child)
        found[number] = child[4]
        shift_child(own, before, after, rows, begin, end, -1, widths, offsets, counts)
        begin = end
    return found


def gained_of_many(original: Codes, masked: Codes) -> int:
    """Return the records gained in one attribute from its columns, without a table of its categories.

    The matching is sparse: a category whose label never occurs behind it counts no record, so each has a label of its
    own besides, with no record.
    """
    from scipy.sparse import coo_array  # late, as most files have no attribute of so many categories
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    names, flat = np.unique(np.concatenate((original, masked)), return_inverse=True)
    size, n = len(names), len(original)
    (a, b), numbers = np.unique(flat.reshape(2, n), axis=1, return_counts=True)
    # Weights of 0 would be no edges, so all are raised alike; each original has exactly one label, so nothing changes.
    weights = np.concatenate((numbers + 1, np.ones(size, dtype=np.int64))).astype(np.float64)
    ends = (np.concatenate((a, np.arange(size))), np.concatenate((b, np.arange(size, 2 * size))))
    graph = coo_array((weights, ends), shape=(size, 2 * size)).tocsr()
    best = graph[min_weight_full_bipartite_matching(graph, maximize=True)]
    return round(float(best.sum())) - size - int(np.count_nonzero(original == masked))
