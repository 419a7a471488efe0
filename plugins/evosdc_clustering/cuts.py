"""Clusters of numbers of nearly equal size, cut apart where few neighbours are separated.

Microaggregation loses where a border runs between neighbours, and takes the longer the larger the largest cluster. So
each cut gives both sides records in proportion to the clusters that are to be made of them. Its direction is that one,
of the principal components, the attributes and their sum, which leaves records nearest to neighbours on their own side.
The way is evosdc's own; cuts across principal components alone are principal direction divisive partitioning, Boley
(1998).
"""

import numpy as np
from scipy.spatial.distance import cdist

from evosdc.clustering.geometry import Integers, Records
from evosdc.table.spread import spread_of
from evosdc.table.table import Numbers, Rows

SAMPLE = 1000
"""Distinct records that a direction is chosen by, where there are more: evenly many of their sorted order."""

NEIGHBOURS = 4
"""Nearest records whose distances count."""


def cut_apart(records: Records, clusters: int) -> Integers:
    """Return the cluster of each distinct record, shape (m,), from 0.

    Parameters
    ----------
    records : Records
        The distinct records of a table without categories; a missing number counts as the mean.
    clusters : int
        1..m. No cluster is empty.
    """
    points = _standardised(records)
    labels = np.empty(len(points), dtype=np.int64)
    waiting: list[tuple[Rows, int, int]] = [(np.arange(len(points)), clusters, 0)]
    while waiting:
        rows, number, label = waiting.pop()
        if number == 1:
            labels[rows] = label
            continue
        few = number // 2
        ahead, behind = _cut(points[rows], records.counts[rows], few, number)
        waiting += [(rows[ahead], few, label), (rows[behind], number - few, label + few)]
    return labels


def _standardised(records: Records) -> Numbers:
    """Return the numbers in units of the standard deviations that they have among all records."""
    points = np.zeros_like(records.numbers)
    for j, values in enumerate(records.numbers.T):
        spread = spread_of(np.repeat(values, records.counts))
        if spread.farthest:
            centred = (values - np.nanmean(values)) / spread.farthest / spread.deviation
            points[:, j] = np.nan_to_num(centred, nan=0.0)
    return points


def _cut(points: Numbers, counts: Integers, few: int, number: int) -> tuple[Rows, Rows]:
    """Return the positions of the records of few clusters, and of all others of a number, ascending."""
    along = _direction(points, counts, few / number)
    order = np.lexsort([*points.T[::-1], np.einsum("ij,j->i", points, along)])
    ends = np.cumsum(counts[order])
    at = 1 + int(np.searchsorted(ends, ends[-1] * few / number))
    at = min(max(at, few), len(points) - (number - few))
    return np.sort(order[:at]), np.sort(order[at:])


def _direction(points: Numbers, counts: Integers, share: float) -> Numbers:
    """Return the unit vector across which a cut that leaves a share of the records behind it separates them least.

    Sums are numpy's own, which do not depend on how many threads there are.
    """
    chosen = np.linspace(0, len(points) - 1, min(len(points), SAMPLE)).astype(np.intp)
    points, weights = points[chosen], counts[chosen] / counts[chosen].sum()
    centred = points - np.einsum("i,ij->j", weights, points)
    _, components = np.linalg.eigh(np.einsum("i,ij,ik->jk", weights, centred, centred))
    # Most variance first: it wins where several separate as little.
    width = points.shape[1]
    candidates = [*components.T[::-1], *np.eye(width), np.full(width, width**-0.5)]
    apart = cdist(centred, centred, "sqeuclidean")
    np.fill_diagonal(apart, np.inf)
    return min(candidates, key=lambda along: _separated(centred, weights, apart, along, share))


def _separated(points: Numbers, weights: Numbers, apart: Numbers, along: Numbers, share: float) -> float:
    """Return how far records are from their nearest neighbours on their own side of a cut: the mean square."""
    order = np.argsort(np.einsum("ij,j->i", points, along), kind="stable")
    at = int(np.argmin(np.abs(np.cumsum(weights[order]) - share))) + 1
    at = min(max(at, 1), len(order) - 1)
    sides = [np.sort(order[:at]), np.sort(order[at:])]
    return sum(float(weights[side] @ _to_neighbours(apart[np.ix_(side, side)])) for side in sides)


def _to_neighbours(apart: Numbers) -> Numbers:
    """Return the mean squared distance of each record to its nearest ones; zero where there is none."""
    nearest = min(NEIGHBOURS, len(apart) - 1)
    if nearest < 1:
        return np.zeros(len(apart))
    found: Numbers = np.partition(apart, nearest - 1, axis=1)[:, :nearest].mean(axis=1)
    return found
