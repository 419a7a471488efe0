"""Profiles of many records at once, from the groups of records that agree on each subset of the attributes.

Comparing each record with each original costs the product of their numbers. Records and originals that agree on a
subset of the attributes form groups. Those of a subset split those of the subset without its last attribute. What finds
no counterpart is left out of all larger subsets. That gives, for each record and subset, the number of originals that
agree on at least the subset; Moebius inversion over the subsets leaves the exact patterns. Where a group is small
against the subsets still to come, its pairs are compared instead.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts

BY_PAIRS = 0.2
"""A group is compared pair by pair up to so many pairs for each of its records in each of the subsets to come."""
SPLITTING = 6.0
COMPARING = 2.0
FINISHING = 2.5
"""Estimated times in nanoseconds: of splitting a group, for each record; of comparing two records, for each attribute;
of inversion and output, for each count. The choice of a road depends on them, and never the result."""
BLOCK = 64
"""Records whose counts are inverted together, so that they stay in the processor's cache."""


@njit(cache=True)
def few_pairs(records: float, originals: float, attributes: int) -> bool:
    """Return whether the pairs of a group cost less than splitting it further by these attributes."""
    return records * originals <= BY_PAIRS * (records + originals) * (1 << attributes)


@njit(cache=True)
def time_by_groups(records: int, originals: int, shares: NDArray[np.float64]) -> float:
    """Estimate the time of `count_groups` and `invert`, in nanoseconds, as if attributes were independent.

    Parameters
    ----------
    records, originals : int
    shares : ndarray of float64, shape (F,)
        Share of pairs that agree on each attribute, in the order of splitting.
    """
    last = len(shares)
    time = FINISHING * records * (1 << last)
    if few_pairs(records, originals, last):
        return time + COMPARING * records * originals * (last + 1)
    # Expected number of originals in the group of a record, for each subset that is split further.
    sizes = np.empty(1 << last)
    sizes[0] = originals
    filled = 1
    for v in range(last):
        further = last - v - 1
        for subset in range(filled):
            size = sizes[subset]
            time += SPLITTING * (records + min(originals, records * size))
            within = size * shares[v]
            if few_pairs(within * records / originals, within, further):
                time += COMPARING * records * within * (further + 2)
            else:
                sizes[filled] = within
                filled += 1
    return time


@njit(cache=True)
def _compare(
    records: Codes,
    originals: Codes,
    numbers: Counts,
    asked: Counts,
    found: Counts,
    order: NDArray[np.int64],
    base: int,
    counts: Counts,
) -> None:
    """Count each pair of a group for all subsets of the further attributes on which it agrees."""
    for a in asked:
        for b in found:
            pattern = 0
            for v in order:
                if records[a, v] == originals[b, v]:
                    pattern |= 1 << v
            counts[base, a] += numbers[b]
            subset = pattern
            while subset > 0:
                counts[base | subset, a] += numbers[b]
                subset = (subset - 1) & pattern


class Groups(NamedTuple):
    """Records and originals that agree on a subset of the attributes, group after group.

    Parameters
    ----------
    asked, found : ndarray of int32
        Positions of records, and of originals.
    ends : ndarray of int32, shape (groups + 1, 2) or more
        ``ends[g]`` and ``ends[g + 1]`` hold where group g begins and ends among `asked` and among `found`.
    """

    asked: Counts
    found: Counts
    ends: Counts


@njit(cache=True)
def _split(
    categories: Counts,
    other_categories: Counts,
    number: int,
    groups: Groups,
    into: Groups,
    heads: Counts,
    tails: Counts,
    digits: Counts,
) -> int:
    """Split groups by one more attribute, and return how many there are; who finds no counterpart is left out.

    `heads` and `tails`, by category, are zeros before and after; `digits` is scratch.
    """
    asked, found, ends = groups
    into_asked, into_found, into_ends = into
    split, first, second = 0, 0, 0
    for g in range(number):
        mine, others = asked[ends[g, 0] : ends[g + 1, 0]], found[ends[g, 1] : ends[g + 1, 1]]
        for i in range(len(mine)):
            digits[i] = categories[mine[i]] + 1
            heads[digits[i]] += 1
        other_digits = digits[len(mine) :]
        for i in range(len(others)):
            digit = other_categories[others[i]] + 1
            other_digits[i] = digit
            tails[digit] += 1
        for i in range(len(mine)):
            digit = digits[i]
            if heads[digit] > 0 and tails[digit] > 0:
                # Met for the first time: from now on these hold the places to fill, the first as its complement.
                into_ends[split, 0], into_ends[split, 1] = first, second
                split += 1
                first, heads[digit] = first + heads[digit], ~first
                second, tails[digit] = second + tails[digit], second
            if heads[digit] < 0:
                into_asked[~heads[digit]] = mine[i]
                heads[digit] -= 1
        for i in range(len(others)):
            digit = other_digits[i]
            if heads[digit] < 0:
                into_found[tails[digit]] = others[i]
                tails[digit] += 1
        for i in range(len(mine) + len(others)):
            heads[digits[i]] = 0
            tails[digits[i]] = 0
    into_ends[split, 0], into_ends[split, 1] = first, second
    return split


