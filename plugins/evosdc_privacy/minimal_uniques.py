"""Minimal sample uniques: the smallest sets of attributes on which a record is like no other.

A class of records that agree on a set is split by one more attribute, and each part with a record that is unique in the
whole is split further. A part of one record is a unique; it is minimal if no set found for it before is contained in
this one. Attributes are added from the last to the first, so each record meets all subsets of a set before the set.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes

BITS = 62
"""Attributes in each word of a set."""

Sets = NDArray[np.int64]


@njit(cache=True, nogil=True)
def minimal_uniques(
    keys: Codes, unique: NDArray[np.bool_], most: int, wildcards: bool
) -> tuple[NDArray[np.int64], Sets]:  # fmt: skip
    """Return the minimal sample uniques of distinct keys.

    Parameters
    ----------
    keys : ndarray of int32, shape (m, V)
        Codes from -1.
    unique : ndarray of bool, shape (m,)
        Keys that match one record in all; no other one is unique on any set.
    most : int
        Greatest size of a set, 1 .. V.
    wildcards : bool
        Whether a missing value equals anything. One of the record itself then tells nothing and is in none of its sets,
        unless the file has no other key.

    Returns
    -------
    key : ndarray of int64, shape (u,)
    attributes : ndarray of int64, shape (u, W)
        The set as bits, `BITS` attributes a word.
    """
    m, columns = keys.shape
    words = (columns + BITS - 1) // BITS
    wildcards = wildcards and m > 1
    largest = 0
    for i in range(m):
        for v in range(columns):
            largest = max(largest, keys[i, v])
    tally = np.zeros(largest + 2, np.int64)
    place = np.zeros(largest + 2, np.int64)
    alive = np.zeros(largest + 2, np.bool_)
    touched = np.empty(min(largest + 2, m), np.int64)
    # By number of attributes so far: the class, then its parts by the next attribute, the wildcards among it last. A
    # key that lacks an attribute of the set stands as -1 - key: it is like others, and cannot be found unique itself.
    rows = np.empty((most, m), np.int32)
    parts = np.empty((most, m), np.int32)
    ends = np.empty((most, m), np.int32)
    sizes = np.zeros(most, np.int64)
    free = np.zeros(most, np.int64)
    numbers = np.zeros(most, np.int64)
    upcoming = np.zeros(most, np.int64)
    limits = np.zeros(most, np.int64)
    attributes = np.zeros(most, np.int64)
    head = np.full(m, -1, np.int64)
    owner = np.empty(1024, np.int64)
    before = np.empty(1024, np.int64)
    sets = np.empty((1024, words), np.int64)
    found = 0
    current = np.zeros(words, np.int64)
    for i in range(m):
        rows[0, i] = i
    sizes[0] = m
    limits[0] = columns
    level = 0
    while level >= 0:
        if upcoming[level] < numbers[level]:
            part = upcoming[level]
            upcoming[level] += 1
            begin = ends[level, part - 1] if part else 0
            end = ends[level, part]
            size = end - begin + free[level]
            attribute = attributes[level] - 1
            if size > 1:
                if level + 1 < most and attribute > 0:
                    fixed = ends[level, numbers[level] - 1]
                    level += 1
                    for t in range(end - begin):
                        rows[level, t] = parts[level - 1, begin + t]
                    for t in range(free[level - 1]):
                        rows[level, end - begin + t] = parts[level - 1, fixed + t]
                    sizes[level] = size
                    limits[level] = attribute
                    attributes[level] = 0
                    numbers[level] = 0
                    upcoming[level] = 0
                continue
            i = parts[level, begin]
            if not _minimal(head[i], before, sets, current):
                continue
            if found == owner.size:
                owner, before, sets = _doubled(owner, before, sets)
            owner[found] = i
            before[found] = head[i]
            head[i] = found
            for w in range(words):
                sets[found, w] = current[w]
            found += 1
            continue
        attribute = attributes[level]
        if attribute > 0:
            current[(attribute - 1) // BITS] &= ~(np.int64(1) << np.int64((attribute - 1) % BITS))
        if attribute == limits[level]:
            level -= 1
            continue
        attributes[level] += 1
        current[attribute // BITS] |= np.int64(1) << np.int64(attribute % BITS)
        distinct = 0
        for t in range(sizes[level]):
            entry = rows[level, t]
            code = keys[entry if entry >= 0 else -1 - entry, attribute]
            if wildcards and code == -1:
                continue
            if tally[code + 1] == 0:
                touched[distinct] = code + 1
                distinct += 1
            tally[code + 1] += 1
            if entry >= 0 and unique[entry]:
                alive[code + 1] = True
        filled = 0
        numbers[level] = 0
        upcoming[level] = 0
        for d in range(distinct):
            code = touched[d]
            place[code] = -1
            if alive[code]:
                place[code] = filled
                filled += tally[code]
                ends[level, numbers[level]] = filled
                numbers[level] += 1
            tally[code] = 0
            alive[code] = False
        if numbers[level] == 0:
            continue
        fixed = filled
        for t in range(sizes[level]):
            entry = rows[level, t]
            code = keys[entry if entry >= 0 else -1 - entry, attribute]
            if wildcards and code == -1:
                parts[level, filled] = min(entry, -1 - entry)
                filled += 1
            elif place[code + 1] >= 0:
                parts[level, place[code + 1]] = entry
                place[code + 1] += 1
        free[level] = filled - fixed
    return owner[:found].copy(), sets[:found].copy()


@njit(cache=True)
def _minimal(last: int, before: NDArray[np.int64], sets: Sets, current: NDArray[np.int64]) -> bool:
    """Return whether none of a key's sets, the last found first, is contained in the current one."""
    other = last
    while other >= 0:
        inside = True
        for w in range(current.size):
            if sets[other, w] & ~current[w]:
                inside = False
        if inside:
            return False
        other = before[other]
    return True


@njit(cache=True)
def _doubled(
    owner: NDArray[np.int64], before: NDArray[np.int64], sets: Sets
) -> tuple[NDArray[np.int64], NDArray[np.int64], Sets]:  # fmt: skip
    """Return the three arrays with room for twice as many sets."""
    found, words = sets.shape
    owners, befores = np.empty(2 * found, np.int64), np.empty(2 * found, np.int64)
    longer = np.empty((2 * found, words), np.int64)
    for i in range(found):
        owners[i], befores[i] = owner[i], before[i]
        for w in range(words):
            longer[i, w] = sets[i, w]
    return owners, befores, longer
