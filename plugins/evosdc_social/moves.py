"""Small changes of groups that keep their sizes between k and 2k - 1, and groups put in order."""

from collections.abc import Callable
from functools import cached_property

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


Integers = NDArray[np.int64]

SWAP, MOVE, REGROUP, SPLIT, MERGE = "swap", "move", "regroup", "split", "merge"

KINDS = (SWAP, MOVE, REGROUP, SPLIT, MERGE)
"""Two users change places; one goes to another group; two groups are shared out anew; a group is made of users of
others; one is dissolved among others."""

_TRIED = 8
"""Partners that are drawn for a user before a change is given up."""


class Moves:
    """Changes of groups, which bring users together that are near in meaning.

    Parameters
    ----------
    k : int
    space : SemanticSpace
    leaves : ndarray of int32, shape (n, V)
        The users' values as nodes.
    """

    def __init__(self, k: int, space: SemanticSpace, leaves: Nodes) -> None:
        self.k, self.space, self.leaves = k, space, leaves

    @cached_property
    def _alike(self) -> list[tuple[Integers, Integers, Integers]]:
        """By attribute and level, users in the order of their nodes, and where each one's node begins and ends."""
        found = []
        for v, tree in enumerate(self.space.trees):
            for level in range(tree.height):
                keys = tree.up[self.leaves[:, v], level]
                order = np.argsort(keys, kind="stable")
                begins = np.searchsorted(keys[order], keys, "left")
                ends = np.searchsorted(keys[order], keys, "right")
                found.append((order, begins.astype(np.int64), ends.astype(np.int64)))
        return found

    def made(
        self, groups: Labels, kind: str, rng: np.random.Generator, records: Callable[[], int] | None = None
    ) -> Labels:
        """Return groups after a change; the same ones where none of the kind was found.

        Parameters
        ----------
        groups : ndarray of int32, shape (n,)
            Canonical (`evosdc_social.moves.canonical`).
        kind : str
            One of `KINDS`.
        rng : numpy.random.Generator
        records : callable, optional
            Draws a user to be changed.
        """
        n = len(groups)
        user = records() if records is not None else int(rng.integers(n))
        sizes = np.bincount(groups)
        changed = groups.copy()
        if kind in (SPLIT, MERGE):
            return self._split(changed, sizes, user, rng) if kind == SPLIT else self._merged(changed, sizes, user, rng)
        for _ in range(_TRIED):
            other = self._near(user, rng)
            one, two = groups[user], groups[other]
            if one == two:
                continue
            if kind == SWAP:
                partner = int(rng.choice(np.flatnonzero(groups == two)))
                changed[user], changed[partner] = two, one
                return canonical(changed)
            if kind == MOVE and sizes[one] > self.k and sizes[two] < 2 * self.k - 1:
                changed[user] = two
                return canonical(changed)
            if kind == REGROUP:
                return self._regrouped(changed, user, int(one), int(two), rng)
        return groups

    def _near(self, user: int, rng: np.random.Generator) -> int:
        """Return a user who shares a node with another one, of a random attribute and level; else any."""
        if self._alike and rng.random() < 0.9:
            order, begins, ends = self._alike[int(rng.integers(len(self._alike)))]
            if ends[user] - begins[user] > 1:
                return int(order[int(rng.integers(begins[user], ends[user]))])
        return int(rng.integers(len(self.leaves)))

    def _regrouped(self, changed: Labels, user: int, one: int, two: int, rng: np.random.Generator) -> Labels:
        """Share the users of two groups out anew: those nearest to a user, and the others."""
        members = np.flatnonzero((changed == one) | (changed == two))
        least = max(self.k, len(members) - 2 * self.k + 1)
        size = int(rng.integers(least, len(members) - least + 1))
        away = self._apart(user, members) + rng.random(len(members))
        away[members == user] = -1.0
        changed[members] = two
        changed[members[np.argsort(away, kind="stable")[:size]]] = one
        return canonical(changed)

    def _split(self, changed: Labels, sizes: Integers, user: int, rng: np.random.Generator) -> Labels:
        """Make a new group around a user of those nearest in groups that can spare them."""
        spare = sizes - self.k
        if spare[changed[user]] < 1:
            return canonical(changed)
        order = np.argsort(self._apart(user, np.arange(len(changed))) + rng.random(len(changed)), kind="stable")
        taken = [user]
        spare[changed[user]] -= 1
        for other in order.tolist():
            if len(taken) == self.k:
                break
            if other != user and spare[changed[other]] > 0:
                spare[changed[other]] -= 1
                taken.append(other)
        if len(taken) < self.k:
            return canonical(changed)
        changed[taken] = len(sizes)
        return canonical(changed)

    def _merged(self, changed: Labels, sizes: Integers, user: int, rng: np.random.Generator) -> Labels:
        """Dissolve the group of a user: each member joins the nearest group that has room."""
        own = changed[user]
        room = int((2 * self.k - 1 - sizes).sum() - (2 * self.k - 1 - sizes[own]))
        if room < sizes[own]:
            return canonical(changed)
        changed[changed == own] = NOBODY
        # The last number takes the place of the dissolved group, so that there is no gap.
        changed[changed == len(sizes) - 1] = own
        for member in rng.permutation(np.flatnonzero(changed == NOBODY)).tolist():
            members = np.flatnonzero(changed >= 0)
            now = np.bincount(changed[members], minlength=len(sizes))
            free = members[now[changed[members]] < 2 * self.k - 1]
            away = self._apart(member, free) + rng.random(len(free))
            changed[member] = changed[free[int(np.argmin(away))]]
        return canonical(changed)

    def _apart(self, user: int, others: Integers) -> NDArray[np.float64]:
        """Return the semantic distances of users from one, in the unit of the costs."""
        found = np.zeros(len(others))
        for v, tree in enumerate(self.space.trees):
            up = tree.up[self.leaves[others, v]]
            found += self.space.costs[v] * (up != tree.up[self.leaves[user, v]]).sum(axis=1)
        return found

    def crossed(self, a: Labels, b: Labels, rng: np.random.Generator) -> Labels:
        """Return groups of both: half of those of one, and those of the other that are left whole; others anew.

        A grouping crossover after Falkenauer (1998).
        """
        chosen = rng.random(int(a.max()) + 1) < 0.5
        kept = chosen[a]
        broken = np.zeros(int(b.max()) + 1, dtype=np.bool_)
        broken[b[kept]] = True
        whole = ~broken[b]
        child = np.full(len(a), NOBODY, dtype=np.int32)
        child[kept] = a[kept]
        child[whole] = b[whole] + int(a.max()) + 1
        return repaired(_dense(child), self.k, self.space, self.leaves, rng)


def _dense(groups: Labels) -> Labels:
    """Return groups without gaps in their numbers, ``NOBODY`` kept."""
    found = groups.copy()
    named = groups >= 0
    if named.any():
        found[named] = np.unique(groups[named], return_inverse=True)[1].reshape(-1)
    return found
