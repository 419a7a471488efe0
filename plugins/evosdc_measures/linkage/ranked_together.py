"""Places of the right originals, followed through many changed cells of a masked file at once."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.category_members import Members
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Frequencies, write_costs
from evosdc_measures.linkage.moved_categories import Kinds, crossings, moved_categories
from evosdc_measures.linkage.ranked_neighbours import REACH, Neighbours, look_around, placed_among
from evosdc_measures.linkage.ranked_places import LOST, PlacedFile, doubles, own_cost, place
from evosdc_measures.linkage.rivals import ANY, Originals


@njit(cache=True)
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
    members: Members,
    neighbours: Neighbours,
    paths: Integers,
    near: int,
) -> None:
    """Follow many changed cells.

    Left as they are: records that publish nothing whose costs have changed, and those behind which all others keep
    their side of the own original, by the room that they had. Where others do but for those whose categories have moved
    far, these are counted, before and after.

    Parameters
    ----------
    published, numbers, left, entered, moved, twins, originals, frequencies, placed, members, neighbours, paths, near
        As of `evosdc_measures.linkage.ranked_changes.follow_changes`.
    """
    counts, costs, likelier, tied, rooms = placed
    (own, strides, offsets), (order, roots, nodes) = originals
    attributes = left.shape[1]
    listed, sizes, below, reaches, scratch, known, shifted, first, categories = neighbours
    distinct, repeated, starts, of_category = members
    changed, altered = np.zeros(len(costs), np.bool_), np.zeros(len(published), np.bool_)
    stood, former = counts.copy(), costs.copy()
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
    for v in range(attributes):
        for base in range(offsets[v], offsets[v + 1], strides[v]):
            if changed[base]:
                write_costs(base, v, strides[v], frequencies, counts, costs)
    rises, steps, kinds, farthest, opens, begins, ends, those = moved_categories(
        changed, stood, counts, strides, offsets, frequencies.logs
    )
    for number in range(len(published)):
        rise: Any = np.int64(0)
        step: Any = np.int64(0)
        farther: Any = np.int64(0)
        touched, own_far, open_now, apart = altered[number], altered[number], altered[number], 0
        for v in range(attributes):
            base = offsets[v] + (published[number, v] + 1) * strides[v]
            entry = base + own[number, v]
            touched |= changed[base]
            own_far |= kinds[entry] != 0
            rise += rises[entry]
            step += steps[base]
            farther += farthest[base]
            open_now |= opens[base]
            apart += ends[base] - begins[base]
        if not touched:
            continue
        # All that has not moved far has moved by so much at most, beside the own original.
        step += abs(rise)
        since = shifted[number]
        shifted[number] = IMPOSSIBLE if open_now else min(since + step + farther, IMPOSSIBLE)
        stays = not own_far and (step == 0 or step < rooms[number])
        if stays and apart == 0:
            rooms[number] -= step if step < rooms[number] else 0
            continue
        more, ties, told = 0, 0, stays
        if not (own_far or stays or apart == 0) and since == 0 and step < REACH and len(known) > 0:
            look_around(
                published, number, own, strides, offsets, order, roots, nodes, listed, sizes, below, reaches, scratch,
                known, first, categories, paths,
            )  # fmt: skip
            told = step < reaches[number]
            if told:
                more, ties = _moved_among(
                    published, number, own, strides, offsets, order, nodes, listed[number], scratch[number],
                    int(sizes[number]), kinds, costs, step, categories, paths,
                )  # fmt: skip
        if told and likelier[number] < LOST:
            further, as_far, room = crossings(
                published, number, own, strides, offsets, kinds, farthest, begins, ends, those, frequencies.firsts,
                distinct, repeated, starts, of_category, former, costs, step, near,
            )  # fmt: skip
            if room >= 0:
                above, alike = likelier[number] + more + further, tied[number] + ties + as_far
                # Where any was tied before, there was no room either.
                leaves = above < LOST and alike == frequencies.multiples[number] and step < rooms[number]
                rooms[number] = min(rooms[number] - step, room) if leaves else 0
                likelier[number], tied[number] = (above, alike) if above < LOST else (LOST, 1)
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


@njit(cache=True)
def _moved_among(
    published: Codes,
    number: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    nodes: Counts,
    listed: NDArray[np.int32],
    apart: Integers,
    size: int,
    kinds: Kinds,
    costs: Integers,
    step: int,
    categories: Codes,
    paths: Integers,
) -> tuple[int, int]:
    """Return how many more of the neighbours cost less than the own original, and how many more just as much.

    Left out are those of which a category has moved far.
    """
    likelier, tied = 0, 0
    limit = own_cost(published, number, own, strides, offsets, order, costs, paths)
    for at in range(size):
        if abs(apart[at]) > step:
            continue
        node, far = listed[at], False
        cost: Any = np.int64(0)
        for level in range(len(order)):
            entry = paths[3, level] + categories[nodes[node, 2], order[level]]
            far |= kinds[entry] != 0
            cost += costs[entry]
        if not far:
            likelier += nodes[node, 1] * (int(cost < limit) - int(apart[at] < 0))
            tied += nodes[node, 1] * (int(cost == limit) - int(apart[at] == 0))
    return likelier, tied
