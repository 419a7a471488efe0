"""Interval disclosure of numbers, also by intervals that widen with a record's robust distance from the centre."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from evosdc.model import Changes, Expected, Fitted, Measure, Tracker
from evosdc.model.parameters import Parameters
from evosdc.randomisation.transition import Matrix
from evosdc.table.robust_covariance import robust_covariance
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Integers, counts_of, require_aligned, require_same_shape
from evosdc_measures.interval_disclosure.ranks import Categories, Part, RankedNumbers, hits_by_distance
from evosdc_measures.records import Tracked
from evosdc_measures.units import standard_unit, standardised

MOST_PLACES = 32  # Places of categories in order, missing ones included, up to which pairs of them are counted


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

    def fit(self, original: Table) -> "FittedIntervalDisclosure":
        """Order the categories."""
        self.require_support(original)
        if original.schema.numeric or self.params.every_attribute:
            return FittedIntervalDisclosure(original, self.params)
        return FittedIntervalOfCategories(original, self.params)


class NearNumbers(Part):
    """Numbers within a percentage of a standard deviation."""

    def __init__(self, original: Table, attribute: int, column: int, percents: Sequence[int], of_masked: bool) -> None:
        super().__init__((attribute,))
        self._column, self._shares = column, np.array(percents) / 100.0
        self._original = self.values(original)
        self._deviation = None if of_masked else _deviation(self._original)

    def values(self, table: Table) -> Numbers:
        """Return the numbers."""
        return table.numbers[:, self._column].copy()

    def begin(self, masked: Numbers) -> tuple[Numbers, Integers]:
        """Return the masked numbers and the hits; O(n P)."""
        deviation = _deviation(masked) if self._deviation is None else self._deviation
        apart = np.abs(self._original - masked)
        hits = len(self._shares) - np.searchsorted(self._shares * deviation, apart)
        hits[np.isnan(self._original) & np.isnan(masked)] = len(self._shares)
        return masked, hits

    def after(self, known: tuple[Numbers, Integers], rows: Rows, values: Numbers) -> tuple[Numbers, Integers]:
        """Compare all numbers again: the deviation may have changed."""
        masked = known[0].copy()
        masked[rows] = values
        return self.begin(masked)

    def hits(self, known: tuple[Numbers, Integers]) -> Integers:
        """Return the hits of each record."""
        return known[1]

    def inside(self, known: tuple[Numbers, Integers]) -> int:
        """Return the sum of the hits."""
        return int(known[1].sum())


def _deviation(column: Numbers) -> float:
    """Return the sample standard deviation of the values that there are."""
    return float(np.nanstd(column, ddof=1)) if int((~np.isnan(column)).sum()) > 1 else 0.0


class FittedIntervalDisclosure(Tracked):
    """`IntervalDisclosure` of one original."""

    def __init__(self, original: Table, params: IntervalDisclosure.Params) -> None:
        self.original, self.whole, self.percents = original, params.every_attribute, sorted(params.percents)
        self.orders = _orders_of(original, params.nominal == "frequency")
        self.parts = self._parts(params)
        # Which part an attribute belongs to; categorical attributes come first.
        self._part_of = {v: place for place, part in enumerate(self.parts) for v in part.attributes}
        self.most = len(original) * (1 if self.whole else len(original.schema)) * len(self.percents)

    def _parts(self, params: IntervalDisclosure.Params) -> list[Part]:
        original, by_distance = self.original, hits_by_distance(self.percents, len(self.original))
        wide = [v for v, order in enumerate(self.orders) if order is not None and len(order) >= MOST_PLACES]
        counted = {v: order for v, order in enumerate(self.orders) if v not in wide}
        parts: list[Part] = [RankedNumbers(original, v, v, by_distance, self.orders[v]) for v in wide]
        if counted:
            parts.append(Categories(original, counted, by_distance, self.whole))
        for column in range(original.numbers.shape[1]):
            v = len(self.orders) + column
            if params.interval == "rank":
                parts.append(RankedNumbers(original, v, column, by_distance))
            else:
                parts.append(NearNumbers(original, v, column, self.percents, params.deviation_of == "masked"))
        return parts

    def track(self, masked: Table) -> "IntervalTracker":
        """Return a tracker of a table."""
        require_same_shape(self.original, masked)
        require_aligned(self.original, masked)
        return IntervalTracker(self, [part.begin(part.values(masked)) for part in self.parts])

    def changed_parts(self, changes: Changes) -> list[int]:
        """Return the parts of which some attribute changes, or may change."""
        if len(self.parts) == 1:
            return [0]
        codes = (changes.before.codes != changes.after.codes).any(axis=0)
        a, b = changes.before.numbers, changes.after.numbers
        numbers = ((a != b) & ((a == a) | (b == b))).any(axis=0)
        attributes = np.flatnonzero(np.concatenate([codes, numbers])).tolist()
        return sorted({self._part_of[v] for v in attributes})

    def hits(self, known: Sequence[Any]) -> Integers:
        """Return the hits of each record, shape (n,)."""
        by_part = [part.hits(one) for part, one in zip(self.parts, known, strict=True)]
        hits: Integers = np.minimum.reduce(by_part) if self.whole else np.add.reduce(by_part)
        return hits

    def inside(self, known: Sequence[Any]) -> int:
        """Return the hits of all records."""
        if self.whole:
            return int(self.hits(known).sum())
        return sum(part.inside(one) for part, one in zip(self.parts, known, strict=True))


class IntervalTracker(Tracker):
    """The hits of one masked table, part by part."""

    def __init__(self, fitted: FittedIntervalDisclosure, known: list[Any]) -> None:
        self._fitted, self._known = fitted, known
        self._inside = fitted.inside(known)

    @property
    def score(self) -> float:
        """The risk, 0..100."""
        return 100.0 * self._inside / self._fitted.most

    def take(self, change: Changes) -> None:
        """Update to a child; only attributes that change are counted."""
        self._known = self._after(change)
        self._inside = self._fitted.inside(self._known)

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the risks of children; for whole records child by child."""
        fitted, ends = self._fitted, changes.ends
        inside = np.full(len(ends), self._inside, dtype=np.int64)
        if fitted.whole:
            for child in range(len(ends)):
                inside[child] = fitted.inside(self._after(changes.part(child, child + 1)))
        else:
            for place in fitted.changed_parts(changes):
                part = fitted.parts[place]
                inside += part.grown(self._known[place], changes.rows, part.values(changes.after), ends)
        return np.divide(100 * inside, fitted.most, dtype=np.float64)

    def contributions(self) -> NDArray[np.float64]:
        """Return each record's hits as a share of the score, shape (n,)."""
        return np.multiply(self._fitted.hits(self._known), 100.0 / self._fitted.most, dtype=np.float64)

    def _after(self, change: Changes) -> list[Any]:
        known = list(self._known)
        for place in self._fitted.changed_parts(change):
            part = self._fitted.parts[place]
            known[place] = part.after(known[place], change.rows, part.values(change.after))
        return known


