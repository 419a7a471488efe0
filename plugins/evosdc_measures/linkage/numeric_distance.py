"""Distance-based record linkage of files with numbers.

The squared distance is the sum over attributes of ``((x - y) / s)**2`` for numbers, with s the standard deviation of
the original, and of the squared distance of `evosdc.table.distance` for categories; Gower's distance (1971) is that of
absolute differences over ranges.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evosdc.table.schema import MissingRule, Scale, Schema
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Integers, require_same_shape
from evosdc_measures.linkage.nearest import FittedNearest, Links
from evosdc_measures.linkage.point_tree import (
    ABSOLUTE,
    EQUAL,
    SQUARE,
    Metric,
    PointTree,
    distances_of,
    everything,
    link_points,
    tree_of,
)

SAME = 1e-9  # relative difference of squared distances that is rounding
ZERO = 1e-18  # Squared distances below it, a thousand millionth of a standard deviation, are taken to be 0
SAME_SUM = 1e-12  # difference of Gower's distances that is rounding


class Unit(NamedTuple):
    """What is subtracted from numbers, and by what they are multiplied then, shape (Q,); by 0 where all are equal."""

    means: Numbers
    inverses: Numbers


def standard_unit(numbers: Numbers) -> Unit:
    """Return the unit in which a file's numbers are standardised (population standard deviation)."""
    present = ~np.isnan(numbers)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, numbers, 0.0).sum(axis=0) / counts
    deviations = np.sqrt((np.where(present, numbers - means, 0.0) ** 2).sum(axis=0) / counts)
    low, high = _ends(numbers)
    inverses: Numbers = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=(high > low) & (deviations > 0))
    return Unit(means, inverses)


def range_unit(numbers: Numbers) -> Unit:
    """Return the unit in which numbers run from 0 to 1 in a file (Gower 1971)."""
    low, high = _ends(numbers)
    some = high >= low
    spread = np.where(some, high - low, 0.0)
    return Unit(np.where(some, low, 0.0), np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0))


def raw_unit(numbers: Numbers) -> Unit:
    """Return the unit in which numbers stay as they are, constant ones left out."""
    low, high = _ends(numbers)
    return Unit(np.zeros(numbers.shape[1]), (high > low).astype(np.float64))


def _ends(numbers: Numbers) -> tuple[Numbers, Numbers]:
    present = ~np.isnan(numbers)
    low: Numbers = np.where(present, numbers, np.inf).min(axis=0, initial=np.inf)
    high: Numbers = np.where(present, numbers, -np.inf).max(axis=0, initial=-np.inf)
    return low, high


class Coordinates(NamedTuple):
    """Where the values of a file stand."""

    unit: Unit  # of the numbers
    offsets: Integers  # (C,): Where the places of each categorical attribute begin, that of a missing value first
    places: Numbers  # one after the other, NaN for missing values

    def points(self, table: Table) -> Numbers:
        """Return the coordinates of records, shape (m, V), NaN where a value is missing."""
        numbers = (table.numbers - self.unit.means) * self.unit.inverses
        # In one layout: kernels are compiled for each.
        return np.ascontiguousarray(np.concatenate([self.places[self.offsets + table.codes + 1], numbers], axis=1))


def coordinates_of(schema: Schema, unit: Unit, gower: bool = False) -> Coordinates:
    """Return the coordinates of a schema's values."""
    # Ordinal categories lie at ``code / |D|``, or by Gower's distance at ``code / (|D| - 1)``; nominal ones at the
    # place of their label in alphabetical order.
    listed, offsets, filled = [np.zeros(0)], [], 0
    for attribute in schema.categorical:
        size = len(attribute.categories)
        places = np.arange(size) / max(size - 1 if gower else size, 1)
        if attribute.scale is Scale.NOMINAL:
            places[np.argsort(np.array(attribute.categories, dtype=str), kind="stable")] = np.arange(size)
        listed.append(np.append(np.nan, places))
        offsets.append(filled)
        filled += size + 1
    return Coordinates(unit, np.array(offsets, dtype=np.int64), np.concatenate(listed))


