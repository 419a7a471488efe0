"""Local suppression where a missing value may be anything.

A suppressed value makes its record like more records and no record like fewer, so records are relieved one after the
other. Each that is like fewer than k records loses the values that cost least among all choices that make it like k.
Among equally cheap choices those are taken that bring most other such records nearer to k. Later suppressions may make
earlier ones needless; these are taken back at the end, dearest values first, as long as every record stays like k. At
last some are given back and found anew in other orders (`exchange`).
"""

import numpy as np

from evosdc_masking.suppression.agreement import compatible
from evosdc_masking.suppression.exchange import exchanged
from evosdc_masking.suppression.keys import Values, units_of
from evosdc_masking.suppression.relief import Weights, relieve, take_back


def suppressed_for_wildcards(values: Values, k: int, weights: Weights) -> Values:
    """Return the values with some suppressed, so that every record is compatible with k records, itself included.

    Parameters
    ----------
    values : ndarray of int32, shape (n, V)
    k : int
        At most n.
    weights : ndarray of float64, shape (V,)
        Cost of suppressing one value of each attribute, positive.

    Returns
    -------
    ndarray of int32, shape (n, V)
    """
    units = units_of(values, k)
    state, found = units.values.copy(), compatible(units.values, units.counts)
    order = np.argsort(found, kind="stable")
    order = order[found[order] < k]
    relieve(state, units.counts, found, weights, k, order)
    take_back(state, units.values, units.counts, found, weights, k, order[::-1].copy())
    exchanged(state, units.values, units.counts, found, weights, k)
    result = np.empty_like(values)
    result[units.records.rows] = np.repeat(state.T, units.counts, axis=0)
    return result
