"""At which place among the likeliest originals a record's own one stands, followed through changes of a masked file."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Numbers, Rows
from evosdc_measures.domains import Counts, Integers, SmallCounts
from evosdc_measures.linkage.likelihood import SCALE, Frequencies, write_costs
from evosdc_measures.linkage.rivals import ANY, Originals, expected_matches, next_branch

BLOCKS = 5
"""Ranges of places that an intruder may know: the first, 2 to 3, 4 to 7, 8 to 15, 16 to 31."""

LOST = (1 << BLOCKS) - 1
"""From so many likelier originals on, a place is not looked for."""


NEAR = SCALE // 4
"""Costs that are further from the own original's are not looked at for `PlacedFile.rooms`."""


class PlacedFile(NamedTuple):
    """What is known of a masked file; kernels change the arrays.

    Parameters
    ----------
    counts : ndarray of int32
    costs : ndarray of int64
        As of `evosdc_measures.linkage.rivals.LinkedFile`.
    likelier : ndarray of int32, shape (m,)
        Originals that are likelier than the own one, by record asked; `LOST` for as many or more.
    tied : ndarray of int32, shape (m,)
        Originals as likely as the own one, itself among them.
    rooms : ndarray of int64, shape (m,)
        Below it, a change of the costs of some originals leaves the record's place as it is: each original that is not
        equal to the own one is at least that much likelier or less likely, and where a record is lost, `LOST` originals
        are likelier by as much. 0 where nothing is known. How much is known depends on the changes that led to a file,
        and no score on how much is known.
    """

    counts: Counts
    costs: Integers
    likelier: Counts
    tied: Counts
    rooms: Integers


@njit(cache=True)
def credits_of(likelier: int, tied: int, block: int) -> float:
    """Return the chance that one original drawn from a block of places is the own one, 0..1."""
    first, last = 1 << block, (2 << block) - 1
    begin, end = max(likelier + 1, first), min(likelier + tied, last)
    return (end - begin + 1) / tied / first if end >= begin and likelier < LOST else 0.0


@njit(cache=True)
def matched(likelier: Counts, tied: Counts) -> tuple[int, float]:
    """Return the block of places with the most expected matches, and these."""
    sums = np.zeros(BLOCKS)
    for asked in range(len(likelier)):
        block = 0
        # Blocks that end before the own original's first place, or begin after its last one, would add 0.
        while block < BLOCKS and (1 << block) <= likelier[asked] + tied[asked]:
            if likelier[asked] + 1 < (2 << block):
                sums[block] += credits_of(likelier[asked], tied[asked], block)
            block += 1
    best = int(sums.argmax())
    return best, float(sums[best])


@njit(cache=True)
def matched_first(likelier: Counts, tied: Counts, ties: SmallCounts) -> float:
    """Return the expected matches of the first place, from `ties` of zeros as those of `LinkedFile`."""
    for asked in range(len(likelier)):
        if likelier[asked] == 0:
            ties[tied[asked]] += 1
            ties[0] += 1
    return expected_matches(ties)


@njit(cache=True)
def own_cost(
    published: Codes,
    row: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    costs: Integers,
    paths: Integers,
) -> int:
    """Return what a row's own original costs, and write by level where the costs behind the row begin.

    Parameters
    ----------
    published, row, own, strides, offsets, order, costs
        As of `place`.
    paths : ndarray of int64, shape (4, V)
        Its last row is written.
    """
    limit: Any = np.int64(0)
    for level in range(len(order)):
        v = order[level]
        paths[3, level] = offsets[v] + (published[row, v] + 1) * strides[v]
        limit += costs[paths[3, level] + own[row, v]]
    return int(limit)


@njit(cache=True)
def place(
    published: Codes,
    row: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    roots: int,
    nodes: Counts,
    costs: Integers,
    paths: Integers,
    near: int,
    multiple: int,
) -> tuple[int, int, int]:
    """Return how many originals are likelier behind a row than its own, how many as likely, and the room between.

    The arrays are apart, as in `evosdc_measures.linkage.rivals.link`: to count references took most of the time.

    Parameters
    ----------
    published : ndarray of int32, shape (n, V)
    row : int
    own, strides, offsets, order, roots, nodes, costs
        Of `Originals`, and of `PlacedFile`.
    paths : ndarray of int64, shape (4, V)
        Scratch, as of `evosdc_measures.linkage.rivals.rival_of`.
    near : int
        How far the room is looked for, `NEAR`; with 0 it is not, and is 0.
    multiple : int
        How many originals are equal to the own one.
    """
    limit = own_cost(published, row, own, strides, offsets, order, costs, paths)
    likelier, tied, room = _counted(limit, order, roots, nodes, costs, paths, near)
    if likelier < LOST:
        return likelier, tied, room if tied == multiple else 0
    # Whoever is lost by more than a difference has that room.
    margin = near
    while margin > 0:
        if _counted(limit - margin, order, roots, nodes, costs, paths, 0)[0] == LOST:
            break
        margin = margin // 16 if margin > near // 256 else 0
    return LOST, 1, margin


