"""How far records are apart, and the nearest and the best representatives of clusters."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distance import common_scale
from evosdc.table.equivalence import key_codes, ordered_classes
from evosdc.table.schema import MissingRule
from evosdc.table.table import MISSING, Codes, Numbers, Table

Integers = NDArray[np.int64]


class Geometry(NamedTuple):
    """How far records are apart: the sum over attributes, in units of which a whole attribute has `unit`."""

    # Categories by Eq. 2.6 and 2.7 of the thesis (`evosdc.table.distance`), numbers by ``|a - b| / range``; a missing
    # number is a whole range from others, and at distance 0 from everything where missing values are wildcards. Sums of
    # categorical distances are whole numbers, so that ties are ties.

    matrices: tuple[Numbers, ...]  # by categorical attribute; the entry of codes (a, b) is at (a + 1, b + 1)
    factors: Numbers  # `unit` over the range of each numeric attribute; 0 for a constant one
    unit: float
    wildcard: bool


@dataclass(frozen=True, eq=False)
class Records:
    """The distinct records of a table in sorted order, so that the order of the file has no effect."""

    codes: Codes
    numbers: Numbers
    counts: Integers  # records of the file that are so
    of: Integers  # position of each record of the file


def geometry_of(table: Table) -> Geometry:
    """Return the distances of a table's records; ranges of numbers are those of the table."""
    matrices, unit = common_scale(table.schema)
    # By code plus one: the last row and column, of a missing value, come first.
    moved = tuple(np.roll(matrix, 1, axis=(0, 1)).astype(np.float64) for matrix in matrices)
    known = [column[~np.isnan(column)] for column in table.numbers.T]
    ranges = [float(np.ptp(column)) if column.size else 0.0 for column in known]
    factors = np.array([unit / width if width else 0.0 for width in ranges])
    return Geometry(moved, factors, float(unit), table.schema.na is MissingRule.WILDCARD)


def records_of(table: Table) -> Records:
    """Return the distinct records of a table, sorted by their categories, then by their numbers."""
    schema = table.schema
    classes = ordered_classes(
        key_codes(table, [attribute.name for attribute in (*schema.categorical, *schema.numeric)])
    )
    return Records(
        np.ascontiguousarray(table.codes[classes.first]),
        np.ascontiguousarray(table.numbers[classes.first]),
        classes.counts,
        classes.of,
    )


# By numeric attribute the distinct records from the least number to the greatest, missing ones last, shape (Q, m).
Order = NDArray[np.int32]

_MOST_CELLS = 1 << 20  # distances of some records from all representatives that are held at a time: 8 megabytes


def distances_to(codes: Codes, numbers: Numbers, centres: Codes, means: Numbers, known: Geometry) -> Numbers:
    """Return how far each representative is from each record, shape (c, m)."""
    total = np.zeros((len(centres), len(codes)))
    for v, matrix in enumerate(known.matrices):
        total += np.take(matrix.T[centres[:, v] + 1], codes[:, v] + 1, axis=1)
    for v in range(numbers.shape[1]):
        away = np.subtract.outer(means[:, v], numbers[:, v])
        np.abs(away, out=away)
        away *= known.factors[v]
        no_mean, no_number = np.isnan(means[:, v]), np.isnan(numbers[:, v])
        if no_mean.any() or no_number.any():
            away[no_mean] = away[:, no_number] = 0.0 if known.wildcard else known.unit
            away[np.ix_(no_mean, no_number)] = 0.0
        total += away
    return total


def nearer(codes: Codes, numbers: Numbers, chosen: int, known: Geometry, nearest: Numbers) -> None:
    """Take a further record into account in the distances of all records to the nearest of those chosen."""
    here = slice(chosen, chosen + 1)
    np.minimum(nearest, distances_to(codes, numbers, codes[here], numbers[here], known)[0], out=nearest)


def assign(
    codes: Codes, numbers: Numbers, centres: Codes, means: Numbers, known: Geometry, assigned: Integers, far: Numbers
) -> bool:
    """Assign each record to the nearest representative, the first of several; return whether any changed."""
    changed, step = False, max(_MOST_CELLS // len(centres), 1)
    for begin in range(0, len(assigned), step):
        rows = slice(begin, begin + step)
        away = distances_to(codes[rows], numbers[rows], centres, means, known)
        nearest = away.argmin(axis=0)
        changed = changed or not np.array_equal(assigned[rows], nearest)
        assigned[rows], far[rows] = nearest, away.min(axis=0)
    return changed


def nearest_categories(frequencies: NDArray[Any], matrix: Numbers, known: Geometry) -> Codes:
    """Return by cluster the category of least summed distance to records whose categories have these weights."""
    # The first of several; where no value is known it is a missing one.
    # Running sums instead of a product of matrices: they add in the order of the categories.
    summed = np.array([(weights[:, None] * matrix).cumsum(axis=0)[-1] for weights in frequencies])
    if known.wildcard:
        summed[:, 0] = np.inf  # a missing value would be at distance 0 from everything
    ordered = np.hstack((summed[:, 1:], summed[:, :1]))  # the missing value is the last of several
    best = ordered.argmin(axis=1)
    found = np.where((best < matrix.shape[0] - 1) & (frequencies[:, 1:] > 0).any(axis=1), best, MISSING)
    return found.astype(np.int32)


def represent(codes: Codes, counts: Integers, assigned: Integers, known: Geometry, centres: Codes) -> None:
    """Put in place, by cluster and categorical attribute, the category of least summed distance to the records."""
    # The first of several: the lower median of an ordinal attribute, the mode of a nominal one. Clusters without
    # records keep what they have.
    clusters = len(centres)
    for v, matrix in enumerate(known.matrices):
        width = len(matrix)
        cells = assigned * width + codes[:, v] + 1
        frequencies = np.bincount(cells, counts, clusters * width).reshape(clusters, width)
        some = frequencies.any(axis=1)
        centres[some, v] = nearest_categories(frequencies[some], matrix, known)


def represent_numbers(
    numbers: Numbers, counts: Integers, assigned: Integers, order: Order, known: Geometry, means: Numbers
) -> None:
    """Put in place, by cluster and numeric attribute, the lower median of the numbers that are there."""
    # The representative is a missing value where all numbers are missing, or enough of them to make it the nearest.
    clusters = np.arange(len(means))
    for v in range(numbers.shape[1]):
        column = numbers[:, v]
        present = np.flatnonzero(~np.isnan(column))
        ascending = order[v, : present.size]
        there = np.bincount(assigned[present], counts[present], clusters.size).astype(np.int64)
        missing = np.bincount(assigned, counts, clusters.size).astype(np.int64) - there
        # Cluster by cluster in ascending order; the lower median is where half of a cluster's records are passed.
        members = ascending[np.argsort(assigned[ascending], kind="stable")]
        half = np.cumsum(there) - there + (there + 1) // 2
        medians = np.searchsorted(np.cumsum(counts[members]), half[there > 0])
        means[there > 0, v] = column[members[medians]]
        away = counts[present] * np.abs(column[present] - means[assigned[present], v]) * known.factors[v]
        # One sum by cluster, the missing ones first and then record by record.
        summed = np.bincount(
            np.concatenate((clusters, assigned[present])), np.concatenate((missing * known.unit, away))
        )
        nearer_to_missing = (there * known.unit < summed) & (not known.wildcard)
        means[(missing > 0) & ((there == 0) | nearer_to_missing), v] = np.nan