def metric_of(schema: Schema, gower: bool = False) -> Metric:
    """Return the metric for a schema's categorical attributes followed by its numeric ones."""
    # A missing value is at squared distance 1 from any other category and 2, the mean squared distance of two records
    # drawn at random, from any other standardised number; at Gower's distance 1 from both; at 0 under ``wildcard``.
    attributes = (*schema.categorical, *schema.numeric)
    other = ABSOLUTE if gower else SQUARE
    kinds = np.array([EQUAL if a.scale is Scale.NOMINAL else other for a in attributes], dtype=np.int64)
    lost = np.array([1.0 if a.categorical or gower else 2.0 for a in attributes])
    if schema.na is MissingRule.WILDCARD:
        lost = np.zeros_like(lost)
    return Metric(kinds, lost, 0.0, SAME_SUM) if gower else Metric(kinds, lost, SAME, ZERO)


class FittedByPoints(FittedNearest):
    """`DistanceBasedLinkage` of one original with numbers, by a k-d tree."""

    # By Gower's distance an attribute adds ``|x - y| / range`` for numbers, the range being the original's, the
    # difference of ranks over their greatest for ordinal categories (Podani 1999 without ties), and 0 or 1 for nominal
    # ones.

    tree: PointTree | None

    def __init__(
        self,
        original: Table,
        backward: bool,
        unit: Callable[[Numbers], Unit] = standard_unit,
        each: bool = False,
        mahalanobis: bool = False,
        gower: bool = False,
    ) -> None:
        super().__init__(original, backward, local=not (each or mahalanobis))
        self._unit_of, self._each, self._mahalanobis, self._gower = unit, each, mahalanobis, gower
        self.metric = metric_of(original.schema, gower)
        self.coordinates = coordinates_of(original.schema, unit(original.numbers), gower)
        self.originals: Numbers = self.coordinates.points(original)
        self.tree = None if mahalanobis or backward else self.tree_of(self.originals)
        self._everything = everything(self.originals.shape[1])

    def placed(self, table: Table) -> Numbers:
        """Return the points of records."""
        return self.coordinates.points(table)

    def pair(self, masked: Table) -> tuple[Numbers, Numbers]:
        """Return the points of the original and of a masked table."""
        require_same_shape(self.original, masked)
        if self._each and not self._mahalanobis:
            return self.originals, self.coordinates._replace(unit=self._unit_of(masked.numbers)).points(masked)
        if not self._mahalanobis:
            return self.originals, self.placed(masked)
        means = self.coordinates.unit.means
        before, after = (np.where(np.isnan(x), means, x) for x in (self.original.numbers, masked.numbers))
        whitening = whitening_of(before, after)
        return (before - means) @ whitening, (after - means) @ whitening

    def tree_of(self, searched: Numbers) -> PointTree:
        """Return the k-d tree of a file."""
        return tree_of(searched, self.metric)

    def looking_order(self, queries: Numbers, tree: PointTree) -> Rows:
        """Return the order of the leaves, near which most records are: their own ones stand there."""
        return tree.rows

    def search(self, queries: Numbers, own: Numbers, tree: PointTree) -> Links:
        """Return how records are linked."""
        links: Links = link_points(queries, own, tree, self.metric, self._everything)
        return links

    def distances(self, queries: Numbers, searched: Numbers) -> Numbers:
        """Return the squared distances of points, or Gower's."""
        return distances_of(queries, searched, self.metric)

    def limits(self, queries: Numbers, own: Numbers) -> tuple[Numbers, Numbers]:
        """Return below which distance another point is nearer, and up to which it is tied."""
        relative, absolute = self.metric.relative, self.metric.absolute
        return own * (1.0 - relative) - absolute, own * (1.0 + relative) + absolute

    def costs(self, masked: Table) -> Numbers:
        """Return the distances from all masked to all original records, shape (n, n)."""
        originals, points = self.pair(masked)
        distances = self.distances(points[:, None], originals[None])
        return distances if self._gower else np.sqrt(distances)