@njit(cache=True)
def _counted(
    limit: int, order: Integers, roots: int, nodes: Counts, costs: Integers, paths: Integers, near: int
) -> tuple[int, int, int]:
    """Return how many originals cost less than the limit, at most `LOST`, how many just that, and the room between.

    Parameters
    ----------
    limit : int
    order, roots, nodes, costs, near
        As of `place`.
    paths : ndarray of int64, shape (4, V)
        The last row tells where the costs begin, by level.
    """
    # Most of all nodes are of the last two levels: no path is kept for them. Whether a last one counts is no branch.
    last = len(order) - 1
    inner = max(last - 1, 0)
    likelier, tied, level, begin, end = 0, 0, 0, 0, roots
    cost: Any = np.int64(0)
    # All that costs up to `near` more than the own original is looked at.
    room: Any = np.int64(near)
    bound: Any = np.int64(limit) + near
    while level >= 0:
        if level == inner:
            for node in range(begin, end):
                first, stop, left = int(node), int(node + 1), bound - cost
                if inner < last:
                    first, stop = nodes[node, 1], nodes[node, 2]
                    left -= costs[paths[3, inner] + nodes[node, 0]]
                    if left < 0:
                        continue
                left -= near
                if near > 0:
                    for leaf in range(first, stop):
                        apart = abs(costs[paths[3, last] + nodes[leaf, 0]] - left)
                        room = min(room, apart if apart > 0 else near)
                for leaf in range(first, stop):
                    step, count = costs[paths[3, last] + nodes[leaf, 0]], nodes[leaf, 1]
                    likelier += count if step < left else 0
                    tied += count if step == left else 0
                if likelier >= LOST:
                    return LOST, 1, 0
            level -= 1
        else:
            paths[0, level], paths[1, level], paths[2, level] = begin, end, cost
        level, begin, end, cost = next_branch(level, bound, ANY, 0, order, nodes, costs, paths)
    return int(likelier), int(tied), int(room)


@njit(cache=True)
def doubles(published: Codes, one: int, other: int) -> bool:
    """Return whether two rows publish the same."""
    alike = True
    for v in range(published.shape[1]):
        alike &= published[one, v] == published[other, v]
    return alike


@njit(cache=True)
def started_places(
    published: Codes, asked: Rows, twins: Counts, originals: Originals, frequencies: Frequencies, placed: PlacedFile
) -> float:
    """Count a whole file, find the places of the records asked, and return the expected matches.

    Parameters
    ----------
    published : ndarray of int32, shape (n, V)
    asked : ndarray of intp, shape (m,)
    twins : ndarray of int32, shape (m,)
        Place in `asked` of the last record before with the same original, -1 where there is none. Two such that
        publish the same stand at the same place.
    originals : Originals
    frequencies : Frequencies
    placed : PlacedFile
        Zeros; filled.
    """
    counts, costs, likelier, tied, rooms = placed
    (own, strides, offsets), (order, roots, nodes) = originals
    n, attributes = own.shape
    for row in range(n):
        for v in range(attributes):
            counts[offsets[v] + (published[row, v] + 1) * strides[v] + own[row, v]] += 1
    for v in range(attributes):
        for base in range(offsets[v], offsets[v + 1], strides[v]):
            write_costs(base, v, strides[v], frequencies, counts, costs)
    paths = np.empty((4, attributes), np.int64)
    for number in range(len(asked)):
        twin = twins[number]
        if twin >= 0 and doubles(published, asked[number], asked[twin]):
            likelier[number], tied[number], rooms[number] = likelier[twin], tied[twin], rooms[twin]
            continue
        row = asked[number]
        likelier[number], tied[number], rooms[number] = place(
            published, row, own, strides, offsets, order, roots, nodes, costs, paths, NEAR, frequencies.multiples[row]
        )
    return matched(likelier, tied)[1]


@njit(cache=True)
def shares_of(likelier: Counts, tied: Counts) -> Numbers:
    """Return each asked record's chance of being matched, in the block of places with the most matches, shape (m,)."""
    best = matched(likelier, tied)[0]
    shares = np.zeros(len(likelier))
    for asked in range(len(likelier)):
        shares[asked] = credits_of(likelier[asked], tied[asked], best)
    return shares
