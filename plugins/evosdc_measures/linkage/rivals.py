"""Whether any original is likelier behind a published record than its own one, and how many are as likely.

A search ends at the first likelier original, its *rival*: most records of a well masked file are decided at once. The
tree is that of `evosdc_measures.linkage.prefix_tree`.
"""

from typing import NamedTuple

from numba import njit

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers, SmallCounts
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, SCALE, Behind, cost_of
from evosdc_measures.linkage.prefix_tree import PrefixTree

ANY = -1
"""No attribute is fixed: all originals are looked at."""

NEAR = SCALE
"""Costs that are further from the own original's are not looked at for rooms (`LinkedFile.rooms`)."""


class Originals(NamedTuple):
    """The originals that records of a masked file are linked to.

    Parameters
    ----------
    model : Behind
        Where they stand in the counts and costs.
    tree : PrefixTree
        Of their places, ``model.own``.
    """

    model: Behind
    tree: PrefixTree


class LinkedFile(NamedTuple):
    """What is known of a masked file; kernels change the arrays.

    Parameters
    ----------
    counts : ndarray of int32
        Records by published and original category, laid out as `Behind` says; of attributes with a known matrix none.
    costs : ndarray of int64
        Costs, in the same layout.
    links : ndarray of int32, shape (n,)
        How each record is linked, see `settle`.
    ties : ndarray, shape (n + 1,)
        Number of records by size of the tie that their own original is in; at 0 that of all these records.
    rooms : ndarray of int64, shape (n,)
        Below it, a change of the costs of some originals leaves a record linked as it is: its rival is at least that
        much likelier than its own original, or all originals that are not equal to that are as much less likely. 0
        where nothing is known. How much is known depends on the changes that led to a file, and no score on it.
    """

    counts: Counts
    costs: Integers
    links: Counts
    ties: SmallCounts
    rooms: Integers


@njit(cache=True)
def rival_of(
    published: Codes,
    row: int,
    limit: int,
    fixed: int,
    category: int,
    hopeful: bool,
    originals: Originals,
    costs: Integers,
    paths: Integers,
    near: int,
) -> tuple[int, int, int]:
    """Return the place of an original that costs less than the limit, or -1 and how many cost exactly that much.

    The third figure is how much less that original costs, or else how much more the next ones cost, `near` at most.

    Parameters
    ----------
    published : ndarray of int32, shape (n, V)
    row : int
    limit : int
        What the record's own original costs.
    fixed, category : int
        Only originals with this place of category in this attribute are looked at; all where `fixed` is `ANY`.
    hopeful : bool
        Whether a likelier original is to be expected: then the cheapest branches are tried first. Not with `fixed`.
    originals : Originals
    costs : ndarray of int64
    paths : ndarray of int64, shape (4, V)
        Scratch: by level the next node, the end of its siblings, the cost so far, and where the costs begin.
    near : int
        Up to what difference the next ones are looked for; with 0 they are not.
    """
    order, roots, nodes = originals.tree
    strides, offsets = originals.model.strides, originals.model.offsets
    last = len(order) - 1
    start = 0
    for level in range(last + 1):
        v = order[level]
        paths[3, level] = offsets[v] + (published[row, v] + 1) * strides[v]
        if v == fixed:
            start = costs[paths[3, level] + category]
    bound = limit + near
    if start > bound:
        return -1, 0, near
    if hopeful:
        place, least = _along_the_cheapest(limit, roots, nodes, costs, paths)
        if place >= 0:
            return place, 0, limit - least
    room, found, level, cost = near, 0, 0, start
    begin, end = narrowed(0, roots, order[0] == fixed, category, nodes)
    while level >= 0:
        if level == last:
            # Most of all nodes are of the last level: no path is kept for them.
            for node in range(begin, end):
                total = cost if order[last] == fixed else cost + costs[paths[3, last] + nodes[node, 0]]
                if total < limit:
                    return int(nodes[node, 2]), 0, limit - total
                if total == limit:
                    found += nodes[node, 1]
                else:
                    room = min(room, total - limit)
            level -= 1
        else:
            paths[0, level], paths[1, level], paths[2, level] = begin, end, cost
        level, begin, end, cost = next_branch(level, bound, fixed, category, order, nodes, costs, paths)
    return -1, int(found), int(room)


