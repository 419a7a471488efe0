"""How many records an intruder cannot tell from each record, in both readings of a missing value."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_masking.distinct import distinct
from evosdc_masking.suppression.keys import Counts, Values, units_of

Masks = NDArray[np.int64]


def alike(values: Values, wildcard: bool) -> Counts:
    """Return how many records each record is like, itself included, shape (n,).

    Parameters
    ----------
    values : ndarray of int32, shape (n, V)
    wildcard : bool
        Whether a missing value is like any value; otherwise it is like missing ones only.
    """
    if len(values) == 0:
        return np.empty(0, dtype=np.int64)
    if wildcard:
        units = units_of(values, 0)
        found, groups = compatible(units.values, units.counts), units.records
    else:
        groups = distinct(values)
        found = np.diff(groups.starts)
    result = np.empty(len(values), dtype=np.int64)
    result[groups.rows] = np.repeat(found, np.diff(groups.starts))
    return result


@njit(cache=True)
def agreements(values: Values, unit: int, masks: Masks) -> None:
    """Set bit a of ``masks[s]`` where `unit` and unit s agree on attribute a, or either has no value of it."""
    for s in range(masks.size):
        masks[s] = 0
    for a in range(values.shape[0]):
        value, bit = values[a, unit], 1 << a
        for s in range(masks.size):
            if value < 0 or values[a, s] == value or values[a, s] < 0:
                masks[s] |= bit


@njit(cache=True)
def compatible(values: Values, counts: Counts) -> Counts:
    """Return how many records agree with each unit on all attributes on which both have values, shape (u,).

    Units without missing values are taken to differ from each other, except those that were divided: equal units are
    found among neighbours, where `units_of` puts them. So only units with missing values are compared with all.

    Parameters
    ----------
    values : ndarray of int32, shape (V, u)
    counts : ndarray of int64, shape (u,)
    """
    width, size = values.shape
    found = np.zeros(size, dtype=np.int64)
    incomplete = np.zeros(size, dtype=np.bool_)
    for a in range(width):
        for s in range(size):
            if values[a, s] < 0:
                incomplete[s] = True
    begin = 0
    while begin < size:
        end, total = begin, 0
        while end < size and _equal(values, begin, end):
            total += counts[end]
            end += 1
        for s in range(begin, end):
            found[s] = total
        begin = end
    masks = np.empty(size, dtype=np.int64)
    full = (1 << width) - 1
    for unit in range(size):
        if incomplete[unit]:
            agreements(values, unit, masks)
            total = 0
            for s in range(size):
                if masks[s] == full:
                    total += counts[s]
                    if not incomplete[s]:
                        found[s] += counts[unit]
            found[unit] = total
    return found


@njit(cache=True)
def _equal(values: Values, one: int, other: int) -> bool:
    differing = 0
    for a in range(values.shape[0]):
        differing += values[a, one] != values[a, other]
    return differing == 0
