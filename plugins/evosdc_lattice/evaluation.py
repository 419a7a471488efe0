"""Judging nodes: frequency sets rolled up from the nearest finer one at hand, or all nodes in one pass."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_lattice.rollup import Counts, WordFields, hash_table, merged_classes
from evosdc_lattice.space import FrequencySet, LatticeSpace, Levels


def swept(space: LatticeSpace) -> NDArray[np.int64] | None:
    """Return the `NodeFacts` of all nodes by position, shape (size, 5); None where more than sizes decides."""
    _, shift, mask, words = space.fields
    if words > 1 or not space.model.k_only:
        return None
    ladders = space.ladders
    heights = space.top.astype(np.int64)
    # Attributes that tell most records apart climb in the outermost loops: the many inner nodes then are small.
    order = np.array(sorted(range(len(ladders)), key=lambda j: -len(ladders[j].labels[0])), dtype=np.int64)
    maps, offset = [], np.zeros((int(heights.max(initial=0)) + 1, len(ladders)), dtype=np.int64)
    used = 0
    for j, ladder in enumerate(ladders):
        for level in range(1, ladder.height + 1):
            offset[level, j] = used
            maps.append(ladder.parents(level - 1, level))
            used += len(maps[-1])
    parents = np.concatenate(maps) if maps else np.empty(0, dtype=np.int32)
    ground = space.ground
    return _sweep(
        np.ascontiguousarray(ground.keys[:, 0]), ground.counts, order, heights, space.strides,
        WordFields(shift, mask, offset[0], parents.astype(np.uint64)), offset, space.model.k,
        hash_table(len(ground.counts)),
    )  # fmt: skip


@njit(cache=True)
def _sweep(
    keys: NDArray[np.uint64],
    counts: Counts,
    order: NDArray[np.int64],
    heights: NDArray[np.int64],
    strides: NDArray[np.int64],
    fields: WordFields,
    offset: NDArray[np.int64],
    k: int,
    table: NDArray[np.uint32],
) -> NDArray[np.int64]:
    depth_count = order.size
    m = keys.size
    # One frequency set a depth: the node's own, with the attributes of deeper loops at their lowest level.
    set_keys = np.empty((depth_count + 1, m), np.uint64)
    set_counts = np.empty((depth_count + 1, m), np.int32)
    set_sizes = np.zeros(depth_count + 1, np.int64)
    for record in range(m):
        set_keys[0, record] = keys[record]
        set_counts[0, record] = counts[record]
    set_sizes[0] = m
    level = np.zeros(depth_count, np.int64)
    figures = np.empty((np.prod(heights + 1), 5), np.int64)
    # Source[d]: the depth whose set stands for the levels of the loops 0..d; sets are shared until one climbs.
    source = np.zeros(depth_count + 1, np.int64)
    node, place = 0, 0
    while True:
        # As `facts_of` has it, without branches: no one can foretell which class is safe.
        kept, kept_records, squares, kept_squares, records = 0, 0, 0, 0, 0
        for i in range(set_sizes[place]):
            size = int(set_counts[place, i])
            safe = int(size >= k)
            square = size * size
            records += size
            squares += square
            kept += safe
            kept_records += safe * size
            kept_squares += safe * square
        figures[node, 0], figures[node, 1], figures[node, 2] = set_sizes[place], kept, records - kept_records
        figures[node, 3], figures[node, 4] = squares, kept_squares
        depth = depth_count - 1
        while depth >= 0 and level[depth] == heights[order[depth]]:
            node -= level[depth] * strides[order[depth]]
            level[depth] = 0
            depth -= 1
        if depth < 0:
            return figures
        j = order[depth]
        moved = order[depth : depth + 1]
        level[depth] += 1
        node += strides[j]
        below = source[depth + 1] if level[depth] > 1 else source[depth]
        place = depth + 1
        set_sizes[place] = merged_classes(
            set_keys[below], set_counts[below], set_sizes[below], moved,
            WordFields(fields.shift, fields.mask, offset[level[depth]], fields.parents),
            set_keys[place], set_counts[place], table,
        )  # fmt: skip
        for d in range(depth + 1, depth_count + 1):
            source[d] = place


STORED_SETS = 2048
STORED_BYTES = 192 << 20
REMEMBERED = 500_000


class NodeFacts(NamedTuple):
    """What the frequency set of a node tells; integers, hence exact."""

    classes: int
    kept: int  # classes that meet the privacy model
    suppressed: int  # records in the others
    squares: int  # sum of squared sizes over all and over kept classes
    kept_squares: int


def facts_of(counts: Counts, failing: NDArray[np.bool_]) -> NodeFacts:
    """Return the facts of classes of which some fail."""
    sizes = counts.astype(np.int64)
    kept = sizes * ~failing
    lost = int(sizes.sum() - kept.sum())
    return NodeFacts(sizes.size, int(np.count_nonzero(~failing)), lost, int(sizes @ sizes), int(kept @ kept))


class NodeEvaluator:
    """Evaluates nodes of a lattice, and keeps frequency sets to start from."""

    # What it keeps changes how fast an answer comes, never the answer.

    def __init__(self, space: LatticeSpace) -> None:
        self.space = space
        self._facts: dict[bytes, NodeFacts] = {}
        self._all: NDArray[np.int64] | None = None
        self._lost: dict[bytes, tuple[NDArray[np.int64], ...]] = {}
        self._slot: dict[bytes, int] = {}
        self._sets: dict[int, FrequencySet] = {}
        self._keys: dict[int, bytes] = {}
        self._levels = np.full((STORED_SETS, len(space.ladders)), np.iinfo(np.int16).max, dtype=np.int16)
        self._sizes = np.full(STORED_SETS, np.iinfo(np.int64).max, dtype=np.int64)
        self._next = 0
        self._bytes = 0

    def facts(self, levels: Levels) -> NodeFacts:
        """Return the evaluation of a node."""
        if self._all is not None:
            return NodeFacts(*self._all[levels @ self.space.strides].tolist())
        key = levels.tobytes()
        known = self._facts.get(key)
        if known is None:
            known = self.judged(self.classes(levels))
            if len(self._facts) >= REMEMBERED:
                self._facts.clear()
            self._facts[key] = known
        return known

    def judge_all(self) -> None:
        """Judge every node in one pass, where sizes of classes decide alone."""
        self._all = swept(self.space)

    def judged(self, classes: FrequencySet) -> NodeFacts:
        """Return the facts of a frequency set."""
        return facts_of(classes.counts, self.space.model.failing(classes.counts, classes.sensitive))

    def lost(self, levels: Levels) -> tuple[NDArray[np.int64], ...]:
        """Return, by attribute, how many suppressed records have each generalised value."""
        key = levels.tobytes()
        known = self._lost.get(key)
        if known is None:
            classes, (word, shift, mask, _) = self.classes(levels), self.space.fields
            failing = self.space.model.failing(classes.counts, classes.sensitive)
            keys, records = classes.keys[failing], classes.counts[failing]
            known = tuple(
                np.bincount(
                    ((keys[:, word[j]] >> shift[j]) & mask[j]).astype(np.int64), records, len(ladder.labels[level])
                ).astype(np.int64)
                for j, (ladder, level) in enumerate(zip(self.space.ladders, levels.tolist(), strict=True))
            )
            if len(self._lost) >= REMEMBERED // 10:
                self._lost.clear()
            self._lost[key] = known
        return known

    def classes(self, levels: Levels) -> FrequencySet:
        """Return the frequency set of a node, rolled up from the smallest one at hand that lies below it."""
        key = levels.tobytes()
        slot = self._slot.get(key)
        if slot is not None:
            return self._sets[slot]
        below, start = self._nearest(levels)
        made = self.space.climb(start, below, levels.tolist())
        if made.bytes <= STORED_BYTES // 8:
            self._store(key, levels, made)
        return made

    def _nearest(self, levels: Levels) -> tuple[list[int], FrequencySet]:
        """Return the smallest set a single step below, which is found at less cost, else the smallest one below."""
        steps, lower = [], levels.copy()
        for j in np.flatnonzero(levels):
            lower[j] -= 1
            slot = self._slot.get(lower.tobytes())
            if slot is not None:
                steps.append((lower.tolist(), self._sets[slot]))
            lower[j] += 1
        if steps:
            return min(steps, key=lambda step: len(step[1].counts))
        ground = self.space.ground
        position = int(np.argmin(np.where((self._levels <= levels).all(axis=1), self._sizes, np.iinfo(np.int64).max)))
        found = self._sets.get(position)
        if found is None or not (self._levels[position] <= levels).all() or len(found.counts) >= len(ground.counts):
            return self.space.bottom.tolist(), ground
        return self._levels[position].tolist(), found

    def _store(self, key: bytes, levels: Levels, made: FrequencySet) -> None:
        while True:
            slot = self._next
            self._next = (slot + 1) % STORED_SETS
            if slot in self._sets:
                self._bytes -= self._sets.pop(slot).bytes
                del self._slot[self._keys[slot]]
                self._levels[slot] = np.iinfo(np.int16).max
                self._sizes[slot] = np.iinfo(np.int64).max
            if self._bytes + made.bytes <= STORED_BYTES:
                break
        self._sets[slot], self._keys[slot], self._slot[key] = made, key, slot
        self._levels[slot], self._sizes[slot] = levels, len(made.counts)
        self._bytes += made.bytes
