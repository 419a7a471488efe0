"""Local suppression where a missing value is a category of its own.

Records are alike only when they have the same values and lack the same ones. So the records of rare classes must meet
in new classes. Records that agree once some attributes are suppressed have three ways: they form a class as soon as
they are k, join one that has the very same values, or take records from a larger class that can spare them. These ways
are taken in the order of their price, the cost for each rare record that they settle. What is left in the end is merged
with a whole class.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evosdc_masking.suppression.wildcards import Values

Weights = NDArray[np.float64]
Subset = NDArray[np.bool_]
Keys = NDArray[np.uint64]
Records = NDArray[np.intp]

# How many sets of attributes are tried; of more than ten attributes the cheapest ones, and a chain up to all.
MOST_SUBSETS = 1024


def suppressed_for_classes(values: Values, k: int, weights: Weights) -> Values:
    """Return the values with some suppressed, so that every record is equal to k records, itself included."""
    # values (n, V); k: at most n; weights (V,): cost of suppressing one value of each attribute, positive.
    classes = ClassRepair(values, k, weights)
    subsets = cheapest_subsets(weights, MOST_SUBSETS)
    costs = [float(weights[subset].sum()) for subset in subsets]
    steps = sorted((cost * k / size, -size, s) for s, cost in enumerate(costs) for size in range(1, k + 1))
    for _, negative, s in steps:
        if not classes.rare.size:
            break
        if negative == -k:
            classes.form(subsets[s])
        else:
            classes.borrow(subsets[s], -negative)
    while classes.rare.size:
        classes.merge(subsets)
    return classes.values


def cheapest_subsets(weights: Weights, limit: int) -> list[Subset]:
    """Return the non-empty sets of attributes, cheapest first: all, or `limit` and a chain that ends with all."""
    # Of equally dear ones the smaller set comes first, and of these the one with the later attributes.
    width = weights.size
    if (1 << width) - 1 <= limit:
        every = np.arange(1, 1 << width)
        found = [(every[:, None] >> np.arange(width - 1, -1, -1) & 1).astype(np.bool_)]
    else:
        found = [np.tri(width, dtype=np.bool_)[:, np.argsort(np.argsort(weights, kind="stable"))]]
        layer = np.identity(width, dtype=np.bool_)
        while len(layer) and sum(map(len, found)) < limit:
            found.append(layer)
            # each set is extended by attributes after its last one, so none is made twice
            last = width - 1 - np.argmax(layer[:, ::-1], axis=1)
            pairs = [(row, a) for row, end in zip(layer, last, strict=True) for a in range(end + 1, width)]
            room = max(limit - sum(map(len, found)), 0)
            pairs.sort(key=lambda pair: float(weights[pair[0]].sum() + weights[pair[1]]))
            layer = np.array([row | (np.arange(width) == a) for row, a in pairs[:room]], dtype=np.bool_)
    rows = np.unique(np.concatenate(found), axis=0)
    order = np.lexsort((rows.sum(axis=1), (rows * weights).sum(axis=1).round(9)))
    return [rows[position] for position in order]


class ClassRepair:
    """Records on their way to classes of k; `values` holds their published values so far."""

    # Records are compared by sums of one 64-bit number for each value, which are the same for different records about
    # once in 2**64 pairs; the method checks its result record by record in the end.

    def __init__(self, values: Values, k: int, weights: Weights) -> None:
        self.values = values.copy()
        self.k = k
        self.weights = weights
        self.absent = np.array([_mixed(np.array([-1]), a)[0] for a in range(values.shape[1])], dtype=np.uint64)
        self.parts = np.stack([_mixed(values[:, a], a) for a in range(values.shape[1])], axis=1)
        keys = self.parts.sum(axis=1, dtype=np.uint64)
        _, group, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        settled = sizes[group] >= k
        self.rare: Records = np.flatnonzero(~settled)
        self.members: dict[int, list[int]] = {}
        self._group_sizes: dict[bytes, frozenset[int]] = {}
        self._settle(np.flatnonzero(settled), keys[settled])

    def form(self, subset: Subset) -> None:
        """Suppress the subset in rare records that are then k alike, or like a class that there is."""
        keys = self._keys(self.rare, subset)
        distinct, group, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        known = np.fromiter((int(key) in self.members for key in distinct), dtype=np.bool_, count=distinct.size)
        done = ((sizes >= self.k) | known)[group]
        if done.any():
            self._publish(self.rare[done], subset, keys[done])
            self.rare = self.rare[~done]

    def borrow(self, subset: Subset, size: int) -> None:
        """Suppress the subset in groups of `size` rare records and in records of larger classes that make them k."""
        names = [name for name, members in self.members.items() if len(members) > self.k]
        if not names or size not in self._sizes(subset):
            return
        distinct, group, sizes = np.unique(self._keys(self.rare, subset), return_inverse=True, return_counts=True)
        wanted = {int(key): place for place, key in enumerate(distinct) if sizes[place] == size}
        order, ends = np.argsort(group, kind="stable"), np.cumsum(sizes)
        lenders: dict[int, list[int]] = {}
        heads = np.array([self.members[name][0] for name in names], dtype=np.intp)
        for name, key in zip(names, map(int, self._keys(heads, subset)), strict=True):
            if key in wanted:
                lenders.setdefault(key, []).append(name)
        left = np.ones(self.rare.size, dtype=np.bool_)
        for key in sorted(lenders):
            need = self.k - size
            if sum(len(self.members[name]) - self.k for name in lenders[key]) < need:
                continue
            chosen = order[ends[wanted[key]] - size : ends[wanted[key]]]
            moved = self.rare[chosen].tolist()
            for name in sorted(lenders[key], key=lambda name: (self._cost(name, subset), self.members[name][0])):
                spare = min(len(self.members[name]) - self.k, need)
                if spare > 0:
                    moved += self.members[name][-spare:]
                    del self.members[name][-spare:]
                    need -= spare
            rows = np.array(moved, dtype=np.intp)
            self._publish(rows, subset, np.full(rows.size, key, dtype=np.uint64))
            left[chosen] = False
        self.rare = self.rare[left]

    def _sizes(self, subset: Subset) -> frozenset[int]:
        """Return how many rare records agree once the subset is suppressed, in groups; kept until values change."""
        known = self._group_sizes.get(subset.tobytes())
        if known is None:
            known = frozenset(np.unique(self._keys(self.rare, subset), return_counts=True)[1].tolist())
            self._group_sizes[subset.tobytes()] = known
        return known

    def merge(self, subsets: list[Subset]) -> None:
        """Suppress, in one group of rare records and in a whole class, what makes them alike at the least price."""
        _, chosen, joined, name = min(self._mergers(subsets), key=lambda merger: (merger[0], merger[1]))
        rows = np.concatenate((joined, np.array(self.members.pop(name), dtype=np.intp)))
        self.rare = np.setdiff1d(self.rare, joined)
        self._publish(rows, subsets[chosen], self._keys(rows, subsets[chosen]))

    def _mergers(self, subsets: list[Subset]) -> Iterator[tuple[float, int, Records, int]]:
        names = list(self.members)
        heads = np.array([self.members[name][0] for name in names], dtype=np.intp)
        for position, subset in enumerate(subsets):
            keys, others = self._keys(self.rare, subset), self._keys(heads, subset)
            for key in np.unique(keys):
                joined = self.rare[keys == key]
                own = float(subset @ self.weights)
                for at in np.flatnonzero(others == key):
                    size = len(self.members[names[at]])
                    price = own + size * self._cost(names[at], subset) / joined.size
                    yield price, position, joined, names[at]

    def _cost(self, name: int, subset: Subset) -> float:
        """Return what suppressing the subset costs in a record of a class."""
        return float((subset & (self.values[self.members[name][0]] >= 0)) @ self.weights)

    def _keys(self, rows: Records, subset: Subset) -> Keys:
        kept: Keys = self.parts[np.ix_(rows, ~subset)].sum(axis=1, dtype=np.uint64)
        keys: Keys = kept + self.absent[subset].sum(dtype=np.uint64)
        return keys

    def _publish(self, rows: Records, subset: Subset, keys: Keys) -> None:
        self.values[np.ix_(rows, subset)] = -1
        self.parts[np.ix_(rows, subset)] = self.absent[subset]
        self._group_sizes.clear()
        self._settle(rows, keys)

    def _settle(self, rows: Records, keys: Keys) -> None:
        for row, key in zip(rows.tolist(), keys.tolist(), strict=True):
            self.members.setdefault(key, []).append(row)


def _mixed(values: NDArray[np.signedinteger], attribute: int) -> Keys:
    """Return a number of 64 bits for each value of an attribute: the finaliser of Steele et al.'s SplitMix."""
    bits = (values.astype(np.int64) + 2).astype(np.uint64) + np.uint64(attribute << 33)
    bits = bits * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
