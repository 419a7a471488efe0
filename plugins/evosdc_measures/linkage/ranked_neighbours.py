"""The originals that cost nearly as much as a record's own one: what children of one file share.

As long as a child moves costs by little, originals that cost much more or much less than the own one stay where they
are: to count those nearby again tells the place. Who they are is looked up when a record is first searched for, and
holds for a child that has children itself, until costs have moved by too much since.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.likelihood import SCALE, Flags
from evosdc_measures.linkage.ranked_places import LOST, own_cost
from evosdc_measures.linkage.rivals import ANY, Originals, next_branch

REACH = SCALE // 2
"""Originals that cost as much more or less are far: few changes move by more."""

LISTED = 32
"""Originals that are listed for a record at most: the nearest."""

WORTH = 32
"""With fewer children nothing is listed, unless the file has what was listed for one that it comes from."""


class Listed(NamedTuple):
    """What is known of the originals near each record asked, in the file of a time; kernels change the arrays.

    Parameters
    ----------
    listed : ndarray of int32, shape (m, `LISTED`)
        Nodes of the last level of the tree, the cheapest first. Originals that are equal to the own one are left out.
    sizes : ndarray of int32, shape (m,)
        How many are listed.
    below : ndarray of int32, shape (m,)
        Originals that are not listed and cost less than the own one.
    reaches : ndarray of int64, shape (m,)
        By so much at least all those that are not listed cost more or less.
    apart : ndarray of int64, shape (m, `LISTED`)
        How much more than the own one those listed cost.
    known : ndarray of bool, shape (m,)
        Of which records the neighbours are listed. Empty where none are to be.
    since : ndarray of int64, shape (m,)
        By how much costs behind a record have moved since these were listed or reckoned anew, at most.
    firsts : ndarray of int64, shape (m,)
        What `reaches` was when they were listed, 0 where it still is.
    """

    listed: NDArray[np.int32]
    sizes: Counts
    below: Counts
    reaches: Integers
    apart: Integers
    known: Flags
    since: Integers
    firsts: Integers


def nothing_listed(records: int, listing: bool) -> Listed:
    """Return what is known of so many records at first; where `listing` is not wished, nothing ever is."""
    kept = records if listing else 0
    return Listed(
        np.empty((kept, LISTED), np.int32),
        np.empty(kept, np.int32),
        np.empty(kept, np.int32),
        np.empty(kept, np.int64),
        np.empty((kept, LISTED), np.int64),
        np.zeros(kept, np.bool_),
        np.zeros(records, np.int64),
        np.zeros(kept, np.int64),
    )


class Neighbours(NamedTuple):
    """What is known of the originals near each record asked, for one child after the other.

    Parameters
    ----------
    listed, sizes, below, reaches, apart, known
        As of `Listed`.
    moved : ndarray of int64, shape (m,)
        By how much costs behind a record have moved in the child that is followed, since they were listed, at most.
    costs : ndarray of int64
        Of the file, laid out as those of `PlacedFile`.
    categories : ndarray of int32, shape (n, V)
        Places of the original categories of all records.
    """

    listed: NDArray[np.int32]
    sizes: Counts
    below: Counts
    reaches: Integers
    apart: Integers
    known: Flags
    moved: Integers
    costs: Integers
    categories: Codes


@njit(cache=True)
def renew(
    published: Codes, listed: Listed, originals: Originals, costs: Integers, categories: Codes, paths: Integers
) -> None:
    """Reckon anew how much more the neighbours cost, where costs have moved since they were listed.

    They are forgotten where these have moved by half of what was looked at.
    """
    (own, strides, offsets), (order, _, nodes) = originals
    neighbours, sizes, _, reaches, apart, known, since, firsts = listed
    for number in range(len(since)):
        if since[number] > 0 and len(known) > 0 and known[number]:
            if firsts[number] == 0:
                firsts[number] = reaches[number]
            reaches[number] -= since[number]
            known[number] = 2 * reaches[number] > firsts[number]
            if not known[number]:
                firsts[number] = 0
            else:
                limit = own_cost(published, number, own, strides, offsets, order, costs, paths)
                for place in range(sizes[number]):
                    apart[number, place] = -limit
                    for level in range(len(order)):
                        category = categories[nodes[neighbours[number, place], 2], order[level]]
                        apart[number, place] += costs[paths[3, level] + category]
                _sort(neighbours[number], apart[number], int(sizes[number]))
        since[number] = 0


@njit(cache=True)
def placed_among(
    published: Codes,
    number: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    roots: int,
    nodes: Counts,
    now: Integers,
    multiple: int,
    listed: NDArray[np.int32],
    sizes: Counts,
    below: Counts,
    reaches: Integers,
    apart: Integers,
    known: Flags,
    moved: Integers,
    costs: Integers,
    categories: Codes,
    paths: Integers,
    v: int,
    category: int,
    step: int,
) -> tuple[int, int]:
    """Return how many originals are likelier than a record's own one, `LOST` at most, and how many as likely.

    0 and 0 where its neighbours do not tell.

    Parameters
    ----------
    published : ndarray of int32, shape (m, V)
        In the child; but for changed rows, which have moved by more than any reach, that of the file itself.
    number : int
        A record asked, of which `moved` is up to date.
    own, strides, offsets, order, roots, nodes, multiple, paths
        As of `evosdc_measures.linkage.ranked_places.place`.
    now : ndarray of int64
        The costs in the child.
    listed, sizes, below, reaches, apart, known, moved, costs, categories
        Of `Neighbours`.
    v, category, step : int
        What the last cell changed: by so much more a category of attribute v costs behind the record.
    """
    if len(known) == 0 or moved[number] >= REACH:
        return 0, 0
    look_around(
        published, number, own, strides, offsets, order, roots, nodes, listed, sizes, below, reaches, apart, known,
        costs, categories, paths,
    )  # fmt: skip
    if moved[number] >= reaches[number]:
        return 0, 0
    likelier, tied = below[number], multiple
    if likelier >= LOST:
        return LOST, 1
    # Of those listed, too, most cost so much more or less that they have stayed where they were.
    size, place = sizes[number], 0
    while place < size and apart[number, place] < -moved[number]:
        likelier += nodes[listed[number, place], 1]
        place += 1
    # Where nothing but that cell has moved costs, the others are apart as they were.
    alone = moved[number] == abs(step)
    limit: Any = np.int64(0)
    if not alone:
        limit += own_cost(published, number, own, strides, offsets, order, now, paths)
    elif own[number, v] == category:
        limit += step
    while place < size and apart[number, place] <= moved[number]:
        node = listed[number, place]
        cost: Any = np.int64(0)
        if alone:
            cost += apart[number, place]
            cost += step if categories[nodes[node, 2], v] == category else 0
        else:
            for level in range(len(order)):
                cost += now[paths[3, level] + categories[nodes[node, 2], order[level]]]
        place += 1
        likelier += nodes[node, 1] if cost < limit else 0
        tied += nodes[node, 1] if cost == limit else 0
    return (int(likelier), int(tied)) if likelier < LOST else (LOST, 1)


@njit(cache=True)
def look_around(
    published: Codes,
    number: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    roots: int,
    nodes: Counts,
    listed: NDArray[np.int32],
    sizes: Counts,
    below: Counts,
    reaches: Integers,
    apart: Integers,
    known: Flags,
    costs: Integers,
    categories: Codes,
    paths: Integers,
) -> None:
    """List the neighbours of a record where they are not known; as of `placed_among`."""
    if not known[number]:
        known[number] = True
        sizes[number], below[number], reaches[number] = _look_around(
            published, number, own, strides, offsets, order, roots, nodes, costs, categories, listed[number],
            apart[number], paths,
        )  # fmt: skip


@njit(cache=True)
def _look_around(
    published: Codes,
    number: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    roots: int,
    nodes: Counts,
    costs: Integers,
    categories: Codes,
    listed: NDArray[np.int32],
    apart: Integers,
    paths: Integers,
) -> tuple[int, int, int]:
    """List the originals nearest to a record's own one; return how many, how many others cost less, and their distance.

    Others that cost less are counted up to `LOST`: of more it makes no difference how many.
    """
    last = len(order) - 1
    limit = own_cost(published, number, own, strides, offsets, order, costs, paths)
    size, below, level, begin, end = 0, 0, 0, 0, roots
    cost: Any = np.int64(0)
    reach: Any = np.int64(REACH)
    while level >= 0:
        if level == last:
            for node in range(begin, end):
                above: Any = cost + costs[paths[3, last] + nodes[node, 0]] - limit
                if above >= reach:
                    continue
                if above <= -reach:
                    below += nodes[node, 1]
                    continue
                alike = above == 0
                for v in range(last + 1):
                    alike &= categories[nodes[node, 2], v] == own[number, v]
                if alike:
                    continue
                if size == LISTED:
                    # Half as far, until there is room.
                    while size == LISTED and reach > 0:
                        reach //= 2
                        size = 0
                        for place in range(LISTED):
                            if abs(apart[place]) < reach:
                                listed[size], apart[size] = listed[place], apart[place]
                                size += 1
                            elif apart[place] < 0:
                                below += nodes[listed[place], 1]
                    if reach == 0:
                        return 0, 0, 0
                    if above >= reach or above <= -reach:
                        below += nodes[node, 1] if above < 0 else 0
                        continue
                listed[size], apart[size] = node, above
                size += 1
            level -= 1
        else:
            paths[0, level], paths[1, level], paths[2, level] = begin, end, cost
        level, begin, end, cost = next_branch(level, limit + reach, ANY, 0, order, nodes, costs, paths)
    _sort(listed, apart, size)
    return size, below, int(reach)


@njit(cache=True)
def _sort(listed: NDArray[np.int32], apart: Integers, size: int) -> None:
    """Bring so many nodes in the order of their distances, by insertion: there are few."""
    for place in range(1, size):
        node, distance, before = listed[place], apart[place], place
        while before > 0 and apart[before - 1] > distance:
            listed[before], apart[before] = listed[before - 1], apart[before - 1]
            before -= 1
        listed[before], apart[before] = node, distance
