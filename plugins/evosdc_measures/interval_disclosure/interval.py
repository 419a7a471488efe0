"""Interval disclosure."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from evosdc.model import Batched, Changes, Expected, FollowedInPlace, Measure
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Rows, Table
from evosdc_measures.domains import Counts, Integers, require_aligned
from evosdc_measures.expectation import counts_of, mean_inside, mean_kept
from evosdc_measures.interval_disclosure.by_ranks import Categories, FittedByRanks
from evosdc_measures.interval_disclosure.cells import FittedByCell, Reach, hits_of_codes, orders_of
from evosdc_measures.interval_disclosure.joint_hits import follow_hits, hits_of_children
from evosdc_measures.interval_disclosure.rank_intervals import wide_enough
from evosdc_measures.interval_disclosure.record_hits import hits_of_records
from evosdc_measures.joint import joint_layout_of

State = tuple[Codes, Counts, Integers, int]
"""Codes of the masked table, joint counts by attribute, hits by attribute, their sum."""


class IntervalDisclosure(Measure):
    """Share of original categories that lie in a narrow interval of ranks around the masked one, times 100.

    For one attribute and one p: sort the masked column by category; category c with cumulated counts occupies the ranks
    ``lo .. hi``; its centre is ``(lo + hi) / 2``. A record counts if its original category's block of ranks meets the
    interval ``centre(masked) +- p n / 100``, that is, if ``hi(original) >= centre - p n / 100`` and
    ``lo(original) <= centre + p n / 100``. The masked category itself is always inside. A category without masked
    records stands between the ranks ``hi = lo - 1`` and ``lo``, and the same two conditions say that both must be
    reached. All is compared in integers, ranks times 200. The score is the mean over records, attributes and p: range
    0..100, smaller is better; 100 for the original itself.

    Numbers: the same with each value in the place of a category. So a record counts if its original value lies between
    the values p per cent of ranks below and above the masked one, both included. An interval that reaches beyond the
    first or the last rank is open there. That is the measure of Domingo-Ferrer and Torra (2001); the form for
    categories is a reconstruction. ``interval = "deviation"`` takes for numbers the values within ``p / 100`` standard
    deviations of the masked one instead, those of the original attribute or, as in sdcMicro's figure, of the masked one
    (``deviation_of``). ``every_attribute`` counts records whose original values lie inside for all attributes at once,
    as that figure does, instead of record and attribute pairs.

    Nominal categories have no order: by default only the same category counts; ``nominal = "frequency"`` orders them
    by their frequency in the original, ascending, ties in the order of the schema.

    A missing value has no rank under either rule: it counts only where both files have none, so a suppressed value
    discloses nothing.
    """

    class Params(Parameters):
        """Widths of the intervals and the order of nominal categories."""

        percents: tuple[int, ...] = Field(
            tuple(range(1, 11)), min_length=1, description="Half widths p in per cent of the records, averaged."
        )
        nominal: Literal["equality", "frequency"] = Field("equality", description="What counts as near for nominal.")
        interval: Literal["rank", "deviation"] = Field(
            "rank", description="Width for numbers: per cent of ranks, or of a standard deviation."
        )
        deviation_of: Literal["original", "masked"] = Field(
            "original", description="Whose standard deviation, for the interval 'deviation'."
        )
        every_attribute: bool = Field(False, description="A record counts only if it lies inside for all attributes.")

        @field_validator("percents")
        @classmethod
        def _within(cls, percents: tuple[int, ...]) -> tuple[int, ...]:
            if min(percents) < 0 or max(percents) > 100:
                raise ValueError("whole per cents in 0..100")
            return percents

    supports = frozenset(Scale)

    def fit(self, original: Table) -> "FittedIntervalDisclosure | FittedByRanks | FittedByCell":
        """Order the categories."""
        self.require_support(original)
        params = self.params
        by_frequency = params.nominal == "frequency"
        if original.schema.numeric and params.interval == "rank" and not params.every_attribute:
            percents, categorical = tuple(sorted(params.percents)), [a.name for a in original.schema.categorical]
            categories = None
            if categorical:
                part = original.select(categorical)
                categories = Categories(part.schema, FittedIntervalDisclosure(part, percents, by_frequency))
            return FittedByRanks(original, wide_enough(percents), categories)
        if original.schema.numeric or params.every_attribute:
            reach = Reach(
                tuple(sorted(params.percents)), params.interval == "deviation", params.deviation_of == "masked"
            )
            return FittedByCell(original, reach, by_frequency, params.every_attribute)
        return FittedIntervalDisclosure(original, params.percents, by_frequency)


class FittedIntervalDisclosure(FollowedInPlace[State], Batched[State], Expected):
    """`IntervalDisclosure` of one original."""

    def __init__(self, original: Table, percents: tuple[int, ...], by_frequency: bool) -> None:
        joint = joint_layout_of(original.schema)
        n, attributes = original.codes.shape
        orders = orders_of(original, by_frequency)
        self._original = original
        self._rows = np.arange(n)
        self._joint = joint
        # Only counted attributes have a place in the kernel's orders.
        counted = [np.empty(0, dtype=np.int64), *(order for v, order in enumerate(orders) if v not in joint.wide)]
        self._orders = orders
        self._percents = sorted(percents)
        self._layout = (joint.widths, joint.offsets, np.concatenate(counted), np.array(self._percents, dtype=np.int64))
        self._most = n * attributes * len(percents)
        self._expected = [
            (counts_of(original.codes, v, len(order) - 1), order[1:] - 1) for v, order in enumerate(orders)
        ]

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V + sum c**2)."""
        require_aligned(self._original, masked)
        hits = np.zeros(masked.codes.shape[1], dtype=np.int64)
        return self._followed(masked.codes, masked.codes, self._rows, True, self._joint.zeros(), hits)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2].copy(), state[3]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m V), and O(c**2) for each attribute that changed."""
        return self._followed(state[0], masked.codes, rows, False, state[1], state[2])

    @property
    def together(self) -> bool:
        """Whether all attributes are counted."""
        return not self._joint.wide

    def values(self, state: State, changes: Changes) -> NDArray[np.float64]:
        """Return the risks of several children; O(m V), and O(c P) for each ordered attribute that changed."""
        risks: NDArray[np.float64] = 100.0 * self.inside_of_children(state, changes) / self._most
        return risks

    def inside_of_children(self, state: State, changes: Changes) -> Integers:
        """Return the hits of all records and attributes in several children."""
        before, after, original = changes.before.codes, changes.after.codes, self._original.codes
        inside: Integers = hits_of_children(
            original, before, after, changes.rows, changes.ends, *self._layout, *state[1:3]
        )
        return inside

    def _followed(self, before: Codes, after: Codes, rows: Rows, fresh: bool, counts: Counts, hits: Integers) -> State:
        original = self._original.codes
        inside: int = int(follow_hits(original, before, after, rows, fresh, *self._layout, counts, hits))
        for v in self._joint.wide:
            inside += int(hits_of_codes(original[:, v], after[:, v], self._orders[v], self._percents).sum())
        return after, counts, hits, inside

    def burdens(self, masked: Table) -> NDArray[np.float64]:
        """Return each record's hits as a share of the score, shape (n,); O(n V P)."""
        burdens: NDArray[np.float64] = self.hits(masked) * (100.0 / self._most)
        return burdens

    def hits(self, masked: Table) -> Integers:
        """Return how often each record's values lie inside, shape (n,); O(n V P)."""
        require_aligned(self._original, masked)
        return self._hits(masked.codes)

    def hits_of_state(self, state: State) -> Integers:
        """Return the `hits` of the table that a state stands for."""
        return self._hits(state[0])

    def _hits(self, codes: Codes) -> Integers:
        widths, _, orders, percents = self._layout
        hits: Integers = hits_of_records(self._original.codes, codes, widths, orders, percents)
        for v in self._joint.wide:
            hits += hits_of_codes(self._original.codes[:, v], codes[:, v], self._orders[v], self._percents)
        return hits

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the risk at the expected published counts, 0..100; exact for categories without an order.

        Ranks of drawn files vary around the expected ones, so for ordered categories it is a first-order approximation.
        """
        percents = self._layout[3]
        inside: float = 0.0
        for (T, order), P in zip(self._expected, transitions, strict=True):
            ordered = order.size and order[0] >= 0
            inside += float(mean_inside(T, P, order, percents) if ordered else mean_kept(T, P) * len(percents))
            inside += (len(self._original) - float(T.sum())) * len(percents)
        return float(100.0 * inside / self._most)

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return float(100.0 * state[3] / self._most)

    def inside(self, state: State) -> int:
        """Return the hits of all records and attributes that a state stands for."""
        return state[3]
