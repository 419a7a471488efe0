"""Groups put in order: every user in one, of k to 2k - 1 users each."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_social.space import SemanticSpace
from evosdc_social.tree import Nodes

Labels = NDArray[np.int32]

NOBODY = -1
"""Group of a user who has none."""


def canonical(groups: Labels) -> Labels:
    """Return groups numbered in the order of their first users, read-only: equal for equal groups."""
    _, firsts, places = np.unique(groups, return_index=True, return_inverse=True)
    ranks = np.empty(firsts.size, dtype=np.int32)
    ranks[np.argsort(firsts)] = np.arange(firsts.size)
    found: Labels = ranks[places.reshape(-1)]
    found.flags.writeable = False
    return found


def repaired(groups: Labels, k: int, space: SemanticSpace, leaves: Nodes, rng: np.random.Generator) -> Labels:
    """Return groups of k to 2k - 1 users that agree with given ones as far as these are of such sizes.

    Users of too large, too small or no groups are put together anew: one drawn at random with the k - 1 nearest in
    meaning, until fewer than k are left, each of whom joins the nearest group that has room. Where none has, they share
    a group of 2k - 1 out among two.

    Parameters
    ----------
    groups : ndarray of int32, shape (n,), n >= k
        ``NOBODY`` for users without a group.
    k : int
    space : SemanticSpace
    leaves : ndarray of int32, shape (n, V)
        The users' values as nodes.
    rng : numpy.random.Generator
    """
    order = rng.permutation(len(groups))
    return canonical(_repaired(groups.astype(np.int32), k, space.padded, space.heights, space.costs, leaves, order))


@njit(cache=True)
def apart(up: NDArray[np.int32], heights: NDArray[np.int64], costs: NDArray[np.int64], one: Nodes, other: Nodes) -> int:
    """Return the semantic distance of two users, in the unit of the costs."""
    total = 0
    for v in range(one.size):
        level = 0
        while level < heights[v] and up[v, one[v], level] != up[v, other[v], level]:
            level += 1
        total += costs[v] * level
    return total


@njit(cache=True)
def _repaired(
    groups: Labels,
    k: int,
    up: NDArray[np.int32],
    heights: NDArray[np.int64],
    costs: NDArray[np.int64],
    leaves: Nodes,
    order: NDArray[np.int64],
) -> Labels:
    n = groups.size
    count = 0
    for group in groups:
        count = max(count, group + 1)
    sizes = np.zeros(count + n + 1, dtype=np.int64)
    for group in groups:
        if group >= 0:
            sizes[group] += 1
    free = np.empty(n, dtype=np.int64)
    waiting = 0
    for user in order:
        group = groups[user]
        if group < 0 or sizes[group] < k or sizes[group] >= 2 * k:
            free[waiting] = user
            waiting += 1
    for place in range(waiting):
        user = free[place]
        if groups[user] >= 0:
            groups[user] = -1
    for group in range(count):
        if sizes[group] < k or sizes[group] >= 2 * k:
            sizes[group] = 0
    away = np.empty(n, dtype=np.int64)
    while waiting >= k:
        pole = free[0]
        for place in range(waiting):
            away[place] = apart(up, heights, costs, leaves[pole], leaves[free[place]])
        nearest = np.argsort(away[:waiting], kind="mergesort")[:k]
        for place in nearest:
            groups[free[place]] = count
        sizes[count] = k
        count += 1
        kept = 0
        for place in range(waiting):
            if groups[free[place]] < 0:
                free[kept] = free[place]
                kept += 1
        waiting = kept
    if waiting:
        first = np.full(count, -1, dtype=np.int64)
        for user in range(n):
            if groups[user] >= 0 and first[groups[user]] < 0:
                first[groups[user]] = user
        for place in range(waiting):
            user = free[place]
            best, least = -1, 0
            for group in range(count):
                if 0 < sizes[group] < 2 * k - 1:
                    distance = apart(up, heights, costs, leaves[user], leaves[first[group]])
                    if best < 0 or distance < least:
                        best, least = group, distance
            if best >= 0:
                groups[user] = best
                sizes[best] += 1
            else:
                # All are full, so that users of the nearest group make a new one with this user.
                for group in range(count):
                    if sizes[group]:
                        distance = apart(up, heights, costs, leaves[user], leaves[first[group]])
                        if best < 0 or distance < least:
                            best, least = group, distance
                groups[user] = count
                moved = 1
                for other in range(n):
                    if moved < k and groups[other] == best and other != first[best]:
                        groups[other] = count
                        moved += 1
                first = np.append(first, user)
                sizes[best] -= k - 1
                sizes[count] = k
                count += 1
    return groups
