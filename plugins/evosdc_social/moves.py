"""Small changes of groups that keep their sizes between k and 2k - 1."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc_social.repair import NOBODY, Labels, canonical, repaired
from evosdc_social.space import SemanticSpace
from evosdc_social.tree import Nodes

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
            Canonical (`evosdc_social.repair.canonical`).
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
