"""Distance-based record linkage: by categories, by numbers and mixed, and in the feature space of a kernel.

The squared distance is the sum over attributes of ``((x - y) / s)**2`` for numbers, with s the standard deviation of
the original, and of the squared distance of `evosdc.table.distance` for categories; Gower's distance (1971) is that of
absolute differences over ranges.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitted, Measure
from evosdc.table.distance import common_scale
from evosdc.table.schema import MissingRule, Scale, Schema
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, domains_of, require_aligned, require_same_shape
from evosdc_measures.linkage.nearest import FittedNearest, Links
from evosdc_measures.linkage.scenarios import FittedAssignment, LinkageParameters, fitted_by_scenarios
from evosdc_measures.linkage.search_trees import (
    ABSOLUTE,
    EQUAL,
    SQUARE,
    Metric,
    PointTree,
    PrefixTree,
    distances_of,
    everything,
    in_order,
    link_points,
    point_tree_of,
    prefix_tree_of,
)
from evosdc_measures.units import Unit, range_unit, raw_unit, standard_unit, standardised

SAME = 1e-9  # relative difference of squared distances that is rounding
ZERO = 1e-18  # Squared distances below it, a thousand millionth of a standard deviation, are taken to be 0
SAME_SUM = 1e-12  # difference of Gower's distances that is rounding


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
        self._unit_of, self._each, self._mahalanobis, self.squared = unit, each, mahalanobis, not gower
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
        return point_tree_of(searched, self.metric)

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


class FittedByKernel(FittedNearest):
    """`DistanceBasedLinkage` of one original of numbers by the distance in a kernel's feature space; quadratic."""

    # The squared distance is ``K(a, a) - 2 K(a, b) + K(b, b)`` with ``K(a, b) = (1 + a.b)**degree``.

    squared = True

    def __init__(self, original: Table, backward: bool, each: bool, degree: int) -> None:
        super().__init__(original, backward, local=not each)
        self._each, self._degree = each, degree
        self._unit = standard_unit(original.numbers)
        self.originals = self.placed(original)
        self.tree = None if backward else self.originals

    def placed(self, table: Table) -> Numbers:
        """Return the standardised numbers of records, missing ones at the mean."""
        return standardised(table.numbers, self._unit)

    def pair(self, masked: Table) -> tuple[Numbers, Numbers]:
        """Return the standardised numbers of the original and of a masked table."""
        require_same_shape(self.original, masked)
        return self.originals, standardised(masked.numbers, standard_unit(masked.numbers) if self._each else self._unit)

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


