"""Records as points with a distance, in the flat arrays that compiled loops want."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distance import category_distance
from evosdc.table.equivalence import Classes, equivalence_classes
from evosdc.table.schema import MissingRule
from evosdc.table.spread import Spread, Spreads, spread_of, spreads_of
from evosdc.table.table import Codes, Numbers, Table
from evosdc_masking.averages import Average, average_rule

Integers = NDArray[np.int64]

_EXACT = 2**53  # up to here float64 holds every whole number, so sums of distances between categories compare exactly


class Metric(NamedTuple):
    """The distance between records; a tuple, since compiled loops take it as it is."""

    # sizes, offsets: shape (C,); categories of each attribute with one more for missing, and where its matrix of
    # distances begins in `distances`
    sizes: Integers
    offsets: Integers
    distances: Numbers  # the matrices of distances one after the other, each flattened by rows
    averages: Integers  # shape (C,); which average each attribute gets, of `evosdc_masking.averages.average_rule`
    squared: bool  # whether numeric differences are squared
    apart: float  # distance between a missing number and a present one
    wildcard: bool  # whether missing values equal anything


@dataclass(frozen=True)
class Space:
    """Points with a distance."""

    # The distance of MDAV (Domingo-Ferrer and Torra 2005). Categorical attributes only: the sum of the distances of Eq.
    # 2.6 and 2.7. Numeric attributes only: the squared Euclidean distance of standardised values. Both: the sum over
    # attributes, a numeric one giving ``|a - b| / range``. All sums of categorical distances are multiples of a common
    # unit and exact. How far a missing number is from others is a reconstruction: as far as two standardised values are
    # apart on average (2, squared) in the numeric case and the whole range in the mixed one; under the rule
    # ``wildcard`` at distance 0 from everything.
    # The distance of clustering (Byun et al. 2007). The sum over attributes in all cases: ``|a - b| / range`` of
    # numbers, and of an attribute with a hierarchy the level of the lowest common ancestor over the height of the
    # hierarchy. Without a hierarchy Eq. 2.6 and 2.7 apply, and a missing number is the whole range from others: a
    # reconstruction. It is a metric, except where missing values equal anything.

    # The records at each point: equal ones share a point where all attributes are categorical; a record is a point of
    # its own otherwise
    points: Classes
    metric: Metric
    codes: Codes  # shape (C, m); code of each point, missing as the number of categories
    numbers: Numbers  # shape (Q, m); scaled values of each point, NaN where missing


def space_of(
    table: Table, clustering: bool = False, average: Average | None = None, spreads: Spreads | None = None
) -> Space:
    """Return the space of a table's records, n >= 1."""
    # Spreads are those of the file that the table is a part of, by default its own.
    categorical, wildcard = table.schema.categorical, table.schema.na is MissingRule.WILDCARD
    every = np.arange(len(table))
    points = Classes(every, every, np.ones_like(every)) if table.schema.numeric else equivalence_classes(table.codes)
    sizes = np.array([len(a.categories) + 1 for a in categorical], dtype=np.int64)
    matrices, unit = _distances(table, clustering)
    codes = np.ascontiguousarray(table.codes[points.first].T)
    missing = codes < 0
    codes[missing] = np.broadcast_to(sizes[:, None] - 1, codes.shape)[missing]
    squared = not categorical and not clustering
    metric = Metric(
        sizes=sizes,
        offsets=np.cumsum(sizes**2) - sizes**2,
        distances=np.concatenate([m.ravel() for m in matrices]) if matrices else np.empty(0),
        averages=np.array([average_rule(a.scale, average) for a in categorical], dtype=np.int64),
        squared=squared,
        apart=0.0 if wildcard else (2.0 if squared else unit),
        wildcard=wildcard,
    )
    own = spreads_for(table, spreads)
    scaled = standardised(table.numbers, own) if squared else ranged(table.numbers, own) * unit
    return Space(points, metric, codes, np.ascontiguousarray(scaled[points.first].T))


def _distances(table: Table, by_hierarchy: bool) -> tuple[list[Numbers], float]:
    """Return each attribute's matrix of distances and what a distance of 1 counts in them."""
    distances = [category_distance(a, table.schema.na, by_hierarchy) for a in table.schema.categorical]
    unit = lcm(*(d.denominator for d in distances))
    if unit * max(len(distances), 1) >= _EXACT:
        return [d.matrix for d in distances], 1.0
    return [(d.numerators * (unit // d.denominator)).astype(np.float64) for d in distances], float(unit)


def spreads_for(table: Table, spreads: Spreads | None) -> Sequence[Spread]:
    """Return the spread of each numeric attribute of a table: those of the file that it is a part of, or its own."""
    known = spreads_of(table) if spreads is None else spreads
    return [known[attribute.name] for attribute in table.schema.numeric]


def standardised(numbers: Numbers, spreads: Sequence[Spread] | None = None) -> Numbers:
    """Return columns of mean 0, in units of their standard deviations; constant ones become 0."""
    columns = np.empty_like(numbers)
    for j, spread in enumerate(_each(numbers, spreads)):
        present = ~np.isnan(numbers[:, j])
        values = numbers[present, j]
        columns[:, j] = np.nan
        varies = values.size and spread.farthest
        columns[present, j] = (values - values.mean()) / spread.farthest / spread.deviation if varies else 0.0
    return columns


def ranged(numbers: Numbers, spreads: Sequence[Spread] | None = None) -> Numbers:
    """Return columns from 0 in units of their ranges, so that 1 is the greatest value; constant ones become 0."""
    columns = np.empty_like(numbers)
    for j, spread in enumerate(_each(numbers, spreads)):
        present = ~np.isnan(numbers[:, j])
        values = numbers[present, j]
        columns[:, j] = np.nan
        varies = values.size and spread.width
        columns[present, j] = (values - values.min()) / spread.width if varies else 0.0
    return columns


def _each(numbers: Numbers, spreads: Sequence[Spread] | None) -> Sequence[Spread]:
    return [spread_of(column) for column in numbers.T] if spreads is None else spreads
