"""Fuzzy c-median clustering: records belong to several clusters, by degrees; and how such partitions compare.

The scheme of fuzzy c-means (Bezdek, 1981) with the distances and representatives of c-median. The objective is the sum
of ``u_rk**m d(x_r, v_k)`` over records r and clusters k, where the memberships ``u_rk`` of a record sum to 1. Given the
representatives, ``u_rk`` goes by ``d_rk ** (-1 / (m - 1))``; given the memberships, representatives are weighted lower
medians and modes. Neither step raises the objective. With m near 1 the memberships become those of `c_median`. The
choice of distance and of medians is a reconstruction: the handbook chapter (35.5.2) only names fuzzy clustering.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from evosdc.clustering.geometry import (
    Geometry,
    Integers,
    Order,
    distances_to,
    geometry_of,
    nearest_categories,
    records_of,
)
from evosdc.table.table import Codes, Numbers, Table

Memberships = NDArray[np.float64]  # how far each record belongs to each cluster, shape (m, c); rows sum to 1


def belong(
    codes: Codes,
    numbers: Numbers,
    counts: Integers,
    centres: Codes,
    means: Numbers,
    known: Geometry,
    fuzziness: float,
    memberships: Memberships,
) -> float:
    """Put in place the memberships of least objective, and return it: the sum of ``u**fuzziness * d``."""
    # ``u`` goes by ``d ** (-1 / (fuzziness - 1))``; a record at no distance from some representatives belongs to these
    # alone, in equal shares.
    distances = np.ascontiguousarray(distances_to(codes, numbers, centres, means, known).T)
    return float(_belong(distances, counts, fuzziness, memberships))


@njit(cache=True)
def _belong(distances: Numbers, counts: Integers, fuzziness: float, memberships: Memberships) -> float:
    # Compiled, since numpy's powers differ in the last bit from one processor to another.
    rows, clusters = distances.shape
    power, total = 1.0 / (fuzziness - 1.0), 0.0
    for row in range(rows):
        least, summed = np.inf, 0.0
        for centre in range(clusters):
            least = min(least, distances[row, centre])
        for centre in range(clusters):
            # By ratios of at most 1, whose powers do not overflow.
            far = distances[row, centre]
            share = 1.0 if far <= least else (least / far) ** power
            memberships[row, centre] = share
            summed += share
        for centre in range(clusters):
            memberships[row, centre] /= summed
            total += counts[row] * memberships[row, centre] ** fuzziness * distances[row, centre]
    return total


def represent_degrees(codes: Codes, weights: Memberships, known: Geometry, centres: Codes) -> None:
    """Put in place, by cluster and categorical attribute, the category of least weighted distance to all records."""
    # Clusters to which nothing belongs keep what they have.
    for v, matrix in enumerate(known.matrices):
        frequencies = np.array([np.bincount(codes[:, v] + 1, column, len(matrix)) for column in weights.T])
        some = frequencies.sum(axis=1) > 0.0
        centres[some, v] = nearest_categories(frequencies[some], matrix, known)


def represent_number_degrees(
    numbers: Numbers, weights: Memberships, order: Order, known: Geometry, means: Numbers
) -> None:
    """Put in place, by cluster and numeric attribute, the lower weighted median of the numbers that are there."""
    # A missing number stands in as in `evosdc.clustering.geometry.represent_numbers`.
    for v in range(numbers.shape[1]):
        column = numbers[:, v]
        present = ~np.isnan(column)
        there, missing = _summed(weights[present]), _summed(weights[~present])
        ascending = order[v, : int(present.sum())]
        if ascending.size:
            passed = 2.0 * weights[ascending].cumsum(axis=0) >= there
            reached = passed.any(axis=0) & (there > 0.0)
            means[reached, v] = column[ascending[passed.argmax(axis=0)[reached]]]
        if known.wildcard:
            means[(missing > 0.0) & (there == 0.0), v] = np.nan
            continue
        far = np.abs(column[present, None] - means[:, v]) * known.factors[v]
        summed = _summed(np.vstack((missing * known.unit, weights[present] * far)))
        means[(missing > 0.0) & (there * known.unit < summed), v] = np.nan


def _summed(rows: Memberships) -> Numbers:
    """Return the sums by cluster, added record by record."""
    summed: Numbers = np.vstack((np.zeros(rows.shape[1]), rows)).cumsum(axis=0)[-1]
    return summed


MOST_FUZZY = 10.0  # the greatest fuzziness; above it everything belongs to all clusters alike
MOST_ROUNDS = 200  # rounds after which a fuzzy clustering ends, settled or not


@dataclass(frozen=True, eq=False)
class FuzzyClustering:
    """Degrees to which records belong to clusters."""

    memberships: Memberships  # from 0 to 1; those of a record sum to 1
    representatives: Table  # one record for each cluster: weighted medians and modes
    # After each round, of which none is greater than the one before, unless missing values are wildcards; an attribute
    # that differs as much as it can counts 1.
    objectives: tuple[float, ...]

    @property
    def partition_coefficient(self) -> float:
        """Mean over records of the summed squares of memberships (Bezdek): 1 if crisp, 1 / c if all are alike."""
        return float((self.memberships**2).sum() / len(self.memberships))


def fuzzy_c_median(
    table: Table,
    begin: Table,  # the representatives to begin with, in the same attributes, such as those that `c_median` finds
    fuzziness: float = 2.0,  # the exponent m, above 1 and at most `MOST_FUZZY`
    rounds: int = MOST_ROUNDS,
    known: Geometry | None = None,  # distances to go by; by default those of the table
) -> FuzzyClustering:
    """Return fuzzy clusters of a file's records by all of its attributes."""
    if not 1.0 < fuzziness <= MOST_FUZZY:
        raise ValueError(f"fuzziness {fuzziness} is not in (1, {MOST_FUZZY}]")
    records, known = records_of(table), known or geometry_of(table)
    centres, means = begin.codes.copy(), begin.numbers.copy()
    order: Order = np.argsort(records.numbers.T, axis=1, kind="stable").astype(np.int32)
    memberships = np.empty((len(records.counts), len(begin)))
    objectives: list[float] = []
    for _ in range(rounds):
        objectives.append(
            belong(records.codes, records.numbers, records.counts, centres, means, known, fuzziness, memberships)
        )
        before = centres.copy(), means.copy()
        weights = records.counts[:, None] * memberships**fuzziness
        represent_degrees(records.codes, weights, known, centres)
        represent_number_degrees(records.numbers, weights, order, known, means)
        if np.array_equal(before[0], centres) and np.array_equal(before[1], means, equal_nan=True):
            break
    else:
        objectives.append(
            belong(records.codes, records.numbers, records.counts, centres, means, known, fuzziness, memberships)
        )
    found = tuple(objective / known.unit for objective in objectives)
    return FuzzyClustering(memberships[records.of], Table(table.schema, centres, means), found)


