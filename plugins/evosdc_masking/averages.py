"""Averages of a class: lower medians of ordinal attributes, modes of nominal ones, means of numbers, unless told else.

With an even number of values the lower of the two middle categories is taken, so an average is always a category of
the domain; categories of equal frequency are decided by the order of the categories (thesis 2.3; Domingo-Ferrer and
Torra 2005). Three more are offered where a scale has them:

- the convex median of an ordinal attribute: the median of the least frequencies that are no less than the given ones
  and rise to a summit and fall from there, ``min(max(f[:i + 1]), max(f[i:]))``. The literature names the convex median
  and compares it with the median; its definition is not in the sources, so this is a reconstruction;
- the mode of ordinal categories and of numbers;
- the mean of ordinal categories: the category nearest to the mean of their positions, the lower in a tie; it takes the
  steps between categories as equal.

How missing values take part is a choice of evosdc, a reconstruction: under the rule ``category`` a missing value
competes for the mode as the last category, and any other average is missing where more than half of the values are;
under ``wildcard`` an average is missing only where all values are. In a sample with weights a record counts its weight.
"""

from typing import Final, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.schema import Scale
from evosdc.table.table import Numbers
from evosdc_masking.order import stable_order

Counts = NDArray[np.float64] | NDArray[np.int64]
Average = Literal["median", "convex-median", "mode", "mean"]

MODE: Final = 0
MEDIAN: Final = 1
CONVEX_MEDIAN: Final = 2
MEAN: Final = 3
LOWER_MEDIAN: Final = 4

_RULES: dict[Average, int] = {"mode": MODE, "median": MEDIAN, "convex-median": CONVEX_MEDIAN, "mean": MEAN}


def average_rule(scale: Scale, average: Average | None = None) -> int:
    """Return which average an attribute gets.

    Parameters
    ----------
    scale : Scale
    average : {"median", "convex-median", "mode", "mean"}, optional
        What was asked for; None for the scale's own. Nominal categories have no other average than their mode; the
        convex median of numbers, which have no domain whose gaps could be filled, is their median.
    """
    if scale is Scale.NOMINAL:
        return MODE
    if average is None:
        return MEDIAN if scale is Scale.ORDINAL else MEAN
    rule = _RULES[average]
    return MEDIAN if scale is Scale.NUMERIC and rule == CONVEX_MEDIAN else rule


@njit(cache=True)
def lower_median(counts: Counts) -> int:
    """Return the lower median category.

    Parameters
    ----------
    counts : ndarray, shape (c,)
        Frequency of each category, in the order of the categories.

    Returns
    -------
    int
        Least category with at least half of all values at or below it; -1 when all counts are 0.
    """
    total = 0.0
    for category in range(counts.size):
        total += counts[category]
    if total == 0:
        return -1
    below = counts[0]
    category = 0
    while 2 * below < total and category < counts.size - 1:
        category += 1
        below += counts[category]
    return category


@njit(cache=True)
def mode(counts: Counts) -> int:
    """Return the most frequent category, the first of them in a tie; -1 when all counts are 0."""
    best = -1
    for category in range(counts.size):
        if counts[category] > (counts[best] if best >= 0 else 0):
            best = category
    return best


@njit(cache=True)
def convex(counts: Counts) -> Counts:
    """Return the least frequencies, none below the given ones, that rise to a summit and fall from there."""
    hull = counts.copy()
    for category in range(1, hull.size):
        hull[category] = max(hull[category], hull[category - 1])
    greatest = counts[counts.size - 1]
    for category in range(counts.size - 1, -1, -1):
        greatest = max(greatest, counts[category])
        hull[category] = min(hull[category], greatest)
    return hull


@njit(cache=True)
def nearest_mean(counts: Counts) -> int:
    """Return the category nearest to the mean of the positions, the lower in a tie; -1 when all counts are 0."""
    total = 0.0
    moment = 0.0
    for category in range(counts.size):
        total += counts[category]
        moment += category * counts[category]
    return int(np.ceil(moment / total - 0.5)) if total > 0 else -1


@njit(cache=True)
def average_category(counts: Counts, rule: int, wildcard: bool) -> int:
    """Return the average of values that may be missing.

    Parameters
    ----------
    counts : ndarray, shape (c + 1,)
        Frequency of each category; the last entry is that of missing values.
    rule : int
        Of `average_rule`.
    wildcard : bool
        Whether missing values equal anything, so that they have no say beside present ones.

    Returns
    -------
    int
        A code, -1 for missing.
    """
    present = counts[:-1]
    missing = counts[-1] * (not wildcard)
    if rule == MODE:
        best = mode(present)
        return -1 if best >= 0 and missing > present[best] else best
    known = 0.0
    for category in range(present.size):
        known += present[category]
    if missing > known or present.size == 0:
        return -1
    if rule == MEAN:
        return nearest_mean(present)
    return lower_median(convex(present) if rule == CONVEX_MEDIAN else present)


@njit(cache=True)
def average_number(values: Numbers, weights: Numbers, rule: int) -> float:
    """Return the average of numbers, none of them missing.

    Parameters
    ----------
    values : ndarray of float64, shape (m,), m >= 1
    weights : ndarray of float64, shape (m,)
        Positive.
    rule : int
        Of `average_rule`: the mean; the median, the midpoint of both middle values where there are two; or the mode,
        the least of equally frequent values. `LOWER_MEDIAN` is the lower of the two, which some record has.

    Returns
    -------
    float
        Between the least and the greatest value.
    """
    if rule == MEAN:
        total = 0.0
        moment = 0.0
        for i in range(values.size):
            total += weights[i]
            moment += weights[i] * values[i]
        # rounding must not push the mean of equal values off them
        least = greatest = values[0]
        for i in range(values.size):
            least, greatest = min(least, values[i]), max(greatest, values[i])
        average: float = min(max(moment / total, least), greatest)
        return average
    order = stable_order(values)
    ordered, counted = np.empty(values.size, dtype=np.float64), np.empty(values.size, dtype=np.float64)
    for i in range(values.size):
        ordered[i], counted[i] = values[order[i]], weights[order[i]]
    return _most_frequent(ordered, counted) if rule == MODE else _middle(ordered, counted, rule == LOWER_MEDIAN)


@njit(cache=True)
def _most_frequent(values: Numbers, weights: Numbers) -> float:
    best: float = values[0]
    most = 0.0
    count = 0.0
    for i in range(values.size):
        same = i > 0 and values[i] == values[i - 1]
        count = (count if same else 0.0) + weights[i]
        if count > most:
            best, most = values[i], count
    return best


@njit(cache=True)
def _middle(values: Numbers, weights: Numbers, lower: bool) -> float:
    total = 0.0
    for weight in weights:
        total += weight
    half = total / 2
    below = 0.0
    place = 0
    while place < values.size - 1 and below + weights[place] < half:
        below += weights[place]
        place += 1
    low: float = values[place]
    if lower or below + weights[place] > half or place == values.size - 1:
        return low
    high: float = values[place + 1]
    return low / 2 + high / 2 if low < 0 < high else low + (high - low) / 2
