"""Who publishes which category: those alone are looked at when it becomes likelier or less likely."""

from typing import NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers


class Publishers(NamedTuple):
    """The records asked, by published category, in the file that children are made of.

    Parameters
    ----------
    firsts : ndarray of int64, shape (V,)
        Place in `begins` of each attribute's first published category, a missing value.
    begins : ndarray of int64
        Where the records of each published category begin, and where the last ones end.
    records : ndarray of int32, shape (V * m,)
        Ascending in each category. Empty where they are not listed.
    found : ndarray of int32, shape (m,)
        Scratch, as of `publishing`.
    """

    firsts: Integers
    begins: Integers
    records: Counts
    found: Counts


@njit(cache=True)
def publishers_of(published: Codes, strides: Integers, offsets: Integers, listing: bool) -> Publishers:
    """List the records of each published category.

    Parameters
    ----------
    published : ndarray of int32, shape (m, V)
    strides, offsets
        As of `evosdc_measures.linkage.likelihood.Behind`.
    listing : bool
        Whether to; for one changed cell it takes longer than to look through all.
    """
    m, attributes = published.shape
    firsts, found = np.zeros(attributes, np.int64), np.empty(m, np.int32)
    for v in range(1, attributes):
        firsts[v] = firsts[v - 1] + (offsets[v] - offsets[v - 1]) // strides[v - 1]
    if not listing:
        return Publishers(firsts, np.zeros(1, np.int64), np.empty(0, np.int32), found)
    last = attributes - 1
    begins = np.zeros(firsts[last] + (offsets[last + 1] - offsets[last]) // strides[last] + 1, np.int64)
    for v in range(attributes):
        for number in range(m):
            begins[firsts[v] + published[number, v] + 2] += 1
    begins = begins.cumsum()
    records, free = np.empty(m * attributes, np.int32), begins.copy()
    for v in range(attributes):
        for number in range(m):
            cell = firsts[v] + published[number, v] + 1
            records[free[cell]] = number
            free[cell] += 1
    return Publishers(firsts, begins, records, found)


@njit(cache=True)
def publishing(
    published: Codes,
    v: int,
    one: int,
    other: int,
    numbers: Rows,
    left: Codes,
    entered: Codes,
    changes: int,
    firsts: Integers,
    begins: Integers,
    records: Counts,
    found: Counts,
) -> int:
    """Write which records asked publish one of two categories of attribute v, and return how many.

    Ascending in each category: who publishes the same as an earlier one may take over what was found for it.

    Parameters
    ----------
    published : ndarray of int32, shape (m, V)
        In the child, after so many changed rows.
    v, one, other : int
    numbers, left, entered
        As of `evosdc_measures.linkage.ranked_changes.follow_changes`.
    changes : int
        How many changed rows `published` has.
    firsts, begins, records, found
        Of `Publishers`.
    """
    count = 0
    if len(records) == 0:
        for number in range(len(published)):
            if published[number, v] == one or published[number, v] == other:
                found[count] = number
                count += 1
        return count
    for code in (one, other):
        first, cell = count, firsts[v] + code + 1
        for place in range(begins[cell], begins[cell + 1]):
            if published[records[place], v] == code:
                found[count] = records[place]
                count += 1
        for change in range(changes):
            number = numbers[change]
            if number >= 0 and left[change, v] != code and published[number, v] == code:
                before = count
                while before > first and found[before - 1] > number:
                    found[before] = found[before - 1]
                    before -= 1
                found[before] = number
                count += 1
    return count