@njit(cache=True)
def next_branch(
    level: int,
    limit: int,
    fixed: int,
    category: int,
    order: Integers,
    nodes: Counts,
    costs: Integers,
    paths: Integers,
) -> tuple[int, int, int, int]:
    """Go on with the next branch, on a level or above it, that costs no more than the limit so far.

    Returns
    -------
    level : int
        Below that branch; -1 where there is none left.
    begin, end : int
        The nodes below it; in the fixed attribute only the one of the category.
    cost : int
        Down to there, without the fixed attribute.
    """
    while level >= 0:
        node = paths[0, level]
        if node == paths[1, level]:
            level -= 1
            continue
        paths[0, level] = node + 1
        cost = paths[2, level]
        if order[level] != fixed:
            cost += costs[paths[3, level] + nodes[node, 0]]
        if cost <= limit:
            below = level + 1
            begin, end = narrowed(nodes[node, 1], nodes[node, 2], order[below] == fixed, category, nodes)
            return below, begin, end, cost
    return -1, 0, 0, 0


@njit(cache=True)
def _along_the_cheapest(limit: int, roots: int, nodes: Counts, costs: Integers, paths: Integers) -> tuple[int, int]:
    """Follow the cheapest branch of each level; return the place where it ends, if below the limit, and its cost."""
    first, end, cost, cheapest = 0, roots, 0, 0
    for level in range(paths.shape[1]):
        cheapest = first
        least = costs[paths[3, level] + nodes[first, 0]]
        for node in range(first + 1, end):
            if least == 0:
                break
            step = costs[paths[3, level] + nodes[node, 0]]
            if step < least:
                cheapest, least = node, step
        cost += least
        if cost >= limit:
            return -1, cost
        first, end = nodes[cheapest, 1], nodes[cheapest, 2]
    return int(nodes[cheapest, 2]), cost


@njit(cache=True)
def narrowed(first: int, end: int, fixed: bool, category: int, nodes: Counts) -> tuple[int, int]:
    """Return the range of siblings, of which only that of the category is left where it is fixed."""
    if not fixed:
        return first, end
    stop = end
    while first < end:
        middle = (first + end) // 2
        if nodes[middle, 0] < category:
            first = middle + 1
        else:
            end = middle
    if first < stop and nodes[first, 0] == category:
        return first, first + 1
    return first, first


@njit(cache=True)
def settle(row: int, rival: int, tied: int, links: Counts, ties: SmallCounts, weight: int) -> None:
    """Write how a record is linked: the place of its rival, or the tie that its own original is in as ``-tied``.

    It stands for `weight` records that are equal in all.
    """
    if links[row] < 0:
        ties[-links[row]] -= weight
        ties[0] -= weight
    if rival < 0:
        ties[tied] += weight
        ties[0] += weight
    links[row] = rival if rival >= 0 else -tied


@njit(cache=True)
def link(
    published: Codes,
    row: int,
    originals: Originals,
    costs: Integers,
    links: Counts,
    ties: SmallCounts,
    paths: Integers,
    multiple: int,
    near: int,
    weight: int = 1,
) -> int:
    """Link one record anew, which stands for `weight` that are equal in all, and return its room.

    One whose own original is impossible is given itself as rival.
    The arrays are apart, not a `LinkedFile`: to count references to one more at each call took a quarter of all time.

    Parameters
    ----------
    published, row, originals, costs, links, ties, paths
        As of `rival_of` and `LinkedFile`.
    multiple : int
        How many originals are equal to the own one.
    near : int
        How far the room is looked for, as of `rival_of`.
    weight : int
    """
    limit = cost_of(published, row, row, originals.model, costs)
    if limit >= IMPOSSIBLE:
        settle(row, row, 0, links, ties, weight)
        return 0
    rival, tied, room = rival_of(published, row, limit, ANY, 0, links[row] >= 0, originals, costs, paths, near)
    settle(row, rival, tied, links, ties, weight)
    return room if rival >= 0 or tied == multiple else 0


@njit(cache=True)
def expected_matches(ties: SmallCounts) -> float:
    """Return the sum over all records of one in so many as are tied, from their number by size of tie."""
    matched, left, size = 0.0, ties[0], 0
    while left > 0:
        size += 1
        if ties[size] > 0:
            matched += ties[size] / size
            left -= ties[size]
    return matched
