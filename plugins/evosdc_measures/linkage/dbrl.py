"""Distance-based record linkage."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numba import njit
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Batched, Changes, Fitted, FollowedInPlace, Incremental, Measure
from evosdc.processors import LONG
from evosdc.table.distance import common_scale, require_common_scale
from evosdc.table.schema import Scale, Schema
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Counts, Integers, SmallCounts, domains_of, require_aligned, small_counts
from evosdc_measures.linkage.answer_cache import AnswerCache, memo_of
from evosdc_measures.linkage.assignment import Costs, FittedAssignment, distances_of_categories
from evosdc_measures.linkage.burdens import burdens_of
from evosdc_measures.linkage.coordinates import raw_unit_of, unit_of
from evosdc_measures.linkage.gower import FittedByGower
from evosdc_measures.linkage.long_files import count_ties
from evosdc_measures.linkage.numeric_dbrl import FittedByKernel, FittedByPoints
from evosdc_measures.linkage.prefix_tree import CategoryDistances, PrefixTree, nearest, tree_of
from evosdc_measures.linkage.rivals import expected_matches
from evosdc_measures.linkage.scenarios import LinkageParameters, fitted_by_scenarios

State = tuple[Codes, SmallCounts, float]
"""Codes of the masked table, number of records by size of the tie that their own record is in (at 0: of all these
records), score."""

MEMORY = 1 << 20
"""Greatest number of masked records whose nearest originals are remembered."""
SMALL = 1 << 14
"""So many are remembered however few records a file has: a search comes to most of the possible ones."""
REMEMBERED = 1 << 22
"""Cells of the greatest file of which the ties of all records are remembered, for the burdens of the next one."""


class _Search(NamedTuple):
    """What the records nearest to another are found by."""

    tree: PrefixTree
    distances: CategoryDistances
    known: AnswerCache


class DistanceBasedLinkage(Measure):
    """Expected share of records that are linked to their own by least distance, times 100.

    An intruder links each masked record to an original one at the least distance (Pagliuca and Seri, 1999;
    Domingo-Ferrer and Torra, 2001). That is the sum over attributes of the distances of `evosdc.table.distance`, with
    equal weights. Where t originals are at that distance and the own one is among them, the record counts 1/t, which is
    what linking at random among them is expected to yield; that credit is a reconstruction. Range 0..100, smaller is
    better.

    ``direction = "original-to-masked"`` looks each original up in the masked file instead. Its answer depends on the
    whole masked file, so an update computes it anew.

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
    nominal ones, in quadratic time; a missing value is at 1 from any other.

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
        """Build what the original is searched by: a prefix tree, or a k-d tree where there are numbers.

        Raises
        ------
        ParameterError
            The categories' distances have no common denominator below 2**56; a distance for numbers alone is wanted for
            categories; too many records for a one-to-one linkage.
        SchemaError
            A scenario names an attribute that there is not.
        """
        self.require_support(original)
        return fitted_by_scenarios(original, self.params, self._fit)

    def _fit(self, original: Table) -> Incremental[Any]:
        params = self.params
        _require_distance(original.schema, params.distance, params.by_hierarchy)
        backward, each = params.direction == "original-to-masked", params.standardise == "each"
        if params.one_to_one:
            return FittedAssignment(original, self._costs(original), "measure dbrl: one_to_one")
        if params.distance == "gower":
            return FittedByGower(original, backward)
        if not original.schema.numeric:
            require_common_scale(original.schema, params.by_hierarchy, "measure dbrl: attributes")
            return FittedDistanceBasedLinkage(original, params.by_hierarchy, backward)
        if params.distance == "kernel":
            return FittedByKernel(original, each, params.degree, backward)
        unit = raw_unit_of if params.distance == "raw" else unit_of
        return FittedByPoints(original, each, params.distance == "mahalanobis", backward, unit)

    def _costs(self, original: Table) -> Costs:
        params, each = self.params, self.params.standardise == "each"
        if params.distance == "gower":
            return FittedByGower(original, False).distances
        if not original.schema.numeric:
            return distances_of_categories(original, params.by_hierarchy)
        if params.distance == "kernel":
            return FittedByKernel(original, each, params.degree, False).distances
        unit = raw_unit_of if params.distance == "raw" else unit_of
        return FittedByPoints(original, each, params.distance == "mahalanobis", False, unit).distances


