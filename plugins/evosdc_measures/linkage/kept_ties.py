"""The ties of one file under several orders of patterns, followed where they lie.

Each order has a slot. `kept` has for each slot the number of sizes of ties that occur, -1 where it is free; of how many
the credits are summed; and when it was asked for last. Of the sizes of a slot the first row of `sizes` has the sizes,
ascending, and the second how many records have such a tie; of `credits` the sums of the credits of the first ones. A
change leaves the sums up to the least size that changes, and others are summed when that order is asked for.
"""

from numba import njit

from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.ties_by_order import Credits

LENGTH, SUMMED, USED = 0, 1, 2
"""Columns of `kept`."""


@njit(cache=True)
def slot_of(asked: Counts, ranks: Counts, kept: Integers) -> int:
    """Return the slot of an order by the ranks of its patterns, -1 where it is not followed."""
    patterns = len(asked)
    for slot in range(len(kept)):
        pattern = 0 if kept[slot, LENGTH] >= 0 else patterns + 1
        while pattern < patterns and ranks[slot, pattern] == asked[pattern]:
            pattern += 1
        if pattern == patterns:
            return slot
    return -1


@njit(cache=True)
def _place(sizes: Counts, slot: int, length: int, size: int) -> int:
    """Return how many of the sizes of a slot are less than this one."""
    low, high = 0, length
    while low < high:
        middle = (low + high) // 2
        if sizes[slot, 0, middle] < size:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def room_for(added: Counts, kept: Integers, sizes: Counts) -> int:
    """Return how many sizes a slot has room for, once some records have other ties, shape (k, m)."""
    most = 0
    for slot in range(len(kept)):
        length = kept[slot, LENGTH]
        wanted = length
        if length >= 0:
            for size in added[slot]:
                place = _place(sizes, slot, length, size)
                wanted += size > 0 and not (place < length and sizes[slot, 0, place] == size)
        most = max(most, wanted)
    return most


@njit(cache=True)
def move_tie(removed: int, added: int, slot: int, kept: Integers, sizes: Counts) -> None:
    """Let one record have another tie under the order of a slot, where there is room for its size."""
    if removed == added:
        return
    length, summed = kept[slot, LENGTH], kept[slot, SUMMED]
    if removed > 0:
        place = _place(sizes, slot, length, removed)
        summed = min(summed, place)
        sizes[slot, 1, place] -= 1
        if sizes[slot, 1, place] == 0:
            length -= 1
            for i in range(place, length):
                sizes[slot, 0, i], sizes[slot, 1, i] = sizes[slot, 0, i + 1], sizes[slot, 1, i + 1]
    if added > 0:
        place = _place(sizes, slot, length, added)
        summed = min(summed, place)
        if place == length or sizes[slot, 0, place] != added:
            for i in range(length, place, -1):
                sizes[slot, 0, i], sizes[slot, 1, i] = sizes[slot, 0, i - 1], sizes[slot, 1, i - 1]
            sizes[slot, 0, place], sizes[slot, 1, place] = added, 0
            length += 1
        sizes[slot, 1, place] += 1
    kept[slot, LENGTH], kept[slot, SUMMED] = length, summed


@njit(cache=True)
def credit_at(slot: int, kept: Integers, sizes: Counts, credits: Credits) -> float:
    """Return the sum of all records' credits under the order of a slot, from the smallest size of a tie on."""
    length, latest = kept[slot, LENGTH], 0
    for other in range(len(kept)):
        latest = max(latest, kept[other, USED])
    if kept[slot, USED] < latest:
        kept[slot, USED] = latest + 1
    for i in range(kept[slot, SUMMED], length):
        credits[slot, i + 1] = credits[slot, i] + sizes[slot, 1, i] / sizes[slot, 0, i]
    kept[slot, SUMMED] = length
    return float(credits[slot, length])


@njit(cache=True)
def asked(ranks: Counts, followed: Counts, kept: Integers, sizes: Counts, credits: Credits) -> tuple[int, float]:
    """Return the slot of an order and the sum of all records' credits under it; -1 and 0 where it is not followed."""
    slot = slot_of(ranks, followed, kept)
    return slot, credit_at(slot, kept, sizes, credits) if slot >= 0 else 0.0


@njit(cache=True)
def move_ties(removed: Counts, added: Counts, begin: int, kept: Integers, sizes: Counts) -> int:
    """Let records have other ties under some orders; return how much room there has to be, and change nothing, or 0.

    Parameters
    ----------
    removed, added : ndarray of int32, shape (k, m)
        Ties of the records by slot, before and after a change.
    begin : int
        The first of those slots.
    kept, sizes
        See this module.
    """
    end = begin + len(removed)
    wanted = room_for(added, kept[begin:end], sizes[begin:end])
    if wanted > sizes.shape[2]:
        return wanted
    for slot in range(begin, end):
        if kept[slot, LENGTH] >= 0:
            for i in range(removed.shape[1]):
                move_tie(removed[slot - begin, i], added[slot - begin, i], slot, kept, sizes)
    return 0
