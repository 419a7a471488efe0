"""Places of the right originals, followed through many changed cells of a masked file at once."""

from typing import Any

import numpy as np

from evosdc.kernel import inner_kernel, kernel_part
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Frequencies, write_costs
from evosdc_measures.linkage.ranked_neighbours import REACH, Neighbours, placed_among
from evosdc_measures.linkage.ranked_places import PlacedFile, doubles, place
from evosdc_measures.linkage.rivals import ANY, Originals


@kernel_part
def follow_together(
    published: Codes,
    numbers: Rows,
    left: Codes,
    entered: Codes,
    moved: Codes,
    twins: Counts,
    originals: Originals,
    frequencies: Frequencies,
    placed: PlacedFile,
    neighbours: Neighbours,
    paths: Integers,
    near: int,
) -> None:
    """Follow many changed cells.

    Left as they are: records that publish nothing whose costs have changed, and those behind which all others keep
    their side of the own original, by the room that they had.

    Parameters
    ----------
    published, numbers, left, entered, moved, twins, originals, frequencies, placed, neighbours, paths, near
        As of `evosdc_measures.linkage.ranked_changes.follow_changes`.
    """
    counts, costs, likelier, tied, rooms = placed
    (own, strides, offsets), (order, roots, nodes) = originals
    attributes = left.shape[1]
    listed, sizes, below, reaches, scratch, known, shifted, first, categories = neighbours
    changed, altered = np.zeros(len(costs), np.bool_), np.zeros(len(published), np.bool_)
    for change in range(len(numbers)):
        for v in range(attributes):
            if left[change, v] != entered[change, v]:
                for code, more in ((left[change, v], -1), (entered[change, v], 1)):
                    base = offsets[v] + (code + 1) * strides[v]
                    counts[base + moved[change, v]] += more
                    changed[base] = True
                if numbers[change] >= 0:
                    published[numbers[change], v] = entered[change, v]
                    altered[numbers[change]] = True
    former = costs.copy()
    apart, ends = np.zeros(len(costs), np.int64), np.full((2, len(costs)), IMPOSSIBLE, np.int64)
    for v in range(attributes):
        for base in range(offsets[v], offsets[v + 1], strides[v]):
            if changed[base]:
                write_costs(base, v, strides[v], frequencies, counts, costs)
                stop = base + strides[v]
                ends[0, base], ends[1, base] = _write_apart(former[base:stop], costs[base:stop], apart[base:stop])
    for number in range(len(published)):
        step: Any = np.int64(0)
        limit: Any = np.int64(0)
        before: Any = np.int64(0)
        touched = altered[number]
        opened: Any = np.int64(IMPOSSIBLE)
        closed: Any = np.int64(IMPOSSIBLE)
        for v in range(attributes):
            base = offsets[v] + (published[number, v] + 1) * strides[v]
            entry = base + own[number, v]
            touched |= changed[base]
            step += apart[entry]
            limit += costs[entry]
            before += former[entry]
            opened, closed = min(opened, ends[0, base]), min(closed, ends[1, base])
        if not touched:
            continue
        # Who becomes possible, or was, has to be none of the neighbours.
        settled = not altered[number] and opened > limit + REACH and closed > before + REACH
        shifted[number] = min(shifted[number] + step, IMPOSSIBLE) if settled else IMPOSSIBLE
        # No cost is below 0, so an original that was or is impossible costs at least what its category does.
        if not altered[number] and step < rooms[number] and opened > limit and closed > before:
            rooms[number] = min(rooms[number] - step, opened - limit)
            continue
        above, alike = placed_among(
            published, number, own, strides, offsets, order, roots, nodes, costs, frequencies.multiples[number], listed,
            sizes, below, reaches, scratch, known, shifted, first, categories, paths, 0, ANY, 0,
        )  # fmt: skip
        if alike:
            likelier[number], tied[number], rooms[number] = above, alike, 0
            continue
        twin: Any = np.int64(twins[number])
        if twin >= 0 and doubles(published, number, twin):
            likelier[number], tied[number], rooms[number] = likelier[twin], tied[twin], rooms[twin]
        else:
            multiple = frequencies.multiples[number]
            likelier[number], tied[number], rooms[number] = place(
                published, number, own, strides, offsets, order, roots, nodes, costs, paths, near, multiple
            )


@inner_kernel
def _write_apart(former: Integers, costs: Integers, apart: Integers) -> tuple[int, int]:
    """Write by how much the distance of each cost from any other one has changed at most.

    Left out are those that were impossible, and those that are: of both the least other cost is returned.
    """
    least, most, opened, closed = IMPOSSIBLE, -IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE
    for a in range(len(costs)):
        if former[a] >= IMPOSSIBLE:
            opened = min(opened, costs[a])
        elif costs[a] >= IMPOSSIBLE:
            closed = min(closed, former[a])
        else:
            least, most = min(least, costs[a] - former[a]), max(most, costs[a] - former[a])
    for a in range(len(costs)):
        if costs[a] < IMPOSSIBLE and former[a] < IMPOSSIBLE:
            apart[a] = max(costs[a] - former[a] - least, most - costs[a] + former[a])
    return opened, closed