MOST_PAIRS = 3000  # distinct pairs of membership vectors that are compared with each other; of more, as many are drawn


def fuzzy_rand(first: Memberships, second: Memberships) -> float:
    """Return the fuzzy Rand index of two fuzzy partitions (Huellermeier, Rifqi, Henzgen and Senge, 2012)."""
    # Two records are together in a partition to the degree 1 minus half the sum of absolute differences of their
    # memberships. The index is 1 minus the mean, over all pairs of records, of the absolute difference of these
    # degrees: 1 for equal partitions, whatever the clusters are called, and the Rand index for crisp ones.
    rows, counts = np.unique(np.hstack([first, second]), axis=0, return_counts=True)
    if len(rows) > MOST_PAIRS:
        drawn = np.random.default_rng(0).choice(len(first), size=MOST_PAIRS, replace=False)
        rows, counts = np.hstack([first, second])[np.sort(drawn)], np.ones(MOST_PAIRS, dtype=np.int64)
    n = int(counts.sum())
    if n < 2:
        return 1.0
    split = first.shape[1]
    one, other = np.ascontiguousarray(rows[:, :split]), np.ascontiguousarray(rows[:, split:])
    return float(1.0 - _apart(one, other, counts.astype(np.int64)) / (n * (n - 1) / 2))


def _apart(first: Memberships, second: Memberships, counts: Integers) -> float:
    """Return the sum over pairs of records of the difference of their degrees of co-membership."""
    # Each by itself, so that equal ones differ by nothing to the last bit.
    one, two = cdist(first, first, "cityblock"), cdist(second, second, "cityblock")
    differences = np.multiply.outer(counts, counts) * np.abs(one - two) / 2.0
    pairs = differences[np.tri(counts.size, k=-1, dtype=np.bool_)]
    return float(pairs.cumsum()[-1]) if pairs.size else 0.0