class FittedByKernel(FittedNearest):
    """`DistanceBasedLinkage` of one original of numbers by the distance in a kernel's feature space; quadratic."""

    # The squared distance is ``K(a, a) - 2 K(a, b) + K(b, b)`` with ``K(a, b) = (1 + a.b)**degree``.

    def __init__(self, original: Table, backward: bool, each: bool, degree: int) -> None:
        super().__init__(original, backward, local=not each)
        self._each, self._degree = each, degree
        self._unit = standard_unit(original.numbers)
        self.originals = self.placed(original)
        self.tree = None if backward else self.originals

    def placed(self, table: Table) -> Numbers:
        """Return the standardised numbers of records, missing ones at the mean."""
        return _standardised(table, self._unit)

    def pair(self, masked: Table) -> tuple[Numbers, Numbers]:
        """Return the standardised numbers of the original and of a masked table."""
        require_same_shape(self.original, masked)
        return self.originals, _standardised(masked, standard_unit(masked.numbers) if self._each else self._unit)

    def tree_of(self, searched: Numbers) -> Numbers:
        """Return the file itself: its records are all compared."""
        return searched

    def search(self, queries: Numbers, own: Numbers, tree: Numbers) -> Links:
        """Return how records are linked."""
        return self.links_by_comparison(queries, own, tree)

    def distances(self, queries: Numbers, searched: Numbers) -> Numbers:
        """Return the squared distances in feature space."""
        own = [(1.0 + (part * part).sum(axis=-1)) ** self._degree for part in (queries, searched)]
        kernel = (1.0 + np.einsum("...v,...v->...", queries, searched)) ** self._degree
        distances: Numbers = np.maximum(own[0] - 2.0 * kernel + own[1], 0.0)
        return distances

    def limits(self, queries: Numbers, own: Numbers) -> tuple[Numbers, Numbers]:
        """Return below which distance another record is nearer, and up to which it is tied."""
        # The difference of large kernels leaves their rounding.
        slack = SAME * own + ZERO + 1e-14 * (1.0 + (queries * queries).sum(axis=-1)) ** self._degree
        return own - slack, own + slack

    def costs(self, masked: Table) -> Numbers:
        """Return the distances from all masked to all original records, shape (n, n)."""
        originals, points = self.pair(masked)
        distances: Numbers = np.sqrt(self.distances(points[:, None], originals[None]))
        return distances


def _standardised(table: Table, unit: Unit) -> Numbers:
    numbers = (table.numbers - unit.means) * unit.inverses
    return np.where(np.isnan(numbers), 0.0, numbers)


def whitening_of(original: Numbers, masked: Numbers) -> Numbers:
    """Return the matrix W that makes ``|(a - b) W|`` Mahalanobis' distance, shape (Q, Q)."""
    # The covariance is ``Var(original) + Var(masked)``: the term ``2 Cov`` is 0 for an intruder who does not know the
    # links. Directions in which nothing varies are left out.
    covariance = _covariance(original) + _covariance(masked)
    scale = np.sqrt(np.diag(covariance))
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)
    values, vectors = np.linalg.eigh(covariance * np.outer(inverse, inverse))
    kept = values > 1e-10 * max(values.max(), 1e-300)
    roots = np.divide(1.0, np.sqrt(np.where(kept, values, 1.0)), out=np.zeros_like(values), where=kept)
    whitening: Numbers = inverse[:, None] * vectors * roots
    return whitening


def _covariance(points: Numbers) -> Numbers:
    """Return the covariance matrix, divided by the number of points; `numpy.cov` of old takes one point for several."""
    centred = points.T - points.T.mean(axis=1)[:, None]
    covariance: Numbers = centred @ centred.T / len(points)
    return covariance
