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


def compatible(values: Values, counts: Counts) -> Counts:
    """Return how many records agree with each unit on all attributes on which both have values, shape (u,).

    Only units with missing values are compared with all.

    Parameters
    ----------
    values : ndarray of int32, shape (V, u)
    counts : ndarray of int64, shape (u,)
    """
    classes = distinct(np.ascontiguousarray(values.T))
    equal = np.add.reduceat(counts[classes.rows], classes.starts[:-1])
    found = np.empty(counts.size, dtype=np.int64)
    found[classes.rows] = np.repeat(equal, np.diff(classes.starts))
    complete = (values >= 0).all(axis=0)
    masks, full = np.empty(counts.size, dtype=np.int64), (1 << len(values)) - 1
    for unit in np.flatnonzero(~complete).tolist():
        agreements(values, unit, masks)
        agreeing = masks == full
        found[agreeing & complete] += counts[unit]
        found[unit] = counts[agreeing].sum()
    return found
