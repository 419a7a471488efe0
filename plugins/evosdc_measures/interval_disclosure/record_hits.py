"""How often the values of each record lie inside their intervals."""

import numpy as np
from numba import njit

from evosdc.table.table import Codes
from evosdc_measures.domains import Integers


@njit(cache=True)
def hits_of_records(original: Codes, masked: Codes, widths: Integers, orders: Integers, percents: Integers) -> Integers:
    """Return the hits of each record in all attributes that are counted, shape (n,); O(n V P).

    Parameters
    ----------
    original, masked : ndarray of int32, shape (n, V)
    widths : ndarray of int64, shape (V,)
        As of `evosdc_measures.joint.JointLayout`; attributes of width 0 are left out.
    orders : ndarray of int64
        Of those counted, one after another: see `evosdc_measures.interval_disclosure.cells.orders_of`.
    percents : ndarray of int64, shape (P,)
    """
    n, begin, same = len(original), 0, len(percents)
    hits = np.zeros(n, np.int64)
    for v in range(len(widths)):
        width = widths[v]
        if width == 0:
            continue
        order = orders[begin : begin + width]
        begin += width
        if width == 1 or order[1] == 0:
            for row in range(n):
                hits[row] += same if original[row, v] == masked[row, v] else 0
            continue
        places, through = np.empty(width, np.int64), np.zeros(width, np.int64)
        for place in range(width):
            places[order[place]] = place
        for row in range(n):
            through[places[masked[row, v] + 1]] += 1
        through[0] = 0  # what is missing has no rank
        through = np.cumsum(through)
        for row in range(n):
            own, shown = places[original[row, v] + 1], places[masked[row, v] + 1]
            if own == 0 or shown == 0:
                hits[row] += same if own == shown else 0
                continue
            # Ranks times 200 are compared as integers.
            centre = 100 * (through[shown - 1] + 1 + through[shown])
            below, above = 200 * through[own], 200 * (through[own - 1] + 1)
            for percent in percents:
                reach = 2 * percent * n
                hits[row] += below >= centre - reach and above <= centre + reach
    return hits
