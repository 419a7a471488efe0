"""How many masked records are tied with how many originals, for an order of the agreement patterns by weight.

To which originals a record is linked depends on the order of the patterns and not on their weights. A search comes to
few orders, again and again: what was counted under one of them is kept and follows the changes of a file, so that no
record has to be looked at again where a change leads from one order to another one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel
from evosdc.table.table import Codes, Rows
from evosdc_measures.ascending import below_value
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.agreement import pattern_of
from evosdc_measures.linkage.pattern_order import best_at

Credits = NDArray[np.float64]


class Ties(NamedTuple):
    """Ties under one order of patterns. A record's tie is 0 where its own original is not among the best ones.

    Parameters
    ----------
    order : ndarray of int64, shape (2**V,)
        Patterns, the greatest weight first.
    ranks : ndarray of int32, shape (2**V,)
        By pattern; tied patterns have the same.
    sizes : ndarray of int32, shape (d,)
        The sizes of ties that occur, ascending, but for 0.
    numbers : ndarray of int32, shape (d,)
        How many masked records have such a tie.
    credits : ndarray of float64, shape (d + 1,)
        Sum of the credits, one in so many as are tied, of the records of the first sizes.
    """

    order: Integers
    ranks: Counts
    sizes: Counts
    numbers: Counts
    credits: Credits

    @property
    def credit(self) -> float:
        """The sum of all records' credits."""
        return float(self.credits[-1])

    def moved(self, removed: Counts, added: Counts) -> "Ties":
        """Return the ties after some records have got others; `removed` and `added` are sorted."""
        return Ties(self.order, self.ranks, *_moved(self.sizes, self.numbers, self.credits, removed, added))


def counted(order: Integers, ranks: Counts, ties: Counts) -> Ties:
    """Return the ties of a file by size.

    Parameters
    ----------
    order, ranks
        As of `Ties`.
    ties : ndarray of int32, shape (n,)
        The tie of each record.
    """
    numbers = np.bincount(ties)
    sizes = np.flatnonzero(numbers[1:]) + 1
    numbers = numbers[sizes]
    # Summed from the smallest size on, each sum from the one before: `accumulate` does nothing else.
    credits = np.concatenate(([0.0], np.add.accumulate(numbers / sizes)))
    return Ties(order, ranks, sizes.astype(np.int32), numbers.astype(np.int32), credits)


@inner_kernel
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
) -> int:
    """Return how many originals are linked to a masked record, whose profile is at a place; 0 if not its own one."""
    rank, tied = best_at(profiles, place, order, ranks)
    return tied if ranks[pattern_of(masked, position, original, row, wildcard)] == rank else 0


@kernel
def ties_of(
    original: Codes,
    masked: Codes,
    rows: Rows,
    places: Counts,
    profiles: Counts,
    wildcard: bool,
    order: Integers,
    ranks: Counts,
) -> Counts:
    """Return the ties of some rows, whose profiles are at the given places."""
    ties = np.empty(len(rows), np.int32)
    for i in range(len(rows)):
        ties[i] = tie_at(original, rows[i], masked, rows[i], profiles, places[i], wildcard, order, ranks)
    return ties


@kernel
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
    """Return what `ties_of` returns for each of several orders, shape (k, m)."""
    ties = np.empty((len(orders), len(rows)), np.int32)
    for k in range(len(orders)):
        order, own = orders[k], ranks[k]
        for i in range(len(rows)):
            ties[k, i] = tie_at(original, rows[i], masked, rows[i], profiles, places[i], wildcard, order, own)
    return ties


@kernel
def ties_of_all(
    original: Codes,
    masked: Codes,
    places: Counts,
    profiles: Counts,
    filled: int,
    wildcard: bool,
    order: Integers,
    ranks: Counts,
) -> Counts:
    """Return the ties of all records of a file, shape (n,); `filled` profiles are known.

    Profiles are read in the order of memory, each once: far faster than record by record.
    """
    used = np.zeros(filled, np.bool_)
    for place in places:
        used[place] = True
    best, tied = np.empty(filled, np.int32), np.empty(filled, np.int32)
    for place in range(filled):
        if used[place]:
            best[place], tied[place] = best_at(profiles, place, order, ranks)
    ties = np.empty(len(places), np.int32)
    for row in range(len(places)):
        place = places[row]
        own = pattern_of(masked, row, original, row, wildcard)
        ties[row] = tied[place] if ranks[own] == best[place] else 0
    return ties


@inner_kernel
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


@inner_kernel
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


@inner_kernel
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


@kernel
def _moved(
    sizes: Counts, numbers: Counts, credits: Credits, removed: Counts, added: Counts
) -> tuple[Counts, Counts, Credits]:
    """Return the sizes, the numbers and the sums of credits after some records have got other ties."""
    place, a, b = _first_changed(sizes, removed, added)
    most = len(sizes) + len(added) - b
    new_sizes, new_numbers, new_credits = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most + 1)
    new_sizes[:place], new_numbers[:place] = sizes[:place], numbers[:place]
    new_credits[: place + 1] = credits[: place + 1]
    count = place
    while place < len(sizes) or b < len(added):
        size, number, place, a, b = _next_size(sizes, numbers, removed, added, place, a, b)
        if number > 0:
            new_sizes[count], new_numbers[count] = size, number
            new_credits[count + 1] = new_credits[count] + number / size
            count += 1
    return new_sizes[:count].copy(), new_numbers[:count].copy(), new_credits[: count + 1].copy()


@kernel
def credits_under(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    children: Integers,
    places: Counts,
    profiles: Counts,
    wildcard: bool,
    order: Integers,
    ranks: Counts,
    sizes: Counts,
    numbers: Counts,
    credits: Credits,
    found: Credits,
) -> None:
    """Write the credits of those children of one parent under whose weights the patterns have one order.

    Parameters
    ----------
    original : ndarray of int32, shape (n, V)
    before, after : ndarray of int32, shape (m, V)
        The changed records alone, child by child.
    rows : ndarray of intp, shape (m,)
    ends : ndarray of int64, shape (k,)
        Where each child's records end.
    children : ndarray of int64
        Which they are.
    places : ndarray of int32, shape (2 * m,)
        Of the profiles of records before, and then of those after the change.
    profiles, wildcard
        As in `ties_of`.
    order, ranks, sizes, numbers, credits
        The `Ties` of the parent.
    found : ndarray of float64, shape (k,)
        Where the credits are written.
    """
    changed = len(rows)
    for child in children:
        begin = ends[child - 1] if child > 0 else 0
        count = ends[child] - begin
        removed, added = np.empty(count, np.int32), np.empty(count, np.int32)
        for j in range(count):
            i = begin + j
            row = rows[i]
            removed[j] = tie_at(original, row, before, i, profiles, places[i], wildcard, order, ranks)
            added[j] = tie_at(original, row, after, i, profiles, places[changed + i], wildcard, order, ranks)
        if count > 1:
            removed.sort()
            added.sort()
        same = True
        for j in range(count):
            same &= removed[j] == added[j]
        found[child] = credits[-1] if same else credit_with(sizes, numbers, credits, removed, added)
