"""Distinct originals by category: those alone that move when a category becomes likelier behind a published one."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.prefix_tree import PrefixTree

MOST_DISTINCT = 1 << 18
"""With more distinct originals they are not listed by category, which takes as much memory as they do."""

MOST_MEMBERS = 1024
"""Of a category with more distinct originals the tree is searched."""


class Members(NamedTuple):
    """Distinct originals, listed by attribute and category.

    Parameters
    ----------
    distinct : ndarray of int32, shape (D, V)
        Places of their categories.
    multiples : ndarray of int32, shape (D,)
        How many records each is.
    begins : ndarray of int64
        Where the members of each category begin, laid out as the margins of
        `evosdc_measures.linkage.likelihood.Frequencies`, and where the last ones end. All 0 where none are listed.
    members : ndarray of int32
        Which of the distinct ones they are.
    """

    distinct: Codes
    multiples: Counts
    begins: Integers
    members: Counts


def members_of(own: Codes, tree: PrefixTree, strides: Integers) -> Members:
    """Return the distinct originals by category.

    Parameters
    ----------
    own : ndarray of int32, shape (n, V)
        Places of the categories.
    tree : PrefixTree
        Of these.
    strides : ndarray of int64, shape (V,)
        How many categories of each attribute occur.
    """
    leaves = leaves_of(tree)
    if len(leaves) > MOST_DISTINCT:
        return Members(own[:0], leaves[:0, 1].copy(), np.zeros(int(strides.sum()) + 1, np.int64), leaves[:0, 2].copy())
    distinct = np.ascontiguousarray(own[leaves[:, 2]])
    members = np.argsort(distinct.T, axis=1, kind="stable").astype(np.int32)
    sizes = [np.bincount(distinct[:, v], minlength=stride) for v, stride in enumerate(strides.tolist())]
    begins = np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int64)
    return Members(distinct, leaves[:, 1].copy(), begins, members.ravel())


def leaves_of(tree: PrefixTree) -> Counts:
    """Return the nodes of the last level, one for each distinct original."""
    first, end = 0, tree.roots
    for _ in range(len(tree.order) - 1):
        first, end = int(tree.nodes[first, 1]), int(tree.nodes[end - 1, 2])
    return tree.nodes[first:end]


@njit(cache=True)
def shifted_members(
    published: Codes,
    row: int,
    v: int,
    begin: int,
    end: int,
    low: int,
    high: int,
    lowered: bool,
    near: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    distinct: Codes,
    multiples: Counts,
    members: Counts,
    costs: Integers,
    paths: Integers,
) -> tuple[int, int, int]:
    """Return how many originals of a category overtake the own one, how many are tied with it, and how near they come.

    As `evosdc_measures.linkage.shifted_category`, member by member.

    Parameters
    ----------
    published : ndarray of int32, shape (m, V)
    row : int
        A record whose own original has another category of attribute v.
    v : int
    begin, end : int
        Of the members of the category.
    low, high : int
        What the category costs behind the record in attribute v, before and after a change or the other way round.
    lowered : bool
        Whether it costs less after the change.
    near : int
        Up to what difference members are looked at for the third figure, which is no greater.
    own, strides, offsets, order, costs, paths
        As of `evosdc_measures.linkage.ranked_places.place`.
    distinct, multiples, members
        Of `Members`.
    """
    last, apart = len(order) - 1, high - low
    limit: Any = np.int64(0)
    for level in range(last + 1):
        w = order[level]
        paths[3, w] = offsets[w] + (published[row, w] + 1) * strides[w]
        limit += costs[paths[3, w] + own[row, w]]
    room: Any = np.int64(near)
    overtaking, ties = 0, 0
    if low > limit + near:
        return 0, 0, near
    for place in range(begin, end):
        member = members[place]
        left: Any = limit - low
        # Attributes of many categories, which tell most, are the last levels of the tree.
        for level in range(last, -1, -1):
            w = order[level]
            if w != v:
                left -= costs[paths[3, w] + distinct[member, w]]
                if left < -near:
                    break
        if left >= -near:
            count = multiples[member]
            overtaking += count if 0 < left <= apart else 0
            ties += count if left == 0 else 0
            ties -= count if left == apart else 0
            room = min(room, abs(left if lowered else left - apart))
    return int(overtaking), int(ties), int(room)
