"""Exact sums of numeric columns and of their products, which follow single changes.

A double is a whole number times a power of two, so that sums and products of doubles are whole numbers in some unit.
They depend on no order of records, and a change takes away and adds what it changes.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows

BITS = 24
"""Bits of a part of a number: a sum of `CHUNK` products of two is below 2**63."""
CHUNK = 4096
MOST_PARTS = 8
"""Parts of a number up to which they are multiplied together; numbers of very different size are taken one by one."""


class Sums(NamedTuple):
    """Sums of a file's columns; by two attributes they stand one after the other, p a row.

    Parameters
    ----------
    shifts : list of int
        The unit of each column is two to the power of minus this.
    counts : list of int
        Records with a value of both.
    firsts : list of int
        Sums of the values of the first one over these records.
    products : list of int
        Sums of the products over these records.
    """

    shifts: list[int]
    counts: list[int]
    firsts: list[int]
    products: list[int]


def sums_of(numbers: Numbers) -> Sums:
    """Return the sums of a file, shape (n, p); O(n p**2)."""
    p = numbers.shape[1]
    split = [_parts_of(column) for column in numbers.T]
    if any(len(own) > MOST_PARTS for own, _ in split):
        nothing, sums = np.full((1, p), np.nan), Sums([0] * p, *([0] * (p * p) for _ in range(3)))
        for row in range(len(numbers)):
            sums = sums_after(sums, nothing, numbers[row : row + 1], np.zeros(1, dtype=np.intp))
        return sums
    present = [(~np.isnan(column)).astype(np.int32) for column in numbers.T]
    parts = np.array([*(part for own, _ in split for part in own), *present])
    chunks = [_products(parts, begin, min(begin + CHUNK, len(numbers))) for begin in range(0, len(numbers), CHUNK)]
    total = [sum(each) for each in zip(*(chunk.ravel().tolist() for chunk in chunks), strict=True)]
    ends = np.cumsum([0, *(len(own) for own, _ in split)]).tolist()
    width, ones = len(parts), ends[-1]

    def whole(j: int, row: int) -> int:
        """Return the sum of a column times a row of parts."""
        found = 0
        for place in range(ends[j], ends[j + 1]):
            found = (found << BITS) + total[row * width + place]
        return found

    def product(j: int, k: int) -> int:
        found = 0
        for row in range(ends[j], ends[j + 1]):
            found = (found << BITS) + whole(k, row)
        return found

    both = [(j, k) for j in range(p) for k in range(p)]
    return Sums(
        [shift for _, shift in split],
        [total[(ones + j) * width + ones + k] for j, k in both],
        [whole(j, ones + k) for j, k in both],
        [product(j, k) for j, k in both],
    )


def _parts_of(column: Numbers) -> tuple[list[NDArray[np.int32]], int]:
    """Return a column as parts of `BITS` bits, the most significant one first, and its shift."""
    known, parts = np.where(np.isnan(column), 0.0, column), list[NDArray[np.int32]]()
    exponent = int(np.frexp(np.abs(known).max(initial=0.0))[1])
    rest = np.ldexp(known, -exponent)
    # The smallest doubles may be lost beside great ones; there are not parts enough for both.
    enough = bool((np.ldexp(rest, exponent) == known).all())
    while len(parts) <= MOST_PARTS and (not parts or not enough or rest.any()):
        rest = rest * float(1 << BITS)
        part = np.rint(rest)
        rest = rest - part
        parts.append(part.astype(np.int32))
    return parts, BITS * len(parts) - exponent


@njit(cache=True)
def _products(parts: NDArray[np.int32], begin: int, end: int) -> NDArray[np.int64]:
    """Return the sums of the products of all rows over some records, shape (q, q)."""
    q = len(parts)
    sums = np.zeros((q, q), np.int64)
    for a in range(q):
        for b in range(a, q):
            total = np.int64(0)
            for i in range(begin, end):
                total += np.int64(parts[a, i]) * np.int64(parts[b, i])
            sums[a, b] = sums[b, a] = total
    return sums


def sums_after(sums: Sums, before: Numbers, after: Numbers, rows: Rows) -> Sums:
    """Return the sums after some records have changed; O(m p) for each column that differs somewhere.

    Parameters
    ----------
    sums : Sums
        Not altered.
    before, after : ndarray of float64, shape (n, p)
        Of which other rows are not looked at.
    rows : ndarray of intp, shape (m,)
    """
    sums = Sums(*(part.copy() for part in sums))
    for row in rows.tolist():
        old, new = before[row].tolist(), after[row].tolist()
        for j, (x, y) in enumerate(zip(old, new, strict=True)):
            if x == y or (x != x and y != y):
                continue
            _exchange(sums, j, x, y, old)
            old[j] = y
    return sums


def _exchange(sums: Sums, j: int, x: float, y: float, record: list[float]) -> None:
    """Exchange a value of a record, of which some may have been exchanged before, in place."""
    shifts, counts, firsts, products = sums
    p = len(shifts)
    now = _whole(sums, j, y)  # first, since it may take a smaller unit
    was = _whole(sums, j, x)
    count, first = (now is not None) - (was is not None), (now or 0) - (was or 0)
    for k, value in enumerate(record):
        if k == j:
            counts[j * p + j] += count
            firsts[j * p + j] += first
            products[j * p + j] += (now or 0) ** 2 - (was or 0) ** 2
            continue
        other = _whole(sums, k, value)
        if other is None:
            continue
        place, turned = j * p + k, k * p + j
        firsts[place] += first
        products[place] += first * other
        products[turned] = products[place]
        if count:
            counts[place] += count
            counts[turned] = counts[place]
            firsts[turned] += count * other


def _whole(sums: Sums, j: int, value: float) -> int | None:
    """Return a value in the unit of its column, which is made smaller where it has to be; None for a missing one."""
    if value != value:
        return None
    above, below = value.as_integer_ratio()
    more = sums.shifts[j] - below.bit_length() + 1
    if more >= 0:
        return above << more
    p = len(sums.shifts)
    sums.shifts[j] -= more
    for k in range(p):
        sums.firsts[j * p + k] <<= -more
        sums.products[j * p + k] <<= -2 * more if k == j else -more
        sums.products[k * p + j] = sums.products[j * p + k]
    return above
