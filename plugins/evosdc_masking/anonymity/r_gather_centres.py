"""Centres of r-gather: compiled loops over rows of distances, none of which is kept."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers
from evosdc_masking.point_search import incomplete_columns, measure
from evosdc_masking.space import Metric

Integers = NDArray[np.int64]

_FEW = 32
"""Up to so many records, keeping the nearest in order is faster than sorting."""


@njit(cache=True)
def necessary_diameter(metric: Metric, codes: Codes, numbers: Numbers, counts: Integers, r: int) -> float:
    """Return the least distance within which every record has r records, itself among them.

    Parameters
    ----------
    metric : Metric
    codes, numbers : ndarray, shape (C, m) and (Q, m)
    counts : ndarray of int64, shape (m,)
        Records at each point, r or more in all.
    r : int
    """
    away = np.empty(counts.size, dtype=np.float64)
    incomplete = incomplete_columns(numbers)
    single = counts.max() == 1
    greatest = 0.0
    for point in range(counts.size):
        if counts[point] >= r:
            continue
        measure(metric, codes, numbers, incomplete, codes[:, point].copy(), numbers[:, point].copy(), away)
        if r <= _FEW:
            reach = _reach_of_few(away, counts, r)
        elif single:
            reach = _selected(away, r - 1)
        else:
            reach = _reach_of_many(away, counts, r)
        greatest = max(greatest, reach)
    return greatest


@njit(cache=True)
def _selected(values: Numbers, rank: int) -> float:
    """Return the value of a rank from 0, and reorder the values; Hoare (1961). numpy's takes seconds to compile."""
    low, high = 0, values.size - 1
    while low < high:
        pivot, left, right = values[(low + high) // 2], low, high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if rank <= right:
            high = right
        elif rank >= left:
            low = left
        else:
            break
    selected: float = values[rank]
    return selected


@njit(cache=True)
def _reach_of_few(away: Numbers, counts: Integers, r: int) -> float:
    """Return the distance of the r-th nearest record, by keeping the nearest points in order."""
    distances = np.empty(r + 1, dtype=np.float64)
    amounts = np.empty(r + 1, dtype=np.int64)
    filled, total = 0, 0
    for other in range(counts.size):
        if total >= r and away[other] >= distances[filled - 1]:
            continue
        place = filled
        while place > 0 and distances[place - 1] > away[other]:
            distances[place], amounts[place] = distances[place - 1], amounts[place - 1]
            place -= 1
        distances[place], amounts[place] = away[other], counts[other]
        filled += 1
        total += counts[other]
        while total - amounts[filled - 1] >= r:
            filled -= 1
            total -= amounts[filled]
    farthest: float = distances[filled - 1]
    return farthest


@njit(cache=True)
def _reach_of_many(away: Numbers, counts: Integers, r: int) -> float:
    """Return the distance of the r-th nearest record, by sorting all points."""
    total = 0
    reach = 0.0
    for other in np.argsort(away):
        if total >= r:
            break
        total += counts[other]
        reach = away[other]
    return reach


@njit(cache=True)
def centres_of(
    metric: Metric, codes: Codes, numbers: Numbers, diameter: float, most: int, most_pairs: int
) -> tuple[Integers, Integers, Integers, float, float]:
    """Choose centres, in the order of the points, until every point is within a diameter of one.

    Parameters
    ----------
    metric : Metric
    codes, numbers : ndarray, shape (C, m) and (Q, m)
    diameter : float
    most, most_pairs : int
        The search is given up at more centres, or more pairs, than these.

    Returns
    -------
    centres : ndarray of int64
        Points.
    begins, reached : ndarray of int64
        ``reached[begins[i]:begins[i + 1]]`` are the points within the diameter of centre i.
    below, above : float
        Greatest distance from a centre within the diameter, and least one beyond it.
    """
    size = codes.shape[1] if codes.shape[0] else numbers.shape[1]
    away = np.empty(size, dtype=np.float64)
    incomplete = incomplete_columns(numbers)
    marked = np.zeros(size, dtype=np.bool_)
    centres = np.empty(min(most, size) + 1, dtype=np.int64)
    begins = np.zeros(centres.size + 1, dtype=np.int64)
    reached = np.empty(max(size, 1024), dtype=np.int64)
    chosen, pairs = 0, 0
    below, above = 0.0, np.inf
    for point in range(size):
        if marked[point]:
            continue
        centres[chosen] = point
        measure(metric, codes, numbers, incomplete, codes[:, point].copy(), numbers[:, point].copy(), away)
        for other in range(size):
            if away[other] > diameter:
                above = min(above, away[other])
                continue
            below = max(below, away[other])
            marked[other] = True
            if pairs == reached.size:
                longer = np.empty(2 * pairs, dtype=np.int64)
                for pair in range(pairs):
                    longer[pair] = reached[pair]
                reached = longer
            reached[pairs] = other
            pairs += 1
        chosen += 1
        begins[chosen] = pairs
        if chosen > most or pairs > most_pairs:
            break
    return centres[:chosen], begins[: chosen + 1], reached[:pairs], below, above


@njit(cache=True)
def nearest_centres(metric: Metric, codes: Codes, numbers: Numbers, centres: Integers) -> tuple[Integers, Numbers]:
    """Return the number of the centre nearest to each point, the first in a tie, and its distance, shapes (m,)."""
    size = codes.shape[1] if codes.shape[0] else numbers.shape[1]
    away = np.empty(size, dtype=np.float64)
    incomplete = incomplete_columns(numbers)
    nearest = np.zeros(size, dtype=np.int64)
    least = np.full(size, np.inf)
    for number in range(centres.size):
        centre = centres[number]
        measure(metric, codes, numbers, incomplete, codes[:, centre].copy(), numbers[:, centre].copy(), away)
        for point in range(size):
            if away[point] < least[point]:
                nearest[point], least[point] = number, away[point]
    return nearest, least