@njit(cache=True)
def count_groups(
    records: Codes,
    columns: Codes,
    originals: Codes,
    other_columns: Codes,
    numbers: Counts,
    order: NDArray[np.int64],
    widest: int,
    counts: Counts,
) -> None:
    """Count, for each record and each subset of some attributes, the originals that agree on at least that subset.

    Parameters
    ----------
    records, columns : ndarray of int32, shapes (k, V) and (V, k)
    originals, other_columns : ndarray of int32, shapes (D, V) and (V, D)
        Distinct originals, without missing values where these agree with everything.
    numbers : ndarray of int32, shape (D,)
        How many of each original there are.
    order : ndarray of int64, shape (F,)
        Attributes to compare, in the order of splitting.
    widest : int
        Greatest number of categories plus one.
    counts : ndarray of int32, shape (2**V, k)
        Zeros; changed at the subsets of `order`.
    """
    last, most = len(order), min(len(records), len(originals))
    heads, tails = np.zeros(widest, np.int32), np.zeros(widest, np.int32)
    digits = np.empty(len(records) + len(originals), np.int32)
    # One row for each size of subset: a larger one is left before the next of its size is begun.
    asked = np.empty((last + 1, len(records)), np.int32)
    found = np.empty((last + 1, len(originals)), np.int32)
    ends = np.empty((last + 1, most + 1, 2), np.int32)
    groups, bases = np.ones(last + 1, np.int64), np.zeros(last + 1, np.int64)
    places = np.zeros(last + 1, np.int64)
    together = 0
    for i in range(len(originals)):
        found[0, i] = i
        together += numbers[i]
    for i in range(len(records)):
        asked[0, i] = i
        counts[0, i] = together
    ends[0, 0, 0] = ends[0, 0, 1] = 0
    ends[0, 1, 0] = len(records)
    ends[0, 1, 1] = len(originals)
    size = 0
    while size >= 0:
        at, larger = places[size], size + 1
        if at == last:
            size -= 1
            continue
        places[size] += 1
        base = bases[size] | 1 << order[at]
        split = _split(
            columns[order[at]],
            other_columns[order[at]],
            groups[size],
            Groups(asked[size], found[size], ends[size]),
            Groups(asked[larger], found[larger], ends[larger]),
            heads,
            tails,
            digits,
        )
        further = order[at + 1 :]
        kept = first = second = begin = start = 0
        for g in range(split):
            end, stop = ends[larger, g + 1, 0], ends[larger, g + 1, 1]
            if few_pairs(end - begin, stop - start, len(further)):
                mine, others = asked[larger, begin:end], found[larger, start:stop]
                _compare(records, originals, numbers, mine, others, further, base, counts)
            else:
                together = 0
                for i in range(start, stop):
                    together += numbers[found[larger, i]]
                    found[larger, second] = found[larger, i]
                    second += 1
                for i in range(begin, end):
                    counts[base, asked[larger, i]] = together
                    asked[larger, first] = asked[larger, i]
                    first += 1
                kept += 1
                ends[larger, kept, 0], ends[larger, kept, 1] = first, second
            begin, start = end, stop
        if kept > 0:
            groups[larger], bases[larger], places[larger] = kept, base, at + 1
            size = larger


@njit(cache=True)
def invert(counts: Counts, profiles: Counts) -> None:
    """Turn counts of agreement on at least a subset into profiles: Moebius inversion, one attribute at a time.

    Parameters
    ----------
    counts : ndarray of int32, shape (2**V, k)
    profiles : ndarray of int32, shape (k, 2**V)
        Written.
    """
    patterns, records = counts.shape
    block = np.zeros((patterns, BLOCK), np.int32)
    for begin in range(0, records, BLOCK):
        width = min(BLOCK, records - begin)
        for pattern in range(patterns):
            for i in range(width):
                block[pattern, i] = counts[pattern, begin + i]
        bit = 1
        while bit < patterns:
            for pattern in range(patterns):
                if pattern & bit == 0:
                    for i in range(BLOCK):
                        block[pattern, i] -= block[pattern | bit, i]
            bit *= 2
        for i in range(width):
            for pattern in range(patterns):
                profiles[begin + i, pattern] = block[pattern, i]
