"""Ties of changed records, and the number of records by size of their tie."""

from typing import Any

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Numbers, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.box_tree import BoxTree, Window, tie_sizes
from evosdc_measures.linkage.coordinates import Coordinates, Metric, points_of_rows
from evosdc_measures.record_figures import LEAF, figure_of, sum_of


@njit(cache=True)
def ties_of_rows(
    codes: Codes,
    numbers: Numbers,
    rows: Rows,
    coordinates: Coordinates,
    originals: Numbers,
    tree: BoxTree,
    metric: Metric,
    everything: Window,
) -> Counts:
    """Return the sizes of the ties that the own records of some masked ones are in, shape (m,).

    Parameters
    ----------
    codes, numbers : ndarray
        Of the masked table.
    rows : ndarray of intp, shape (m,)
    coordinates : Coordinates
    originals : ndarray of float64, shape (n, V)
        Points of the original.
    tree : BoxTree
        Of these.
    metric : Metric
    everything : Window
        That leaves no record out.
    """
    points = points_of_rows(codes, numbers, rows, coordinates)
    own = np.empty(points.shape)
    for number in range(len(rows)):
        own[number] = originals[rows[number]]
    ties = np.zeros(len(rows), np.int32)
    tie_sizes(points, own, np.arange(len(rows)), tree, metric, everything, ties)
    return ties


@njit(cache=True)
def moved_sizes(base: Counts, over: Rows, figures: Counts, changed: Rows, latest: Counts, sizes: Integers) -> Integers:
    """Return the number of records by size of their tie, up to the greatest, after a change.

    Parameters
    ----------
    base, over, figures : ndarray
        Ties before it: see `evosdc_measures.record_figures.Overlay`.
    changed : ndarray of intp, shape (m,)
    latest : ndarray of int32, shape (m,)
        Their ties.
    sizes : ndarray of int64
        Before it; not altered.
    """
    length = len(sizes)
    for tie in latest:
        length = max(length, tie + 1)
    after = np.zeros(length, np.int64)
    after[: len(sizes)] = sizes
    for number in range(len(changed)):
        after[int(figure_of(base, over, figures, changed[number]))] -= 1
        after[latest[number]] += 1
    while length > 1 and after[length - 1] == 0:
        length -= 1
    return after[:length]


def matches_of_sizes(sizes: Integers) -> float:
    """Return the sum over records of one in so many as are tied, taken by size of the tie."""
    if len(sizes) - 1 <= LEAF:
        return float(_matches_of_few(sizes))
    return float((sizes[1:] / np.arange(1, len(sizes))).sum())


def matches_of_children(
    base: Counts, over: Rows, figures: Counts, rows: Rows, ends: Integers, latest: Counts, sizes: Integers
) -> Numbers:
    """Return what `matches_of_sizes` says of several children, of whose changed ties each one's end is told.

    Parameters
    ----------
    base, over, figures, sizes
        Of the parent, as of `moved_sizes`.
    rows : ndarray of intp, shape (m,)
        The changed records, child by child.
    ends : ndarray of int64, shape (k,)
    latest : ndarray of int32, shape (m,)
        Their ties.
    """
    matches: Numbers = _matches_of_children(base, over, figures, rows, ends, latest, sizes)
    for child in np.flatnonzero(np.isnan(matches)).tolist():
        own = slice(int(ends[child - 1]) if child else 0, int(ends[child]))
        matches[child] = matches_of_sizes(moved_sizes(base, over, figures, rows[own], latest[own], sizes))
    return matches


@njit(cache=True)
def _matches_of_children(
    base: Counts, over: Rows, figures: Counts, rows: Rows, ends: Integers, latest: Counts, sizes: Integers
) -> Numbers:
    """Return the matches of several children, NaN where there are more sizes than are added here."""
    matches, begin = np.empty(len(ends)), 0
    for child in range(len(ends)):
        end = ends[child]
        after = moved_sizes(base, over, figures, rows[begin:end], latest[begin:end], sizes)
        matches[child] = _matches_of_few(after) if len(after) - 1 <= LEAF else np.nan
        begin = end
    return matches


@njit(cache=True)
def _matches_of_few(sizes: Integers) -> Any:
    """Return what `matches_of_sizes` does, to the last bit, in less time."""
    shares = np.empty(max(len(sizes) - 1, 1))
    shares[0] = 0.0
    for size in range(1, len(sizes)):
        shares[size - 1] = sizes[size] / size
    return sum_of(shares, 0, len(shares))
