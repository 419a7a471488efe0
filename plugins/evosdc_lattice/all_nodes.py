"""Every node of a lattice at once, for k-anonymity alone: one depth-first pass without leaving the kernel."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_lattice.rollup import Counts, WordFields, merged_classes, table_bits
from evosdc_lattice.space import LatticeSpace


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
