"""Judging nodes: frequency sets rolled up from the nearest finer one at hand, or all nodes in one pass."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_lattice.rollup import (
    SUPPRESSED,
    Counts,
    WordFields,
    k_summary,
    merged_classes,
    summary,
    suppressed_codes,
    table_bits,
)
from evosdc_lattice.space import FrequencySet, LatticeSpace, Levels


def swept(space: LatticeSpace) -> NDArray[np.int64] | None:
    """Return the figures of all nodes, or None where sizes of classes do not decide alone or keys exceed a word.

    Returns
    -------
    ndarray of int64, shape (size, 5) or None
        By node in lexicographic order of the levels; the figures are those of `evosdc_lattice.rollup.k_summary`.
    """
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
    table = np.empty(1 << table_bits(len(ground.counts)), dtype=np.uint32)
    return _sweep(
        np.ascontiguousarray(ground.keys[:, 0]), ground.counts, order, heights, space.strides,
        WordFields(shift, mask, offset[0], parents.astype(np.uint64)), offset, space.model.k, table,
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
    # source[d]: the depth whose set stands for the levels of the loops 0..d; sets are shared until one climbs.
    source = np.zeros(depth_count + 1, np.int64)
    node, place = 0, 0
    while True:
        # As `k_summary` has it, without branches: no one can foretell which class is safe.
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
    """What the frequency set of a node tells; integers, hence exact.

    Parameters
    ----------
    classes : int
        All classes.
    kept : int
        Classes that meet the privacy model.
    suppressed : int
        Records in the others.
    squares, kept_squares : int
        Sum of squared sizes over all and over kept classes.
    """

    classes: int
    kept: int
    suppressed: int
    squares: int
    kept_squares: int


class NodeEvaluator:
    """Evaluates nodes of a lattice, and keeps frequency sets to start from.

    What it keeps changes how fast an answer comes, never the answer.
    """

    def __init__(self, space: LatticeSpace) -> None:
        self.space = space
        self._facts: dict[bytes, NodeFacts] = {}
        self._all: NDArray[np.int64] | None = None
        self._lost: dict[bytes, tuple[NDArray[np.int64], ...]] = {}
        self._slot: dict[bytes, int] = {}
        self._sets: list[FrequencySet | None] = [None] * STORED_SETS
        self._keys: list[bytes] = [b""] * STORED_SETS
        self._levels = np.full((STORED_SETS, len(space.ladders)), np.iinfo(np.int16).max, dtype=np.int16)
        self._sizes = np.full(STORED_SETS, np.iinfo(np.int64).max, dtype=np.int64)
        self._next = 0
        self._bytes = 0

    def facts(self, levels: Levels) -> NodeFacts:
        """Return what is known of a node."""
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

    def judge_all(self) -> int | None:
        """Judge every node in one pass, where sizes of classes decide alone.

        Returns
        -------
        int or None
            How many nodes are within the limit; None where the pass is not possible.
        """
        self._all = swept(self.space)
        return None if self._all is None else int((self._all[:, SUPPRESSED] <= self.space.limit).sum())

    def judged(self, classes: FrequencySet) -> NodeFacts:
        """Return the facts of a frequency set."""
        model = self.space.model
        if model.k_only:
            return NodeFacts(*k_summary(classes.counts, model.k).tolist())
        return NodeFacts(*summary(classes.counts, model.failing(classes.counts, classes.sensitive)).tolist())

    def lost(self, levels: Levels) -> tuple[NDArray[np.int64], ...]:
        """Return, by attribute, how many suppressed records have each generalised value."""
        key = levels.tobytes()
        known = self._lost.get(key)
        if known is None:
            sizes = [len(ladder.labels[level]) for ladder, level in zip(self.space.ladders, levels, strict=True)]
            if self.facts(levels).suppressed == 0:
                known = tuple(np.zeros(size, dtype=np.int64) for size in sizes)
            else:
                known = self.lost_of(self.classes(levels), sizes)
            if len(self._lost) >= REMEMBERED // 10:
                self._lost.clear()
            self._lost[key] = known
        return known

    def lost_of(self, classes: FrequencySet, sizes: Sequence[int]) -> tuple[NDArray[np.int64], ...]:
        """Return `lost` of a frequency set whose attributes have so many values."""
        word, shift, mask, _ = self.space.fields
        offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        failing = self.space.model.failing(classes.counts, classes.sensitive)
        counts = suppressed_codes(
            classes.keys, classes.counts, failing, word, shift, mask, offset[:-1], int(offset[-1])
        )
        return tuple(np.split(counts, offset[1:-1]))

    def classes(self, levels: Levels) -> FrequencySet:
        """Return the frequency set of a node, rolled up from the smallest one at hand that lies below it."""
        key = levels.tobytes()
        slot = self._slot.get(key)
        if slot is not None:
            found = self._sets[slot]
            assert found is not None
            return found
        below, start = self._nearest(levels)
        made = self.space.climb(start, below, levels.tolist())
        self._store(key, levels, made)
        return made

    def _nearest(self, levels: Levels) -> tuple[list[int], FrequencySet]:
        step = self._step_below(levels)
        if step is not None:
            return step
        ground = self.space.ground
        position = int(np.argmin(np.where((self._levels <= levels).all(axis=1), self._sizes, np.iinfo(np.int64).max)))
        found = self._sets[position]
        if found is None or not (self._levels[position] <= levels).all() or len(found.counts) >= len(ground.counts):
            return self.space.bottom.tolist(), ground
        return self._levels[position].tolist(), found

    def _step_below(self, levels: Levels) -> tuple[list[int], FrequencySet] | None:
        """Return the smallest set at hand that lies a single step below, which is cheaper to find than the nearest."""
        smallest: tuple[list[int], FrequencySet] | None = None
        lower = levels.copy()
        for j in range(len(lower)):
            if lower[j]:
                lower[j] -= 1
                slot = self._slot.get(lower.tobytes())
                if slot is not None:
                    found = self._sets[slot]
                    assert found is not None
                    if smallest is None or len(found.counts) < len(smallest[1].counts):
                        smallest = (lower.tolist(), found)
                lower[j] += 1
        return smallest

    def _store(self, key: bytes, levels: Levels, made: FrequencySet) -> None:
        if made.bytes > STORED_BYTES // 8:
            return
        while True:
            slot = self._next
            self._next = (slot + 1) % STORED_SETS
            old = self._sets[slot]
            if old is not None:
                self._bytes -= old.bytes
                del self._slot[self._keys[slot]]
                self._sets[slot] = None
                self._levels[slot] = np.iinfo(np.int16).max
                self._sizes[slot] = np.iinfo(np.int64).max
            if self._bytes + made.bytes <= STORED_BYTES:
                break
        self._sets[slot], self._keys[slot], self._slot[key] = made, key, slot
        self._levels[slot], self._sizes[slot] = levels, len(made.counts)
        self._bytes += made.bytes