class FittedDistanceBasedLinkage(FollowedInPlace[State], Batched[State]):
    """`DistanceBasedLinkage` of one original."""

    def __init__(self, original: Table, by_hierarchy: bool, backward: bool) -> None:
        domains = domains_of(original.schema)
        matrices, _ = common_scale(original.schema, by_hierarchy)
        n = len(original)
        self._original = original
        self._backward = backward
        self._rows = np.arange(n)
        self._distances = CategoryDistances(domains.widths, domains.offsets, domains.flattened(matrices))
        # One entry more than the greatest tie, so that the tie's size is its index.
        self._empty = small_counts(n + 1, n)
        self._n = n
        # Looked up the other way round, the tree is that of each masked file.
        self._search = self._search_in(original.codes[:1] if backward else original.codes)
        self._arrays = tuple(part for parts in self._search for part in parts)
        self._last: tuple[Codes, Counts] | None = None

    def _search_in(self, codes: Codes) -> _Search:
        most = min(MEMORY, max(4 * len(self._original), SMALL))
        return _Search(tree_of(codes), self._distances, memo_of(self._distances.widths, most))

    def start(self, masked: Table) -> State:
        """Return the state of a table; one search for each distinct record."""
        require_aligned(self._original, masked)
        ties, original, codes = self._empty.copy(), self._original.codes, masked.codes
        search = self._search_in(codes) if self._backward else self._search
        own, asked = (codes, original) if self._backward else (original, codes)
        if self._n >= LONG:
            credit = count_ties(own, asked, search.tree, self._distances, ties)
        else:
            credit = _follow(own, asked, asked, self._rows, True, ties, *(part for parts in search for part in parts))
        return codes, ties, self._risk(credit)

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; one search for each changed record that is not remembered."""
        if self._backward:
            return self.start(masked)
        ties, codes = state[1], masked.codes
        credit = _follow(self._original.codes, state[0], codes, rows, False, ties, *self._arrays)
        return codes, ties, self._risk(credit)

    @property
    def together(self) -> bool:
        """Whether masked records are looked up: looked up the other way round, every change moves all."""
        return not self._backward

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the risks of several children; one search for each changed record that is not remembered."""
        before, after, own = changes.before.codes, changes.after.codes, self._original.codes[changes.rows]
        credits = _credits_of_children(own, before, after, changes.ends, state[1], *self._arrays)
        risks: Numbers = np.minimum(100.0 * credits / self._n, 100.0)
        return risks

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,); one search for each distinct record."""
        require_aligned(self._original, masked)
        original, codes = self._original.codes, masked.codes
        if self._backward:
            return burdens_of(_tie_sizes(codes, original, self._rows, *self._search_in(codes)))
        return burdens_of(self._ties_of_records(codes))

    def _ties_of_records(self, codes: Codes) -> Counts:
        """Return how many originals are as near to each record as its own one; 0 where another is nearer.

        In a search one good file follows another: only records that differ from the last file are looked up.
        """
        before, ties = self._last or (codes, _tie_sizes(self._original.codes, codes, self._rows, *self._search))
        if before is not codes:
            rows = np.flatnonzero(before != codes) // codes.shape[1]
            rows = rows[np.diff(rows, prepend=-1) > 0]
            ties = ties.copy()
            ties[rows] = _tie_sizes(self._original.codes, codes, rows, *self._search)
        if codes.size <= REMEMBERED:
            self._last = codes.copy(), ties  # at once, so that threads find both of one file
        return ties

    def _risk(self, credit: float) -> float:
        # The sum of the credits may exceed n by rounding.
        return min(100.0 * credit / self._n, 100.0)

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[2]


def _require_distance(schema: Schema, distance: str, by_hierarchy: bool) -> None:
    if distance not in ("standardised", "gower") and schema.categorical:
        given = f"{distance} with {', '.join(a.name for a in schema.categorical)}, which have categories"
        advice = "Take the distance standardised or gower, or leave them out."
        raise ParameterError(Fault("measure dbrl: distance", given, "numeric attributes alone", advice))
    if by_hierarchy and schema.numeric:
        given = f"true with {', '.join(a.name for a in schema.numeric)}, which are numeric"
        raise ParameterError(Fault("measure dbrl: by_hierarchy", given, "categorical attributes alone"))


@njit(cache=True)
def _tie_sizes(
    own: Codes, asked: Codes, rows: Rows, tree: PrefixTree, distances: CategoryDistances, known: AnswerCache
) -> Counts:
    """Return for each row how many searched records are as near to it as its own one is; 0 where another is nearer."""
    widths, offsets, flat = distances
    factors, shift, records, answers = known
    attributes = own.shape[1]
    sizes = np.zeros(len(rows), np.int32)
    last = len(records) - 1
    for i in range(len(rows)):
        row, distance, total, found = rows[i], 0, 0, True
        for v in range(attributes):
            digit = asked[row, v] + 1
            distance += flat[offsets[v] + digit * widths[v] + own[row, v] + 1]
            total += digit * factors[v]
        place = (total >> shift) & last
        for v in range(attributes):
            if records[place, v] != asked[row, v]:
                records[place, v] = asked[row, v]
                found = False
        # Called for what is not remembered only: to count references to so many arrays takes ten times as long as to
        # look up.
        if not found:
            paths = np.empty((4, attributes), np.int64)
            answers[place, 0], answers[place, 1] = nearest(asked[row], distance, tree, distances, paths)
        if answers[place, 0] == distance:
            sizes[i] = answers[place, 1]
    return sizes


@njit(cache=True)
def _follow(own: Codes, before: Codes, after: Codes, rows: Rows, fresh: bool, ties: SmallCounts, *arrays: Any) -> float:
    """Follow changed rows in the numbers of ties, and return the sum of all records' credits.

    The arrays are those of `_Search`: to hand them over as one would take longer than many an update.
    """
    tree, distances, known = PrefixTree(*arrays[:3]), CategoryDistances(*arrays[3:6]), AnswerCache(*arrays[6:])
    for size in _tie_sizes(own, after, rows, tree, distances, known):
        if size > 0:
            ties[size] += 1
            ties[0] += 1
    if not fresh:
        for size in _tie_sizes(own, before, rows, tree, distances, known):
            if size > 0:
                ties[size] -= 1
                ties[0] -= 1
    return expected_matches(ties)


@njit(cache=True)
def _credits_of_children(
    own: Codes, before: Codes, after: Codes, ends: Integers, ties: SmallCounts, *arrays: Any
) -> Numbers:
    """Return the sum of all records' credits for each child, from the changed records alone.

    Each child is followed and taken back in the numbers of ties.
    """
    tree, distances, known = PrefixTree(*arrays[:3]), CategoryDistances(*arrays[3:6]), AnswerCache(*arrays[6:])
    rows = np.arange(len(own))
    gone = _tie_sizes(own, before, rows, tree, distances, known)
    come = _tie_sizes(own, after, rows, tree, distances, known)
    found, begin = np.empty(len(ends)), 0
    for child in range(len(ends)):
        for by in (1, -1):
            for i in range(begin, ends[child]):
                if come[i] > 0:
                    ties[come[i]] += by
                    ties[0] += by
                if gone[i] > 0:
                    ties[gone[i]] -= by
                    ties[0] -= by
            if by > 0:
                found[child] = expected_matches(ties)
        begin = ends[child]
    return found
