"""Clusters of numbers of nearly equal size, cut apart where the records lie least densely.

Microaggregation loses where a border runs between neighbours, and takes the longer the larger the largest cluster. So
each cut gives both sides records in proportion to the clusters that are to be made of them, and its direction is the
one, of the principal components, the attributes and their sum, with the fewest records near the cut. The way is
evosdc's own; cuts across principal components alone are principal direction divisive partitioning, Boley (1998).
"""

import numpy as np

from evosdc.clustering.geometry import Integers, Records
from evosdc.table.spread import spread_of
from evosdc.table.table import Numbers, Rows

SAMPLE = 20_000
"""Distinct records that a direction is chosen by, where there are more: evenly many of their sorted order."""

NEAR = 0.1
"""How near to a cut records count, on either side, in units of the standard deviation of a cluster's attributes."""


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
    """Return the unit vector across which a cut that leaves a share of the records behind it has fewest of them near.

    Sums are numpy's own, which do not depend on how many threads there are.
    """
    chosen = np.linspace(0, len(points) - 1, min(len(points), SAMPLE)).astype(np.intp)
    points, weights = points[chosen], counts[chosen] / counts[chosen].sum()
    centred = points - np.einsum("i,ij->j", weights, points)
    covariance = np.einsum("i,ij,ik->jk", weights, centred, centred)
    width = len(covariance)
    _, components = np.linalg.eigh(covariance)
    # Most variance first: it wins where several have as few.
    candidates = [*components.T[::-1], *np.eye(width), np.full(width, width**-0.5)]
    near = NEAR * float(np.sqrt(np.trace(covariance) / width))
    return min(candidates, key=lambda along: _records_near(centred, weights, along, share, near))


def _records_near(points: Numbers, weights: Numbers, along: Numbers, share: float, near: float) -> float:
    """Return the share of the records that lie near a cut."""
    places = np.einsum("ij,j->i", points, along)
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(weights[order])
    last = min(int(np.searchsorted(ends, share)), len(order) - 2)
    middle = (places[order[last]] + places[order[last + 1]]) / 2.0
    return float(weights[np.abs(places - middle) <= near].sum())