class DistanceBasedLinkage(Measure):
    """Expected share of records that are linked to their own by least distance, times 100.

    An intruder links each masked record to an original one at the least distance (Pagliuca and Seri, 1999;
    Domingo-Ferrer and Torra, 2001). That is the sum over attributes of the distances of `evosdc.table.distance`, with
    equal weights. Where t originals are at that distance and the own one is among them, the record counts 1/t, which is
    what linking at random among them is expected to yield; that credit is a reconstruction. Range 0..100, smaller is
    better.

    ``direction = "original-to-masked"`` looks each original up in the masked file instead; a change of that may then
    concern any original.

    Missing values: at distance 1 from every category under the rule ``category``, at distance 0 under ``wildcard``.

    Numbers: with ``distance = "standardised"`` the squared distance is the sum of ``((x - y) / s)**2``, with s the
    standard deviation of the original; ``standardise = "each"`` takes each file's own mean and deviation instead, as
    the literature does, and then every change of the masked file moves all its records. In a mixed file the squares of
    the distances between categories are added; that is a reconstruction. ``"mahalanobis"``: with the inverse of
    ``Var(original) + Var(masked)``. ``"kernel"``: in the feature space of ``(1 + a.b)**degree`` on standardised
    numbers, which takes quadratic time. Both are for numbers alone. Squared distances that differ by less than 1e-9 of
    themselves are tied. Attributes that are constant in the original are left out. A missing number is at squared
    distance 2 from every other, the mean of two records drawn at random, under the rule ``category`` and 0 under
    ``wildcard``; for the distances of numbers alone it stands at the original's mean.

    ``"raw"``: numbers as they are, so that the attribute of the greatest numbers decides. ``"gower"`` (Gower 1971): the
    sum of absolute differences over the original's ranges, of shares of steps for ordinal categories and of 0 or 1 for
    nominal ones; a missing value is at 1 from any other.

    ``scenarios`` lists what several intruders know, each a list of attributes; the risk is the mean over them, or the
    maximum. ``one_to_one`` assigns the records of both files to each other with the least sum of distances;
    equal records share the credit, and of assignments that are equally good the worst counts. It takes cubic time.
    """

    supports = frozenset(Scale)

    class Params(LinkageParameters):
        """Who is looked up, how far apart two records are, and what the intruder knows."""

        by_hierarchy: bool = Field(False, description="Distance by lowest common ancestor where there is a hierarchy.")
        distance: Literal["standardised", "mahalanobis", "kernel", "raw", "gower"] = Field(
            "standardised", description="Distance between numbers; gower: of all attributes."
        )
        standardise: Literal["original", "each"] = Field(
            "original",
            description="Whose means and deviations standardise numbers: the original's, or each file's own.",
        )
        degree: int = Field(2, ge=1, le=9, description="Degree of the polynomial kernel.")

    def fit(self, original: Table) -> Fitted:
        """Build what the original is searched by: a prefix tree, or a k-d tree where there are numbers."""
        self.require_support(original)
        return fitted_by_scenarios(original, self.params, self._fit)

    def _fit(self, original: Table) -> Fitted:
        _require_distance(original.schema, self.params.distance, self.params.by_hierarchy)
        if not self.params.one_to_one:
            return self._linkage(original, self.params.direction == "original-to-masked")
        return FittedAssignment(original, self._linkage(original, False).costs, "measure dbrl: one_to_one")

    def _linkage(self, original: Table, backward: bool) -> "FittedByCategories | FittedByKernel | FittedByPoints":
        params, each = self.params, self.params.standardise == "each"
        if params.distance == "gower":
            return FittedByPoints(original, backward, range_unit, gower=True)
        if not original.schema.numeric:
            return FittedByCategories(original, backward, params.by_hierarchy)
        if params.distance == "kernel":
            return FittedByKernel(original, backward, each, params.degree)
        unit = raw_unit if params.distance == "raw" else standard_unit
        return FittedByPoints(original, backward, unit, each, params.distance == "mahalanobis")


class FittedByCategories(FittedNearest):
    """`DistanceBasedLinkage` of one original without numbers, by a prefix tree; distances are whole numbers."""

    tree: PrefixTree | None

    def __init__(self, original: Table, backward: bool, by_hierarchy: bool) -> None:
        super().__init__(original, backward)
        domains = domains_of(original.schema)
        matrices, _ = common_scale(original.schema, by_hierarchy, "measure dbrl: attributes")
        self._widths, self._offsets, self._flat = domains.widths, domains.offsets, domains.flattened(matrices)
        self.originals: Codes = original.codes
        self.tree = None if backward else prefix_tree_of(original.codes)

    def placed(self, table: Table) -> Codes:
        """Return the codes of records."""
        return table.codes

    def pair(self, masked: Table) -> tuple[Codes, Codes]:
        """Return the codes of the original and of a masked table."""
        require_aligned(self.original, masked)
        return self.originals, masked.codes

    def tree_of(self, searched: Codes) -> PrefixTree:
        """Return the prefix tree of a file."""
        return prefix_tree_of(searched)

    def looking_order(self, queries: Codes, tree: PrefixTree) -> Rows:
        """Return the order of the tree: records that are alike follow each other, and are looked up once."""
        return np.asarray(in_order(queries[:, tree.order]), dtype=np.intp)

    def search(self, queries: Codes, own: Codes, tree: PrefixTree) -> Links:
        """Return how records are linked."""
        queries, own = (np.array(codes, dtype=np.int32, order="C") for codes in (queries, own))
        links: Links = _link_categories(
            queries, own, tree.order, tree.roots, tree.nodes, self._widths, self._offsets, self._flat
        )
        return links

    def distances(self, queries: Codes, searched: Codes) -> Integers:
        """Return the distances of records."""
        total: Integers = np.zeros(np.broadcast_shapes(queries.shape[:-1], searched.shape[:-1]), dtype=np.int64)
        for v, width in enumerate(self._widths.tolist()):
            total += self._flat[(queries[..., v] + 1) * width + (searched[..., v] + (self._offsets[v] + 1))]
        return total

    def limits(self, queries: Codes, own: Integers) -> tuple[Integers, Integers]:
        """Return below which distance another record is nearer, and up to which it is tied: whole numbers are exact."""
        return own, own


