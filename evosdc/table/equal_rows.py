"""Rows that are equal, found by their keys."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes

Positions = NDArray[np.int64]


@njit(cache=True, nogil=True)
def grouped_rows(codes: Codes) -> tuple[Positions, Positions, Positions]:
    """Return class by record, first record and size of each class.

    Rows become one number each, where 64 bits hold it: an address where there can be few, else sought by open
    addressing.
    """
    n, columns = codes.shape
    low, strides = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    several = _key_extents(codes, low, strides)
    of, first, counts = np.zeros(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.int64)
    if several < 2.0**62:
        for v in range(columns):
            for i in range(n):
                of[i] += (codes[i, v] - low[v]) * strides[v]
    if several <= 4.0 * n:
        found = _placed(of, np.full(int(several), -1, np.int32), first, counts)
    else:
        capacity = 16
        while capacity < 2 * n:
            capacity *= 2
        table = np.full(capacity, -1, np.int32)
        if several < 2.0**62:
            found = _sought(of, np.empty(n, np.int64), table, first, counts)
        else:
            found = _compared(codes, of, table, first, counts)
    return of, first[:found].copy(), counts[:found].copy()


@njit(cache=True)
def _key_extents(codes: Codes, low: Positions, strides: Positions) -> float:
    """Write the least code of each attribute and what its next one adds to a key; return how many keys there can be."""
    n, columns = codes.shape
    several = 1.0
    for v in range(columns - 1, -1, -1):
        least, most = np.int64(2**31), np.int64(-(2**31))
        for i in range(n):
            least, most = min(least, np.int64(codes[i, v])), max(most, np.int64(codes[i, v]))
        low[v] = least
        strides[v] = np.int64(several) if several < 2.0**62 else 0
        several *= max(most - least + 1.0, 1.0)
    return several


@njit(cache=True)
def _placed(of: Positions, table: Codes, first: Positions, counts: Positions) -> int:
    """Write the class of each record over its key, which is its place in the table; return how many there are."""
    found = 0
    for i in range(len(of)):
        group = table[of[i]]
        if group < 0:
            group = found
            table[of[i]], first[group] = group, i
            found += 1
        counts[group] += 1
        of[i] = group
    return found


@njit(cache=True)
def _sought(of: Positions, keys: Positions, table: Codes, first: Positions, counts: Positions) -> int:
    """Write the class of each record over its key; return how many there are."""
    found, last = 0, len(table) - 1
    for i in range(len(of)):
        key = of[i]
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        place = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(0x7FFFFFFF)) & last
        group = table[place]
        while group >= 0 and keys[group] != key:
            place = (place + 1) & last
            group = table[place]
        if group < 0:
            group = found
            table[place], first[group], keys[group] = group, i, key
            found += 1
        counts[group] += 1
        of[i] = group
    return found


@njit(cache=True)
def _compared(codes: Codes, of: Positions, table: Codes, first: Positions, counts: Positions) -> int:
    """Write the class of each record, by comparing rows; return how many there are."""
    found, last = 0, len(table) - 1
    for i in range(len(codes)):
        mixed = np.uint64(0x9E3779B97F4A7C15)
        for v in range(codes.shape[1]):
            mixed = (mixed ^ np.uint64(codes[i, v] + 2)) * np.uint64(0xD6E8FEB86659FD93)
            mixed ^= mixed >> np.uint64(32)
        place = np.int64(mixed & np.uint64(0x7FFFFFFF)) & last
        group = table[place]
        while group >= 0 and _differ(codes, i, first[group]):
            place = (place + 1) & last
            group = table[place]
        if group < 0:
            group = found
            table[place], first[group] = group, i
            found += 1
        counts[group] += 1
        of[i] = group
    return found


@njit(cache=True)
def _differ(codes: Codes, one: int, other: int) -> bool:
    different = False
    for v in range(codes.shape[1]):
        different |= codes[one, v] != codes[other, v]
    return different
