"""How far the records of a cluster are spread, attribute by attribute, and how far they would be with one more."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers
from evosdc_masking.point_search import BLOCK
from evosdc_masking.space import Metric, Space


class Extents(NamedTuple):
    """The spread of each cluster; arrays that are filled while clusters grow.

    Parameters
    ----------
    spreads : ndarray of float64, shape (m, C)
        Greatest distance between two categories of a cluster.
    low, high : ndarray of float64, shape (m, Q)
        Least and greatest number; infinity and minus infinity where a cluster has none.
    absent : ndarray of bool, shape (m, Q)
        Whether a number is missing in a cluster.
    """

    spreads: Numbers
    low: Numbers
    high: Numbers
    absent: NDArray[np.bool_]


def empty_extents(clusters: int, space: Space) -> Extents:
    """Return the spreads of so many clusters without records."""
    numeric = (clusters, len(space.numbers))
    return Extents(
        np.zeros((clusters, len(space.codes))),
        np.full(numeric, np.inf),
        np.full(numeric, -np.inf),
        np.zeros(numeric, dtype=np.bool_),
    )


@njit(cache=True)
def breadth(metric: Metric, low: float, high: float, absent: bool) -> float:
    """Return the spread of a cluster's numbers, a missing one as far from others as the metric says."""
    if low > high:
        return 0.0
    return metric.apart if absent and not metric.wildcard else high - low


@njit(cache=True)
def extend(
    metric: Metric, codes: Codes, numbers: Numbers, point: int, extents: Extents, group: int, reach: Numbers
) -> None:
    """Take a record into a cluster.

    Parameters
    ----------
    metric : Metric
    codes, numbers : ndarray, shape (C, m) and (Q, m)
        The points of a `Space`.
    point : int
        The record's.
    extents : Extents
        Is updated.
    group : int
        Number of the cluster.
    reach : ndarray of float64, shape (C, largest domain with missing)
        Greatest distance of each category from the cluster's; is updated.
    """
    for j in range(codes.shape[0]):
        size, code = metric.sizes[j], codes[j, point]
        extents.spreads[group, j] = max(extents.spreads[group, j], reach[j, code])
        start = metric.offsets[j] + code * size
        for category in range(size):
            reach[j, category] = max(reach[j, category], metric.distances[start + category])
    for q in range(numbers.shape[0]):
        value = numbers[q, point]
        if np.isnan(value):
            extents.absent[group, q] = True
        else:
            extents.low[group, q] = min(extents.low[group, q], value)
            extents.high[group, q] = max(extents.high[group, q], value)


@njit(cache=True)
def spread_with(
    metric: Metric,
    codes: Codes,
    numbers: Numbers,
    incomplete: NDArray[np.bool_],
    extents: Extents,
    group: int,
    reach: Numbers,
    spread: Numbers,
) -> None:
    """Write the sum of spreads that a cluster would have with each point, shape (m,), to `spread`."""
    rows = np.empty((reach.shape[0], reach.shape[1]), dtype=np.float64)
    for j in range(codes.shape[0]):
        for category in range(rows.shape[1]):
            rows[j, category] = max(reach[j, category], extents.spreads[group, j])
    for begin in range(0, spread.size, BLOCK):
        block = spread[begin : begin + BLOCK]
        block[:] = 0.0
        for j in range(codes.shape[0]):
            row = rows[j]
            column = codes[j, begin : begin + BLOCK]
            for i in range(block.size):
                block[i] += row[np.uint32(column[i])]
        for q in range(numbers.shape[0]):
            low, high, absent = extents.low[group, q], extents.high[group, q], extents.absent[group, q]
            values = numbers[q, begin : begin + BLOCK]
            if incomplete[q]:
                for i in range(block.size):
                    if np.isnan(values[i]):
                        block[i] += breadth(metric, low, high, True)
                    else:
                        block[i] += breadth(metric, min(low, values[i]), max(high, values[i]), absent)
            else:
                for i in range(block.size):
                    block[i] += max(high, values[i]) - min(low, values[i])
