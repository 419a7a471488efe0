"""Rows that are equal, found by their keys."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes

Positions = NDArray[np.int64]


@njit(cache=True, nogil=True)
def grouped_rows(codes: Codes) -> tuple[Positions, Positions, Positions]:
    """Return class by record, first record and size of each class."""
    # Rows become one number each; where that takes more than 62 bits, the attributes so far are counted up first.
    n, columns = codes.shape
    of, first, counts = np.zeros(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    several = 1.0
    for v in range(columns):
        low, high = np.int64(2**31), np.int64(-(2**31))
        for i in range(n):
            low, high = min(low, np.int64(codes[i, v])), max(high, np.int64(codes[i, v]))
        width = high - low + 1 if n else np.int64(1)
        if several * width >= 2.0**62:
            several = float(_counted_up(of, several, first, counts))
        for i in range(n):
            of[i] = of[i] * width + (codes[i, v] - low)
        several *= width
    found = _counted_up(of, several, first, counts)
    return of, first[:found].copy(), counts[:found].copy()


@njit(cache=True)
def _counted_up(of: Positions, several: float, first: Positions, counts: Positions) -> int:
    """Number the keys of records, below `several`, in their own place, in the order of their first records."""
    # A key is its own address where there can be few, else it is sought by open addressing.
    n = len(of)
    near = several <= 4.0 * n
    capacity = 16
    while capacity < (several if near else 2.0 * n):
        capacity *= 2
    table, keys = np.full(capacity, -1, np.int32), np.empty(n, np.int64)
    found, last = 0, capacity - 1
    for i in range(n):
        key = of[i]
        place = key
        if not near:
            mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
            place = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(0x7FFFFFFF)) & last
        group = table[place]
        while group >= 0 and keys[group] != key:
            place = (place + 1) & last
            group = table[place]
        if group < 0:
            group = found
            table[place], first[group], keys[group], counts[group] = group, i, key, 0
            found += 1
        counts[group] += 1
        of[i] = group
    return found