class FittedIntervalOfCategories(FittedIntervalDisclosure, Expected):
    """`IntervalDisclosure` of one original without numbers, attribute by attribute."""

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the risk at the expected published counts, 0..100; exact for categories without an order."""
        # Ranks of drawn files vary around the expected ones, so for ordered categories it is a first-order
        # approximation.
        percents, inside = np.array(self.percents, dtype=np.int64), 0.0
        for v, (order, P) in enumerate(zip(self.orders, transitions, strict=True)):
            T = counts_of(self.original.codes, v, len(P))
            if order is None:
                inside += float(T @ P.diagonal()) * len(percents)
            else:
                inside += _mean_inside(T, P, order, percents)
            inside += (len(self.original) - float(T.sum())) * len(percents)
        return 100.0 * inside / self.most


def _mean_inside(counts: Numbers, matrix: Matrix, order: Integers, percents: Integers) -> float:
    """Return the hits (records and per cents inside the interval) at the expected published counts."""
    flows = (counts[:, None] * matrix)[np.ix_(order, order)]
    through = np.concatenate(([0.0], np.cumsum(flows.sum(axis=0))))
    behind = np.concatenate((np.zeros((1, len(order))), np.cumsum(flows, axis=0)))
    inside = 0.0
    for place in np.flatnonzero(through[1:] > through[:-1]).tolist():
        centre, reach = 0.5 * (through[place] + 1.0 + through[place + 1]), percents * (counts.sum() / 100.0)
        low = np.searchsorted(through, centre - reach) - 1
        high = np.searchsorted(through + 1.0, centre + reach, side="right") - 1
        ends = behind[np.clip(high, place, len(order) - 1) + 1, place], behind[np.clip(low, 0, place), place]
        inside += float((ends[0] - ends[1]).sum())
    return inside


def _orders_of(original: Table, by_frequency: bool) -> list[NDArray[np.int64] | None]:
    """Return for each categorical attribute its codes in order, None where they have none."""
    orders: list[NDArray[np.int64] | None] = []
    for v, attribute in enumerate(original.schema.categorical):
        size = len(attribute.categories)
        if attribute.scale is not Scale.NOMINAL:
            orders.append(np.arange(size))
        elif by_frequency:
            orders.append(np.argsort(counts_of(original.codes, v, size), kind="stable"))
        else:
            orders.append(None)
    return orders


class RobustInterval(Measure):
    """Records of which a masked number lies near the original one, by robust Mahalanobis distances, times 100.

    RMDID1 and RMDID2 of Templ and Meindl (2008), as sdcMicro's ``dRiskRMD`` carries them out. Both files are
    standardised, each by its own means and deviations. A record's interval in every attribute is its original value
    plus and minus ``k`` times its robust Mahalanobis distance (centre: the means; covariance: minimum covariance
    determinant) times 0.05, the scale that program uses: outliers, who are found more easily, get wider ones. A record
    is unsafe where any of its masked values lies inside (``all_attributes``: where all do). For ``method = "rmdid2"``
    an unsafe record counts only where no other masked record lies within Euclidean distance ``k2`` of its masked one.
    Range 0..100, smaller is better.
    """

    supports = frozenset({Scale.NUMERIC})

    class Params(Parameters):
        """Widths, and which records count."""

        k: float = Field(0.01, gt=0.0, description="Factor of the intervals' widths.")
        k2: float = Field(0.05, ge=0.0, description="Distance within which another masked record protects (rmdid2).")
        method: Literal["rmdid1", "rmdid2"] = Field("rmdid1", description="All unsafe records, or lone ones.")
        all_attributes: bool = Field(False, description="Whether all values have to lie in their intervals.")

    def fit(self, original: Table) -> Fitted:
        """Estimate robust distances of the original."""
        self.require_support(original)
        return FittedRobustInterval(original, self.params)


class FittedRobustInterval(Fitted):
    """`RobustInterval` of one original."""

    def __init__(self, original: Table, params: RobustInterval.Params) -> None:
        self._params = params
        self._before = standardised(original.numbers, standard_unit(original.numbers, 1))
        inverse = np.linalg.pinv(robust_covariance(self._before)[1], hermitian=True)
        away = self._before - self._before.mean(axis=0)
        distances = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", away, inverse, away), 0.0))
        self._widths = params.k * 0.05 * distances

    def score(self, masked: Table) -> float:
        """Return the percentage of unsafe records, 0..100."""
        after = standardised(masked.numbers, standard_unit(masked.numbers, 1))
        inside = np.abs(after - self._before) < self._widths[:, None]
        unsafe = inside.all(axis=1) if self._params.all_attributes else inside.any(axis=1)
        if self._params.method == "rmdid2" and unsafe.any():
            unsafe &= _nearest(after) > self._params.k2
        return 100.0 * float(unsafe.mean())


def _nearest(points: Numbers) -> Numbers:
    """Return each point's Euclidean distance to its nearest other, infinite for a single one."""
    if len(points) < 2:
        return np.full(len(points), np.inf)
    from scipy.spatial import cKDTree

    distances: Numbers = cKDTree(points).query(points, k=2)[0][:, 1]
    return distances
