"""The genotype `groups`: which users are protected together, and the small changes that keep sizes."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from math import ceil
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import FaultCollector, ParameterError, PluginError
from evosdc.model import Described, Grouping, Guaranteed, Local, Masking, MaskingMethods, Microdata, Parameters
from evosdc.model.constraint import Constraint
from evosdc.model.genotype import Dump
from evosdc.table.table import Rows, Table
from evosdc_social.graph import NEIGHBOURS
from evosdc_social.grouping import SEMANTIC_MDAV, partition, publication_of, require_grouping, require_users
from evosdc_social.space import SCALES, Nodes, SemanticSpace, built_words, space_of

Labels = NDArray[np.int32]

NOBODY = -1  # group of a user who has none


def canonical(groups: Labels) -> Labels:
    """Return groups numbered in the order of their first users, read-only: equal for equal groups."""
    _, firsts, places = np.unique(groups, return_index=True, return_inverse=True)
    ranks = np.empty(firsts.size, dtype=np.int32)
    ranks[np.argsort(firsts)] = np.arange(firsts.size)
    found: Labels = ranks[places.reshape(-1)]
    found.flags.writeable = False
    return found


def repaired(groups: Labels, k: int, space: SemanticSpace, leaves: Nodes, rng: np.random.Generator) -> Labels:
    """Return groups of k to 2k - 1 users that agree with given ones as far as these are of such sizes."""
    # Users of too large, too small or no groups are regrouped: one drawn at random with the k - 1 nearest in
    # meaning, until fewer than k are left, each of whom joins the nearest group that has room. Where none has, they
    # share a group of 2k - 1 out among two.
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

# Two users change places; one goes to another group; two groups are redistributed; a group is made of users of
# others; one is dissolved among others
KINDS = (SWAP, MOVE, REGROUP, SPLIT, MERGE)
_TRIED = 8  # partners that are drawn for a user before a change is given up


# Methods whose groups start the search, the thesis' own the first
STARTS: tuple[dict[str, Any], ...] = (
    SEMANTIC_MDAV, {"method": "level-filling"}, {"method": "k-member"}, {"method": "mondrian"},
)  # fmt: skip

# Those whose time does not grow with the square of the users
SHORT_STARTS: tuple[dict[str, Any], ...] = ({"method": "level-filling"}, {"method": "mondrian"})

COMPARED = 10_000  # users up to which `evosdc protect` starts from methods, too, that compare all with all
FORM = "k-anonymity"  # the privacy model that groups assure
# Privacy models that look at the sizes of classes alone, so that groups come to them; others are for other genotypes.
OF_SIZES = (FORM, "subset-anonymity", "global-risk", "individual-risk", "prosecutor-risk", "average-risk")
METHOD = "semantic-groups"  # what initial groups are called after: the masking method that makes them


class Groups(Local[Labels], Guaranteed[Labels], Described[Labels]):
    """The number of each user's group, shape (n,), of k to 2k - 1 users each: k-anonymous by construction."""

    # Users change places, go to other groups, groups are redistributed, made and dissolved; crossover keeps whole
    # groups of both parents (after Falkenauer 1998). The search starts from the groups of masking methods on the
    # semantic distance.

    class Params(Parameters):
        """Size of groups, what they publish, and what they start from."""

        k: int = Field(3, ge=1, description="least number of users of a group; the greatest is 2k - 1")
        coarsest: dict[str, str | int] = Field(
            default_factory=dict, description='by attribute the coarsest level published: { location = "county" }'
        )
        weights: dict[str, int] = Field(
            default_factory=dict, description="by attribute or list how much it counts in the semantic distance"
        )
        aggregated: bool = Field(
            True, description="whether members of a list publish the group's most frequent value in place of the root"
        )
        methods: tuple[dict[str, Any], ...] = Field(
            STARTS, description="masking methods whose groups start the search, with their parameters; k is put in"
        )

    params: Params
    portfolio = None
    generalises = True
    needs = ("methods",)

    def __init__(self, params: Params, microdata: Microdata, methods: MaskingMethods) -> None:
        super().__init__(params, microdata)
        self._methods = methods
        original, collect = microdata.original, FaultCollector()
        with collect.step():
            require_users(len(original), params.k, "genotype groups")
        with collect.step():
            self.space = space_of(original, params.weights)
            self.publication = publication_of(self.space, params.coarsest, params.aggregated)
        if collect.faults:
            raise ParameterError(collect.faults)
        self.leaves = self.space.nodes(original)

    @classmethod
    def assurance(cls, microdata: Microdata, required: Sequence[Constraint], bound: float) -> Mapping[str, Any] | None:
        """Return groups as large as k-anonymity requires, judged along the trees; None for what is no graph."""
        # None, too, where numbers are protected, which have no tree, where fewer users are there, and where models are
        # required that look at more than the sizes of classes.
        original, sizes = microdata.original, [one.bound for one in required if one.plain and one.name == FORM]
        k = max(1, *map(ceil, sizes)) if sizes else 0
        known = {attribute.scale for attribute in original.schema.attributes} <= SCALES
        fitting = all(one.name in OF_SIZES for one in required)
        if NEIGHBOURS not in microdata.table.schema or not (known and fitting) or not 0 < k <= len(original):
            return None
        genotype: dict[str, Any] = {"name": "groups", "k": k}
        if len(original) > COMPARED:
            genotype["methods"] = list(SHORT_STARTS)
        return {
            "genotype": genotype,
            "start": {"initial": True},
            "measures": {"il": ["aamil", "cdil", "semantic-dbil"], "dr": ["semantic-dr", "informed-semantic-dr"]},
        }

    @cached_property
    def _initial(self) -> tuple[tuple[Masking, Labels], ...]:
        found = []
        for entry in self.params.methods:
            name = str(entry.get("method", ""))
            given = {"k": self.params.k} | {key: value for key, value in entry.items() if key != "method"}
            method = self._methods.build(Masking(name, given))
            require_grouping(method, f"genotype groups: methods: {name}")
            assert isinstance(method, Grouping), "required above"
            rng = np.random.default_rng(0)
            groups = partition(
                self.microdata.original,
                self.publication,
                self.params.k,
                lambda t, m=method, r=rng: m.classes(t, r),  # type: ignore[misc]
            )
            label = Masking(METHOD, {"k": self.params.k, "inner": {"method": name} | given})
            found.append((label, repaired(groups, self.params.k, self.space, self.leaves, np.random.default_rng(0))))
        return tuple(found)

    def initial_genomes(self) -> Sequence[tuple[Masking, Labels]]:
        """Return the groups of the masking methods, those too large shared out."""
        return self._initial

    def random(self, rng: np.random.Generator) -> Labels:
        """Return groups of random users, all of k but for the last ones."""
        n, k = len(self.leaves), self.params.k
        groups = np.empty(n, dtype=np.int32)
        groups[rng.permutation(n)] = np.minimum(np.arange(n) // k, n // k - 1)
        return canonical(groups)

    def crossover(self, a: Labels, b: Labels, rng: np.random.Generator) -> tuple[Labels, Labels]:
        """Return two children, each with half of the groups of one parent and the whole ones of the other."""
        return self._crossed(a, b, rng), self._crossed(b, a, rng)

    def mutate(self, g: Labels, rng: np.random.Generator) -> Labels:
        """Return groups after one or more changes of any kind."""
        for _ in range(max(1, int(rng.poisson(1.0)))):
            g = self._made(g, KINDS[int(rng.integers(len(KINDS)))], rng)
        return g

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

    def _made(self, groups: Labels, kind: str, rng: np.random.Generator, user: int | None = None) -> Labels:
        """Return groups after a change; the same ones where none of the kind was found."""
        n = len(groups)
        user = int(rng.integers(n)) if user is None else user
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
            if kind == MOVE and sizes[one] > self.params.k and sizes[two] < 2 * self.params.k - 1:
                changed[user] = two
                return canonical(changed)
            if kind == REGROUP:
                # The users of both groups are redistributed: those nearest to a user, and the others.
                members = np.flatnonzero((changed == one) | (changed == two))
                least = max(self.params.k, len(members) - 2 * self.params.k + 1)
                size = int(rng.integers(least, len(members) - least + 1))
                away = self._apart(user, members) + rng.random(len(members))
                away[members == user] = -1.0
                changed[members] = two
                changed[members[np.argsort(away, kind="stable")[:size]]] = one
                return canonical(changed)
        return groups

    def _near(self, user: int, rng: np.random.Generator) -> int:
        """Return a user who shares a node with another one, of a random attribute and level; else any."""
        if self._alike and rng.random() < 0.9:
            order, begins, ends = self._alike[int(rng.integers(len(self._alike)))]
            if ends[user] - begins[user] > 1:
                return int(order[int(rng.integers(begins[user], ends[user]))])
        return int(rng.integers(len(self.leaves)))

    def _split(self, changed: Labels, sizes: Integers, user: int, rng: np.random.Generator) -> Labels:
        """Make a new group around a user of those nearest in groups that can spare them."""
        spare = sizes - self.params.k
        if spare[changed[user]] < 1:
            return canonical(changed)
        order = np.argsort(self._apart(user, np.arange(len(changed))) + rng.random(len(changed)), kind="stable")
        taken = [user]
        spare[changed[user]] -= 1
        for other in order.tolist():
            if len(taken) == self.params.k:
                break
            if other != user and spare[changed[other]] > 0:
                spare[changed[other]] -= 1
                taken.append(other)
        if len(taken) < self.params.k:
            return canonical(changed)
        changed[taken] = len(sizes)
        return canonical(changed)

    def _merged(self, changed: Labels, sizes: Integers, user: int, rng: np.random.Generator) -> Labels:
        """Dissolve the group of a user: each member joins the nearest group that has room."""
        own = changed[user]
        room = int((2 * self.params.k - 1 - sizes).sum() - (2 * self.params.k - 1 - sizes[own]))
        if room < sizes[own]:
            return canonical(changed)
        changed[changed == own] = NOBODY
        # The last number takes the place of the dissolved group, so that there is no gap.
        changed[changed == len(sizes) - 1] = own
        for member in rng.permutation(np.flatnonzero(changed == NOBODY)).tolist():
            members = np.flatnonzero(changed >= 0)
            now = np.bincount(changed[members], minlength=len(sizes))
            free = members[now[changed[members]] < 2 * self.params.k - 1]
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

    def _crossed(self, a: Labels, b: Labels, rng: np.random.Generator) -> Labels:
        """Return groups of both: half of those of one, and those of the other that remain whole; the rest regrouped."""
        # A grouping crossover after Falkenauer (1998).
        chosen = rng.random(int(a.max()) + 1) < 0.5
        kept = chosen[a]
        broken = np.zeros(int(b.max()) + 1, dtype=np.bool_)
        broken[b[kept]] = True
        whole = ~broken[b]
        child = np.full(len(a), NOBODY, dtype=np.int32)
        child[kept] = a[kept]
        child[whole] = b[whole] + int(a.max()) + 1
        named = child >= 0
        child[named] = np.unique(child[named], return_inverse=True)[1].reshape(-1)
        return repaired(child, self.params.k, self.space, self.leaves, rng)

    @property
    def moves(self) -> tuple[str, ...]:
        """Swaps, moves, redistributed groups, splits and merges."""
        return KINDS

    def moved(
        self,
        g: Labels,
        kinds: Sequence[str],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> list[Labels]:
        """Return the groups after a move each, of a user drawn by costs where that is said."""
        made = []
        for kind, drawn in zip(kinds, costly, strict=True):
            user = None
            if drawn and through is not None:
                user = min(int(through.searchsorted(through[-1] * rng.random(), "right")), len(through) - 1)
            made.append(self._made(g, kind, rng, user))
        return made

    def combined(self, g: Labels, changed: Sequence[Labels]) -> Labels | None:
        """Return groups with the changes of several; where two touch the same groups the first one counts."""
        result, touched, last = g.copy(), np.zeros(len(g), dtype=np.bool_), int(g.max()) + 1
        for other in changed:
            rows = self.changed_rows(g, other)
            if not touched[rows].any():
                result[rows] = other[rows] + last
                last += int(other.max()) + 1
                touched[rows] = True
        return canonical(result)

    def changed_rows(self, parent: Labels, child: Labels) -> Rows:
        """Return the users whose groups have other members."""
        width = int(child.max()) + 1
        pairs, of, counts = np.unique(parent.astype(np.int64) * width + child, return_inverse=True, return_counts=True)
        same = (counts == np.bincount(parent)[pairs // width]) & (counts == np.bincount(child)[pairs % width])
        return np.flatnonzero(~same[of.reshape(-1)])

    def decode(self, g: Labels, rng: np.random.Generator) -> Table:
        """Return what the groups publish. Nothing is random."""
        return self.space.table(self.publication.nodes_of(self.leaves, g))

    def key(self, g: Labels) -> bytes:
        """Return a BLAKE2b hash of the groups."""
        return blake2b(g.tobytes(), digest_size=16).digest()

    def check(self, g: Labels) -> None:
        """Raise `PluginError` for groups of another number of users, of wrong sizes, or not numbered in order."""
        n, k = len(self.leaves), self.params.k
        if g.shape != (n,) or g.dtype != np.int32 or ((g <= NOBODY) | (g >= n)).any():
            raise PluginError(f"groups of shape {g.shape}, wanted a number for each of {n} users")
        sizes = np.bincount(g)
        if sizes.min() < k or sizes.max() >= 2 * k:
            raise PluginError(f"groups of {sizes.min()} to {sizes.max()} users, wanted {k} to {2 * k - 1}")
        if not np.array_equal(canonical(g), g):
            raise PluginError("groups that are not numbered in the order of their first users")

    def dump(self, g: Labels) -> Dump:
        """Return the groups as an array."""
        return {"groups": g}

    def load(self, d: Dump) -> Labels:
        """Return the groups that `dump` wrote."""
        groups = np.array(d["groups"], dtype=np.int32)
        groups.flags.writeable = False
        return groups

    def distance(self, a: Labels, b: Labels) -> float:
        """Return the share of users whose groups have other members."""
        return len(self.changed_rows(a, b)) / len(a)

    def describe(self, g: Labels) -> dict[str, Any]:
        """Return how many groups there are, and of what sizes."""
        sizes, counts = np.unique(np.bincount(g), return_counts=True)
        by_size = {str(size): count for size, count in zip(sizes.tolist(), counts.tolist(), strict=True)}
        return {"k": self.params.k, "groups": int(counts.sum()), "groups_of_size": by_size}

    @property
    def notes(self) -> tuple[str, ...]:
        """Which attributes have a hierarchy that was made for want of one."""
        return built_words(self.microdata.original.schema.attributes)
