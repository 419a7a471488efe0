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
from numpy.typing import NDArray

from evosdc.table.schema import Scale
from evosdc.table.table import Numbers

Counts = NDArray[np.float64] | NDArray[np.int64]
Categories = NDArray[np.int64]
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


def lower_median(counts: Counts) -> Categories:
    """Return the lower median category.

    Parameters
    ----------
    counts : ndarray, shape (..., c)
        Frequency of each category, in the order of the categories.

    Returns
    -------
    ndarray of int64, shape (...)
        Least category with at least half of all values at or below it; -1 where all counts are 0.
    """
    # Running sums instead of `sum`: they add in the order of the categories, whatever the shape.
    below = counts.cumsum(axis=-1)
    found = np.argmax(2 * below >= below[..., -1:], axis=-1)
    return np.where(below[..., -1] > 0, found, -1)


def mode(counts: Counts) -> Categories:
    """Return the most frequent category, the first of them in a tie; -1 where all counts are 0."""
    return np.where(counts.max(axis=-1) > 0, counts.argmax(axis=-1), -1)


def convex(counts: Counts) -> Counts:
    """Return the least frequencies, none below the given ones, that rise to a summit and fall from there."""
    rising = np.maximum.accumulate(counts, axis=-1)
    falling = np.maximum.accumulate(counts[..., ::-1], axis=-1)[..., ::-1]
    return np.minimum(rising, falling)


def nearest_mean(counts: Counts) -> Categories:
    """Return the category nearest to the mean of the positions, the lower in a tie; -1 where all counts are 0."""
    total = counts.cumsum(axis=-1)[..., -1]
    moment = (np.arange(counts.shape[-1]) * counts).cumsum(axis=-1)[..., -1]
    nearest = np.ceil(moment / np.where(total > 0, total, 1) - 0.5).astype(np.int64)
    return np.where(total > 0, nearest, -1)


def average_category(counts: Counts, rule: int, wildcard: bool) -> Categories:
    """Return the average of values that may be missing.

    Parameters
    ----------
    counts : ndarray, shape (..., c + 1)
        Frequency of each category; the last entry is that of missing values.
    rule : int
        Of `average_rule`.
    wildcard : bool
        Whether missing values equal anything, so that they have no say beside present ones.

    Returns
    -------
    ndarray of int64, shape (...)
        Codes, -1 for missing.
    """
    present, missing = counts[..., :-1], counts[..., -1]
    if present.shape[-1] == 0:
        return np.full(missing.shape, -1)
    if rule == MODE:
        average, most = mode(present), present.max(axis=-1)
    else:
        most = present.cumsum(axis=-1)[..., -1]
        if rule == MEAN:
            average = nearest_mean(present)
        else:
            average = lower_median(convex(present) if rule == CONVEX_MEDIAN else present)
    return average if wildcard else np.where(missing > most, -1, average)


def average_number(values: Numbers, weights: Numbers, rule: int) -> Numbers:
    """Return the averages of rows of numbers, none of them missing.

    Parameters
    ----------
    values : ndarray of float64, shape (g, m), m >= 1
    weights : ndarray of float64, shape (g, m)
        Positive.
    rule : int
        Of `average_rule`: the mean; the median, the midpoint of both middle values where there are two; or the mode,
        the least of equally frequent values. `LOWER_MEDIAN` is the lower of the two, which some record has.

    Returns
    -------
    ndarray of float64, shape (g,)
        Between the least and the greatest value of each row.
    """
    if rule == MEAN:
        with np.errstate(over="ignore", invalid="ignore"):
            means = (weights * values).cumsum(axis=1)[:, -1] / weights.cumsum(axis=1)[:, -1]
        # rounding must not push the mean of equal values off them
        clipped: Numbers = np.clip(means, values.min(axis=1), values.max(axis=1))
        return clipped
    order = np.argsort(values, axis=1, kind="stable")
    ordered, counted = np.take_along_axis(values, order, axis=1), np.take_along_axis(weights, order, axis=1)
    return _most_frequent(ordered, counted) if rule == MODE else _middle(ordered, counted, rule == LOWER_MEDIAN)


def _most_frequent(values: Numbers, weights: Numbers) -> Numbers:
    begins = np.ones(values.shape, dtype=np.bool_)
    begins[:, 1:] = values[:, 1:] != values[:, :-1]
    ends = np.ones(values.shape, dtype=np.bool_)
    ends[:, :-1] = begins[:, 1:]
    runs = np.cumsum(begins) - 1
    totals = np.bincount(runs, weights.ravel())[runs].reshape(values.shape)
    best = np.where(ends, totals, 0.0).argmax(axis=1)
    found: Numbers = values[np.arange(len(values)), best]
    return found


def _middle(values: Numbers, weights: Numbers, lower: bool) -> Numbers:
    below = weights.cumsum(axis=1)
    half = below[:, -1] / 2
    place, rows = np.argmax(below >= half[:, None], axis=1), np.arange(len(values))
    low, high = values[rows, place], values[rows, np.minimum(place + 1, values.shape[1] - 1)]
    with np.errstate(over="ignore"):
        middle = np.where((low < 0) & (high > 0), low / 2 + high / 2, low + (high - low) / 2)
    median: Numbers = np.where((below[rows, place] > half) | lower, low, middle)
    return median
