"""Classes of records with equal keys, how often each value occurs in them, and the least of their figures; in place.

The classes of a file that stays as it is are those of `evosdc.table.equivalence`; these ones follow a search. Work for
a changed record does not grow with the file.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Places = NDArray[np.int32]


class Groups(NamedTuple):
    """Groups of records on 1 + A levels: the classes, and their records with one value of each of A attributes."""

    # A group is a number below n; one without records is free for another key.
    # shape (1 + A, c); group of each slot of a table by open addressing, -1 where there is none; c is a power of two
    slots: Places
    # shape (1 + A, n); of each group; below the first level its class times the number of values, and its value
    keys: Integers
    # sizes, of: shape (1 + A, n); records of each group, and the group of each record
    sizes: Places
    of: Places
    free: Places  # shape (1 + A, n + 1); a stack of the groups that are free, and at last how many they are
    heads: Places  # shape (A, n); the first group of each class, -1 where there is none
    # following, preceding: shape (A, n); neighbours of each group among those of its class
    following: Places
    preceding: Places


class ChangedClasses(NamedTuple):
    """The classes that children change, child by child."""

    ends: Integers  # shape (k,); where those of each child end
    classes: Integers  # shape (c,); numbers of the classes; one that is new has a number that is free in the parent
    # before, after: shape (c,); records of each in the parent and in the child
    before: Integers
    after: Integers
    # owner, value, times: shape (e,); how often each value occurs in the child: place of the class among those above
    # times A, plus the attribute; the value; its records. In no particular order.
    owner: Integers
    value: Integers
    times: Integers

    def of_attribute(self, a: int, attributes: int, span: int) -> tuple[Integers, Integers, Integers]:
        """Return where the entries of each class begin, shape (c + 1,), and values and records, by class and value."""
        own = np.flatnonzero(self.owner % attributes == a)
        classes, value = self.owner[own] // attributes, self.value[own]
        order = np.argsort(classes * span + value)
        starts = np.searchsorted(classes[order], np.arange(len(self.classes) + 1))
        return starts.astype(np.int64), value[order], self.times[own[order]]


class ClassTable:
    """The classes of one file."""

    # keys (n,); values (A, n); spans (A,)

    def __init__(self, keys: Integers, values: Integers, spans: Integers) -> None:
        n, attributes = len(keys), len(spans)
        capacity = 16
        while capacity < 2 * n:
            capacity *= 2
        shape = (1 + attributes, n)
        free = np.tile(np.append(np.arange(n)[::-1], n).astype(np.int32), (1 + attributes, 1))
        lists = [np.full((attributes, n), -1, dtype=np.int32) for _ in range(3)]
        slots, of = np.full((1 + attributes, capacity), -1, dtype=np.int32), np.full(shape, -1, dtype=np.int32)
        self._groups = Groups(slots, np.zeros(shape, np.int64), np.zeros(shape, np.int32), of, free, *lists)
        self._spans = spans
        _enter(self._groups, spans, keys, values)

    @property
    def sizes(self) -> Places:
        """Records of each class, shape (n,); 0 where a number is free."""
        sizes: Places = self._groups.sizes[0]
        return sizes

    def contents(self) -> ChangedClasses:
        """Return the contents of all classes, in the form of one child that changes every class to itself."""
        groups, spans = self._groups, self._spans
        classes = np.flatnonzero(self.sizes)
        sizes, place = self.sizes[classes].astype(np.int64), np.cumsum(self.sizes > 0) - 1
        level, group = np.nonzero(groups.sizes[1:])
        keys = groups.keys[1:][level, group]
        owner = place[keys // spans[level]] * len(spans) + level
        counts = groups.sizes[1:][level, group].astype(np.int64)
        return ChangedClasses(np.array([len(classes)]), classes, sizes, sizes, owner, keys % spans[level], counts)

    def changed(self, ends: Integers, rows: Integers, keys: Integers, values: Integers, keep: bool) -> ChangedClasses:
        """Return which classes children change."""
        # ends (k,); rows, keys (m,); values (A, m)
        return ChangedClasses(*_change(self._groups, self._spans, ends, rows, keys, values, keep))


@njit(cache=True)
def _move(groups: Groups, spans: Integers, row: int, key: int, values: Integers, column: int) -> None:
    """Take a record out of its groups, if it has any, and put it into those of a key and of a column of values."""
    slots, keys, free = groups.slots, groups.keys, groups.free
    last, owner = slots.shape[1] - 1, np.int64(groups.of[0, row])
    for level in range(len(spans), -1 if owner >= 0 else len(spans), -1):
        group = groups.of[level, row]
        groups.sizes[level, group] -= 1
        if groups.sizes[level, group] > 0:
            continue
        hole = np.int64((np.uint64(keys[level, group]) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & last
        while slots[level, hole] != group:
            hole = (hole + 1) & last
        # What stands behind the hole and was sought from before it moves up, so that it is still found.
        place = (hole + 1) & last
        while slots[level, place] >= 0:
            other = np.uint64(keys[level, slots[level, place]])
            home = np.int64((other * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & last
            if (place - home) & last >= (place - hole) & last:
                slots[level, hole] = slots[level, place]
                hole = place
            place = (place + 1) & last
        slots[level, hole] = -1
        free[level, free[level, -1]] = group
        free[level, -1] += 1
        if level > 0:
            before, after = groups.preceding[level - 1, group], groups.following[level - 1, group]
            if before >= 0:
                groups.following[level - 1, before] = after
            else:
                groups.heads[level - 1, owner] = after
            if after >= 0:
                groups.preceding[level - 1, after] = before
    for level in range(len(spans) + 1):
        wanted = key if level == 0 else owner * spans[level - 1] + values[level - 1, column]
        place = np.int64((np.uint64(wanted) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)) & last
        while slots[level, place] >= 0 and keys[level, slots[level, place]] != wanted:
            place = (place + 1) & last
        group = slots[level, place]
        if group < 0:
            free[level, -1] -= 1
            group = free[level, free[level, -1]]
            slots[level, place], keys[level, group] = group, wanted
            if level > 0:
                after = groups.heads[level - 1, owner]
                groups.following[level - 1, group], groups.preceding[level - 1, group] = after, -1
                if after >= 0:
                    groups.preceding[level - 1, after] = group
                groups.heads[level - 1, owner] = group
        groups.sizes[level, group] += 1
        groups.of[level, row] = group
        if level == 0:
            owner = np.int64(group)


@njit(cache=True)
def _enter(groups: Groups, spans: Integers, keys: Integers, values: Integers) -> None:
    """Put all records into their groups."""
    for row in range(len(keys)):
        _move(groups, spans, row, keys[row], values, row)


@njit(cache=True)
def _change(
    groups: Groups, spans: Integers, ends: Integers, rows: Integers, keys: Integers, values: Integers, keep: bool
) -> tuple[Integers, Integers, Integers, Integers, Integers, Integers, Integers]:
    """Return the classes that children change: see `ClassTable.changed`."""
    attributes, most = len(spans), 2 * len(rows)
    class_ends, classes = np.zeros(len(ends), np.int64), np.empty(most, np.int64)
    before, after = np.empty(most, np.int64), np.empty(most, np.int64)
    room = 64 if attributes else 0
    owner, value, count = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    # Where a class stands among those of the child: what it holds of others is recognised by looking there.
    places = np.empty(groups.of.shape[1], np.int32)
    former_keys, former_values = np.empty(len(rows), np.int64), np.empty((attributes, len(rows)), np.int64)
    moved = np.zeros(len(rows), np.bool_)
    found, entries = 0, 0
    for child in range(len(ends)):
        begin, end = ends[child - 1] if child else 0, ends[child]
        first = found
        # In the second half of the steps, in the opposite order, each group gets back the number that it had.
        for step in range(begin, end if keep else 2 * end - begin):
            i = step if step < end else 2 * end - 1 - step
            row, old = rows[i], np.int64(groups.of[0, rows[i]])
            if step < end:
                former_keys[i] = groups.keys[0, old]
                moved[i] = former_keys[i] != keys[i]
                for a in range(attributes):
                    former_values[a, i] = groups.keys[a + 1, groups.of[a + 1, row]] - old * spans[a]
                    moved[i] |= former_values[a, i] != values[a, i]
            if moved[i]:
                size, back = groups.sizes[0, old], step >= end
                _move(groups, spans, row, former_keys[i] if back else keys[i], former_values if back else values, i)
                for side in range(0 if back else 2):
                    group = groups.of[0, row] if side else old
                    place = places[group]
                    if place < first or place >= found or classes[place] != group:
                        places[group], classes[found] = found, group
                        before[found] = groups.sizes[0, group] - 1 if side else size
                        found += 1
            if step != end - 1:
                continue
            for j in range(first, found):
                after[j] = groups.sizes[0, classes[j]]
                while entries + attributes * after[j] > len(owner):
                    none = np.empty(len(owner), np.int64)
                    owner, value = np.concatenate((owner, none)), np.concatenate((value, none))
                    count = np.concatenate((count, none))
                for a in range(attributes):
                    group = groups.heads[a, classes[j]]
                    while group >= 0:
                        owner[entries] = j * attributes + a
                        value[entries] = groups.keys[a + 1, group] - classes[j] * spans[a]
                        count[entries] = groups.sizes[a + 1, group]
                        entries += 1
                        group = groups.following[a, group]
        class_ends[child] = found
    return class_ends, classes[:found], before[:found], after[:found], owner[:entries], value[:entries], count[:entries]


def least_tree(figures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a binary tree of figures, shape (2 n,): each node from 1 on holds the lesser of its two children."""
    # The last n nodes are the figures; the least of all is at 1.
    n = len(figures)
    tree = np.concatenate([np.full(n, np.inf), figures])
    for level in range(n.bit_length() - 1, -1, -1):
        nodes = np.arange(1 << level, min(2 << level, n))
        tree[nodes] = np.minimum(tree[2 * nodes], tree[2 * nodes + 1])
    return tree


@njit(cache=True)
def least_of_children(
    tree: NDArray[np.float64], ends: Integers, places: Integers, figures: NDArray[np.float64], keep: bool
) -> NDArray[np.float64]:
    """Return the least figure of each child, shape (k,), which changes the figures at some places."""
    # tree (2 n,); ends (k,); places (c,); figures (c,)
    n = len(tree) // 2
    least, former = np.empty(len(ends)), np.empty(len(places))
    for child in range(len(ends)):
        begin, end = ends[child - 1] if child else 0, ends[child]
        for step in range(begin, end if keep else 2 * end - begin):
            # The second half of the steps takes the first half back.
            i = step if step < end else 2 * end - 1 - step
            if step == end:
                least[child] = tree[1]
            node = n + places[i]
            if step < end:
                former[i] = tree[node]
            tree[node] = figures[i] if step < end else former[i]
            while node > 1:
                node //= 2
                low = min(tree[2 * node], tree[2 * node + 1])
                if tree[node] == low:
                    break
                tree[node] = low
        if keep or begin == end:
            least[child] = tree[1]
    return least
