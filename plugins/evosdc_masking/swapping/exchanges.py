"""Exchanges of values between pairs of records that bring frequency tables nearer to those of the original."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_masking.swapping.frequency_tables import FrequencyTables

Integers = NDArray[np.int64]
Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]

AT_ONCE = 50_000
"""Tries that nothing can interrupt: a fraction of a second."""

_DRAWS = 6
"""Uniform numbers of a try: two records, how many attributes, and three attributes."""


def exchange(
    levels: Integers,
    source: Integers,
    tables: FrequencyTables,
    surplus: Integers,
    weights: Integers,
    keys: Keys,
    labels: Keys,
    alone: Keys,
    penalty: int,
    tries: int,
    rng: np.random.Generator,
) -> int:
    """Exchange values of one to three attributes between two records where that lowers the cost; change in place.

    Between some tries and the next a time limit can end it.

    The cost is the weighted sum of the absolute surpluses of all cells, and `penalty` for each record whose key is
    among those that are alone of their kind in the original. All is of integers, so that it is followed exactly.

    Parameters
    ----------
    levels : ndarray of int64, shape (2 or more, n, c)
        Values and classes of the columns in all details; the masked ones come first.
    source : ndarray of int64, shape (n, V)
        The record whose value each masked cell holds.
    tables : FrequencyTables
    surplus : ndarray of int64, shape (cells,)
        By how many records each cell is greater than in the original.
    weights : ndarray of int64, shape (cells,)
    keys : ndarray of uint64, shape (n,)
        Of each record: the labels of its masked values, combined by exclusive or.
    labels : ndarray of uint64, shape (V, values)
    alone : ndarray of uint64
        A hash table of keys with open addressing; its length is a power of two, and 0 is an empty place.
    penalty, tries : int
    rng : numpy.random.Generator
        All random numbers are its own: a kernel that drew them itself would begin at a seed, and be replayed from it.

    Returns
    -------
    int
        By how much the cost became less.
    """
    gained = 0
    for done in range(0, tries, AT_ONCE):
        uniforms = rng.random((min(AT_ONCE, tries - done), _DRAWS))
        gained += _exchange(levels, source, tables, surplus, weights, keys, labels, alone, penalty, uniforms)
    return gained


@njit(cache=True)
def _exchange(
    levels: Integers,
    source: Integers,
    tables: FrequencyTables,
    surplus: Integers,
    weights: Integers,
    keys: Keys,
    labels: Keys,
    alone: Keys,
    penalty: int,
    uniforms: Floats,
) -> int:
    """Try an exchange with each row of uniform numbers."""
    n, masked = source.shape
    attributes, strides, offsets, detail, first, of, _ = tables
    chosen = np.zeros(levels.shape[2], dtype=np.bool_)
    moving = np.empty(3, dtype=np.int64)
    sought = np.empty(4, dtype=np.uint64)
    last = np.uint64(alone.size - 1)
    gained = 0
    for row in range(len(uniforms)):
        drawn = uniforms[row]
        r, s = int(drawn[0] * n), int(drawn[1] * n)
        moves = 0
        wanted = 1 if masked == 1 or drawn[2] < 0.6 else 2 if drawn[2] < 0.8 else 3
        own, other = keys[r], keys[s]
        for draw in range(wanted):
            v = int(drawn[3 + draw] * masked)
            a, b = levels[0, r, v], levels[0, s, v]
            if a != b and not chosen[v]:
                chosen[v] = True
                moving[moves] = v
                moves += 1
                own ^= labels[v, a] ^ labels[v, b]
                other ^= labels[v, a] ^ labels[v, b]
        if moves == 0:
            continue
        change = 0
        if penalty > 0:
            sought[0], sought[1], sought[2], sought[3] = own, other, keys[r], keys[s]
            for which in range(4):
                place = np.int64(sought[which] & last)
                while alone[place] != np.uint64(0) and alone[place] != sought[which]:
                    place = (place + 1) & np.int64(last)
                if alone[place] != np.uint64(0):
                    change += penalty if which < 2 else -penalty
        # First by how much the cost changes, then the change itself, where it is for the better.
        for applied in range(2):
            if applied and change >= 0:
                break
            for m in range(moves):
                v = moving[m]
                for at in range(first[v], first[v + 1]):
                    t = of[at]
                    d = detail[t]
                    # The cells of both records, and how far that of the first moves; `leader` is the first chosen
                    # column, so that each table is looked at once.
                    x = y = offsets[t]
                    step, leader = 0, -1
                    for q in range(3):
                        w = attributes[t, q]
                        if w >= 0:
                            x += levels[d, r, w] * strides[t, q]
                            y += levels[d, s, w] * strides[t, q]
                            if chosen[w]:
                                step += (levels[d, s, w] - levels[d, r, w]) * strides[t, q]
                                if leader < 0:
                                    leader = w
                    if leader != v or step == 0 or x + step == y:
                        continue
                    if applied:
                        surplus[x] -= 1
                        surplus[y] -= 1
                        surplus[x + step] += 1
                        surplus[y - step] += 1
                        continue
                    change += weights[x] * (1 if surplus[x] <= 0 else -1)
                    change += weights[y] * (1 if surplus[y] <= 0 else -1)
                    change += weights[x + step] * (1 if surplus[x + step] >= 0 else -1)
                    change += weights[y - step] * (1 if surplus[y - step] >= 0 else -1)
        if change < 0:
            gained -= change
            keys[r], keys[s] = own, other
        for m in range(moves):
            v = moving[m]
            chosen[v] = False
            if change < 0:
                source[r, v], source[s, v] = source[s, v], source[r, v]
                for d in range(len(levels)):
                    levels[d, r, v], levels[d, s, v] = levels[d, s, v], levels[d, r, v]
    return gained