def _require_distance(schema: Schema, distance: str, by_hierarchy: bool) -> None:
    if distance not in ("standardised", "gower") and schema.categorical:
        given = f"{distance} with {', '.join(a.name for a in schema.categorical)}, which have categories"
        advice = "Take the distance standardised or gower, or leave them out."
        raise ParameterError(Fault("measure dbrl: distance", given, "numeric attributes alone", advice))
    if by_hierarchy and schema.numeric:
        given = f"true with {', '.join(a.name for a in schema.numeric)}, which are numeric"
        raise ParameterError(Fault("measure dbrl: by_hierarchy", given, "categorical attributes alone"))


@njit(cache=True, nogil=True)
def _link_categories(
    queries: Codes,
    own: Codes,
    order: Integers,
    roots: int,
    nodes: Counts,
    widths: Integers,
    offsets: Integers,
    flat: Integers,
) -> tuple[Integers, NDArray[np.intp]]:
    """Return how many searched records are as near as the own one, itself counted; 0 where one is nearer."""
    attributes = queries.shape[1]
    last = attributes - 1
    ties, rivals = np.zeros(len(queries), np.int64), np.full(len(queries), -1, np.int64)
    current, ends = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    costs, begins = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    # Of the record before: a distance that was found, whether it is the least, and how many are at it.
    known, least, tied, place = 0, False, 0, -1
    for i in range(len(queries)):
        limit, alike = 0, i > 0
        for v in range(attributes):
            limit += flat[offsets[v] + (queries[i, v] + 1) * widths[v] + own[i, v] + 1]
            alike = alike and queries[i, v] == queries[i - 1, v]
        if not (alike and (least or known < limit)):
            for level in range(attributes):
                v = order[level]
                begins[level] = offsets[v] + (queries[i, v] + 1) * widths[v] + 1
            # The cheapest branch of each level mostly ends at a nearer record: most are not linked to their own.
            first, end, cost, node = 0, roots, 0, 0
            for level in range(attributes):
                node = first
                cheapest = flat[begins[level] + nodes[first, 0]]
                for other in range(first + 1, end):
                    if cheapest == 0:
                        break
                    step = flat[begins[level] + nodes[other, 0]]
                    if step < cheapest:
                        node, cheapest = other, step
                cost += cheapest
                if cost >= limit:
                    break
                first, end = nodes[node, 1], nodes[node, 2]
            known, least, tied, place = cost, False, 0, nodes[node, 2]
            if cost >= limit:
                known, least, level = limit, True, 0
                current[0], ends[0], costs[0] = 0, roots, 0
                while level >= 0:
                    node = current[level]
                    if node == ends[level]:
                        level -= 1
                        continue
                    current[level] = node + 1
                    cost = costs[level] + flat[begins[level] + nodes[node, 0]]
                    if cost > limit:
                        continue
                    if level < last:
                        level += 1
                        current[level], ends[level], costs[level] = nodes[node, 1], nodes[node, 2], cost
                        continue
                    place = nodes[node, 2]
                    if cost < limit:
                        known, least = cost, False
                        break
                    tied += nodes[node, 1]
        if known < limit:
            rivals[i] = place
        else:
            ties[i] = tied
    return ties, rivals
