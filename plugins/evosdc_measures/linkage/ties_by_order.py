"""How many masked records are tied with how many originals, for an order of the agreement patterns by weight.

To which originals a record is linked depends on the order of the patterns and not on their weights. A search comes to
few orders, again and again: what was counted under one of them is kept and follows the changes of a file, so that no
record has to be looked at again where a change leads from one order to another one.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Rows
from evosdc_measures.ascending import below_value
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.agreement import pattern_of
from evosdc_measures.linkage.pattern_order import best_from

Credits = NDArray[np.float64]
Patterns = NDArray[np.uint16]


def counted(ties: Counts) -> tuple[Counts, Counts, Credits]:
    """Return the ties of a file by size.

    A record's tie is 0 where its own original is not among the best ones.

    Parameters
    ----------
    ties : ndarray of int32, shape (n,)
        The tie of each record.

    Returns
    -------
    sizes : ndarray of int32, shape (d,)
        The sizes of ties that occur, ascending, but for 0.
    numbers : ndarray of int32, shape (d,)
        How many records have such a tie.
    credits : ndarray of float64, shape (d + 1,)
        Sum of the credits, one in so many as are tied, of the records of the first sizes.
    """
    numbers = np.bincount(ties)
    sizes = np.flatnonzero(numbers[1:]) + 1
    numbers = numbers[sizes]
    # Summed from the smallest size on, each sum from the one before: `accumulate` does nothing else.
    credits = np.concatenate(([0.0], np.add.accumulate(numbers / sizes)))
    return sizes.astype(np.int32), numbers.astype(np.int32), credits


@njit(cache=True)
def tie_at(
    original: Codes,
    row: int,
    masked: Codes,
    position: int,
    profiles: Counts,
    place: int,
    wildcard: bool,
    order: Integers,
    ranks: Counts,
    begin: int,
) -> tuple[int, int]:
    """Return how many originals are linked to a masked record, 0 if not its own one; and a pattern they agree by.

    The record's profile is at a place; none that precedes the position `begin` in the order occurs in it.
    """
    rank, tied, best = best_from(profiles, place, order, ranks, begin)
    return tied if ranks[pattern_of(masked, position, original, row, wildcard)] == rank else 0, best


@njit(cache=True)
def ties_of(
    original: Codes,
    masked: Codes,
    rows: Rows,
    places: Counts,
    profiles: Counts,
    wildcard: bool,
    order: Integers,
    ranks: Counts,
    best: Patterns,
) -> Counts:
    """Return the ties of some rows, whose profiles are at the given places, and write the patterns they agree by."""
    ties = np.empty(len(rows), np.int32)
    for i in range(len(rows)):
        row = rows[i]
        ties[i], best[row] = tie_at(original, row, masked, row, profiles, places[i], wildcard, order, ranks, 0)
    return ties


@njit(cache=True)
def ties_by_order(
    original: Codes,
    masked: Codes,
    rows: Rows,
    places: Counts,
    profiles: Counts,
    wildcard: bool,
    orders: Integers,
    ranks: Counts,
) -> Counts:
    """Return the ties of some rows under several orders, shape (k, m)."""
    ties = np.empty((len(orders), len(rows)), np.int32)
    for k in range(len(orders)):
        order, own = orders[k], ranks[k]
        for i in range(len(rows)):
            row = rows[i]
            ties[k, i], _ = tie_at(original, row, masked, row, profiles, places[i], wildcard, order, own, 0)
    return ties


@njit(cache=True)
def ties_of_all(
    original: Codes,
    masked: Codes,
    places: Counts,
    profiles: Counts,
    filled: int,
    wildcard: bool,
    order: Integers,
    ranks: Counts,
    best: Patterns,
) -> Counts:
    """Return the ties of all records of a file, shape (n,), as `ties_of`; `filled` profiles are known.

    Profiles are read in the order of memory, each once: far faster than record by record.
    """
    used = np.zeros(filled, np.bool_)
    for place in places:
        used[place] = True
    tied, patterns = np.empty(filled, np.int32), np.empty(filled, np.uint16)
    for place in range(filled):
        if used[place]:
            _, tied[place], patterns[place] = best_from(profiles, place, order, ranks, 0)
    ties = np.empty(len(places), np.int32)
    for row in range(len(places)):
        place = places[row]
        own = pattern_of(masked, row, original, row, wildcard)
        best[row] = patterns[place]
        ties[row] = tied[place] if ranks[own] == ranks[best[row]] else 0
    return ties


@njit(cache=True)
def _first_changed(sizes: Counts, removed: Counts, added: Counts) -> tuple[int, int, int]:
    """Return where the least size changes, and where in what is removed and added those of no tie end."""
    a = b = 0
    while a < len(removed) and removed[a] == 0:
        a += 1
    while b < len(added) and added[b] == 0:
        b += 1
    least = removed[a] if a < len(removed) else np.int32(2**31 - 1)
    least = min(least, added[b]) if b < len(added) else least
    return below_value(sizes, int(least)), a, b


@njit(cache=True)
def _next_size(
    sizes: Counts, numbers: Counts, removed: Counts, added: Counts, place: int, a: int, b: int
) -> tuple[int, int, int, int, int]:
    """Return the next size of a tie and how many records have it now, and where the three lists go on after it."""
    size = sizes[place] if place < len(sizes) else added[b]
    size = min(size, added[b]) if b < len(added) else size
    number = 0
    if place < len(sizes) and sizes[place] == size:
        number = numbers[place]
        place += 1
    while b < len(added) and added[b] == size:
        number += 1
        b += 1
    while a < len(removed) and removed[a] == size:
        number -= 1
        a += 1
    return int(size), int(number), place, a, b


@njit(cache=True)
def credit_with(sizes: Counts, numbers: Counts, credits: Credits, removed: Counts, added: Counts) -> float:
    """Return the sum of all records' credits where some have other ties; `removed` and `added` are sorted.

    The sum is taken over the sizes in ascending order, as in `counted`; below the least size that changes it is known.
    """
    place, a, b = _first_changed(sizes, removed, added)
    credit = credits[place]
    while a < len(removed) or b < len(added):
        size, number, place, a, b = _next_size(sizes, numbers, removed, added, place, a, b)
        if number > 0:
            credit += number / size
    for i in range(place, len(sizes)):
        credit += numbers[i] / sizes[i]
    return float(credit)
