"""Agreement patterns: how many originals agree with a record on exactly which attributes.

Bit v of a pattern is set where a pair of records agrees on attribute v. Two values agree if they are equal, missing
values among them; under the rule ``wildcard`` a missing value agrees with everything.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts


def profiles_of_all(codes: Codes, widths: NDArray[np.int64], wildcard: bool) -> Counts:
    """Return the profile of every possible record, for domains with a small product.

    Those who agree on an attribute and those who do not add up to all, so the table of counts splits attribute by
    attribute; this is the Moebius inversion of the group counts per attribute subset, one axis at a time.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, V)
    widths : ndarray of int64, shape (V,)
        Number of categories plus one.
    wildcard : bool

    Returns
    -------
    ndarray of int32, shape (prod(widths), 2**V)
        Row: the record's digits in mixed radix, the first attribute the most significant; column: the pattern.
    """
    shape = tuple(int(width) for width in widths)
    keys = np.ravel_multi_index(tuple(codes.T.astype(np.int64) + 1), shape)
    counts = np.bincount(keys, minlength=int(np.prod(shape))).reshape(*shape, 1)
    for v in range(len(shape)):
        agree = np.moveaxis(counts, v, -1)
        everyone = agree.sum(axis=-1, keepdims=True)
        if wildcard:
            nobody_said = agree[..., :1].copy()
            agree = agree + nobody_said
            agree[..., :1] = everyone
        agree = np.moveaxis(agree, -1, v)
        counts = np.concatenate([np.moveaxis(everyone, -1, v) - agree, agree], axis=-1)
    return np.ascontiguousarray(counts.reshape(-1, 1 << len(shape)), dtype=np.int32)


@njit(cache=True)
def patterns_of(codes: Codes, others: Codes, rows: Rows, wildcard: bool) -> NDArray[np.uint16]:
    """Return the pattern of each of the rows and the row of another matrix at the same position, shape (m,)."""
    patterns = np.zeros(len(rows), np.uint16)
    for i in range(len(rows)):
        row = rows[i]
        for v in range(codes.shape[1]):
            mine, theirs = codes[row, v], others[row, v]
            if mine == theirs or (wildcard and (mine < 0 or theirs < 0)):
                patterns[i] |= np.uint16(1 << v)
    return patterns


@njit(cache=True)
def pattern_of(codes: Codes, row: int, others: Codes, other: int, wildcard: bool) -> int:
    """Return the pattern of a row and a row of another matrix."""
    pattern = 0
    for v in range(codes.shape[1]):
        mine, theirs = codes[row, v], others[other, v]
        if mine == theirs or (wildcard and (mine < 0 or theirs < 0)):
            pattern |= 1 << v
    return pattern


@njit(cache=True)
def add_profile(
    record: Codes, columns: Codes, counts: Counts, wildcard: bool, patterns: NDArray[np.uint16], profile: Counts
) -> None:
    """Add to `profile` the number of originals by pattern, comparing the record with each distinct original.

    Parameters
    ----------
    record : ndarray of int32, shape (V,)
    columns : ndarray of int32, shape (V, D)
        Distinct originals, one attribute a row, so that comparing runs through memory.
    counts : ndarray of int32, shape (D,)
    wildcard : bool
    patterns : ndarray of uint16, shape (D,)
        Scratch.
    profile : ndarray of int32, shape (2**V,)
    """
    patterns[:] = 0
    for v in range(len(record)):
        code, bit = record[v], np.uint16(1 << v)
        column = columns[v]
        if wildcard and code < 0:
            for d in range(len(counts)):
                patterns[d] |= bit
        elif wildcard:
            for d in range(len(counts)):
                patterns[d] |= bit if column[d] == code or column[d] < 0 else np.uint16(0)
        else:
            for d in range(len(counts)):
                patterns[d] |= bit if column[d] == code else np.uint16(0)
    for d in range(len(counts)):
        profile[patterns[d]] += counts[d]
