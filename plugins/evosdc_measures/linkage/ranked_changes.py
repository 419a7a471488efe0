"""How the places of the right originals move with a few changed records of a masked file."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.category_members import MOST_MEMBERS, Members, shifted_members
from evosdc_measures.linkage.informed_links import FEW
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Frequencies, write_costs
from evosdc_measures.linkage.publishers import Publishers, publishing
from evosdc_measures.linkage.ranked_neighbours import REACH, Neighbours, placed_among
from evosdc_measures.linkage.ranked_places import LOST, PlacedFile, doubles, own_cost, place
from evosdc_measures.linkage.ranked_together import follow_together
from evosdc_measures.linkage.rivals import Originals
from evosdc_measures.linkage.shifted_category import shifted_category


@njit(cache=True)
def _exchanged(left: Codes, entered: Codes, moved: Codes) -> NDArray[np.bool_]:
    """Return which changed cells another row of the same original category changes the other way round, shape (r, V).

    Parameters
    ----------
    left, entered, moved : ndarray of int32, shape (r, V)
        As of `_follow`.
    """
    back = np.zeros(left.shape, np.bool_)
    for first in range(len(left)):
        for v in range(left.shape[1]):
            if left[first, v] == entered[first, v] or back[first, v]:
                continue
            for second in range(first + 1, len(left)):
                same = moved[second, v] == moved[first, v]
                same &= left[second, v] == entered[first, v] and entered[second, v] == left[first, v]
                if same and not back[second, v]:
                    back[first, v] = back[second, v] = True
                    break
    return back


@njit(cache=True)
def _cost_before(
    base: int,
    first: int,
    category: int,
    count: int,
    mark: int,
    margins: Integers,
    logs: Integers,
    counts: Counts,
    costs: Integers,
) -> int:
    """Return what a category cost behind a published one, at `base`, when it stood there so many times.

    All costs behind one are less the least, which may have changed: what another category that stands there, `mark`,
    costs now tells which that is.
    """
    least = margins[first + mark] - logs[counts[base + mark]] - costs[base + mark]
    return int(margins[first + category] - logs[count] - least)


@njit(cache=True)
def _follow_cell(
    published: Codes,
    row: int,
    v: int,
    left: int,
    entered: int,
    moved: int,
    twins: Counts,
    originals: Originals,
    frequencies: Frequencies,
    placed: PlacedFile,
    members: Members,
    neighbours: Neighbours,
    some: Counts,
    paths: Integers,
    near: int,
) -> None:
    """Follow one changed cell of a row that is not asked (-1) or is: its category is likelier behind the new one.

    Looked at are `some` records, those that publish what it left or entered, the row itself among them.

    Left as they are: records with more room than the category moves by; those whose own original stands first alone
    and loses no ground; those lost that lose more, and those lost whom nothing likelier leaves.
    Where the own original is not of the moved category, those of that category alone are counted, at what it cost and
    at what it costs.
    """
    counts, costs, likelier, tied, rooms = placed
    (own, strides, offsets), (order, roots, nodes) = originals
    listed, sizes, below, reaches, apart, known, shifted, former, categories = neighbours
    multiples, margins, logs = frequencies.multiples, frequencies.margins, frequencies.logs
    for code, step in ((left, -1), (entered, 1)):
        base = offsets[v] + (code + 1) * strides[v]
        counts[base + moved] += step
        write_costs(base, v, strides[v], frequencies, counts, costs)
    lost_base, won_base = offsets[v] + (left + 1) * strides[v], offsets[v] + (entered + 1) * strides[v]
    won, now = costs[won_base + moved], counts[won_base + moved]
    still = counts[lost_base + moved]
    # How much less likely the moved category has become behind the one left, and likelier behind the one entered.
    lost_step = logs[still + 1] - logs[still] if still > 0 else IMPOSSIBLE
    won_step = logs[now] - logs[now - 1] if now > 1 else IMPOSSIBLE
    won_before = won + won_step if now > 1 else IMPOSSIBLE
    first = frequencies.firsts[v]
    distinct, repeated, begins, owners = members
    begin, end = begins[first + moved], begins[first + moved + 1]
    # Else the record is placed anew where its room is asked for.
    few = 0 < end - begin <= MOST_MEMBERS
    for looked_at in some:
        number: Any = np.int64(looked_at)  # else functions are compiled for records of both sizes
        code = published[number, v]
        twin: Any = np.int64(twins[number])
        if number != row:
            step = lost_step if code == left else won_step
            if step == IMPOSSIBLE:
                # Originals of a category that becomes possible, or was, cost that category at least.
                limit = own_cost(published, number, own, strides, offsets, order, costs, paths)
                least = (
                    won
                    if code == entered
                    else _cost_before(lost_base, first, moved, still + 1, own[number, v], margins, logs, counts, costs)
                )
                if least > limit:
                    rooms[number] = min(rooms[number], least - limit)
                    shifted[number] = shifted[number] if least > limit + REACH else IMPOSSIBLE
                    continue
            shifted[number] = min(shifted[number] + step, IMPOSSIBLE)  # hundreds of these would overflow
            if step < rooms[number]:
                rooms[number] -= step
                continue
            above, alike = placed_among(
                published, number, own, strides, offsets, order, roots, nodes, costs, multiples[number], listed, sizes,
                below, reaches, apart, known, shifted, former, categories, paths, v, int(moved),
                step if code == left else -step,
            )  # fmt: skip
            if alike:
                likelier[number], tied[number], rooms[number] = above, alike, 0
                continue
            if twin >= 0 and twin != row and doubles(published, number, twin):
                likelier[number], tied[number], rooms[number] = likelier[twin], tied[twin], rooms[twin]
                continue
            mine, lost = own[number, v] == moved, likelier[number] == LOST
            if mine == (code == entered):
                # All others lose ground to the own one, but those that have its category.
                if likelier[number] == 0 and tied[number] == multiples[number]:
                    continue
            elif lost:
                continue
            if not mine and (near == 0 or (few and not lost)):
                low, high = won, won_before
                if code == left:
                    low = _cost_before(lost_base, first, moved, still + 1, own[number, v], margins, logs, counts, costs)
                    high = costs[lost_base + moved]
                if few:
                    overtaking, ties, room = shifted_members(
                        published, number, v, begin, end, low, high, code == entered, near, own, strides, offsets,
                        order, distinct, repeated, owners, costs, paths,
                    )  # fmt: skip
                else:
                    room = 0
                    overtaking, ties = shifted_category(
                        published, number, v, moved, low, high, own, strides, offsets, order, roots, nodes, costs, paths
                    )
                if not lost:
                    sign = 1 if code == entered else -1
                    likelier[number] += sign * overtaking
                    tied[number] += sign * ties
                    rooms[number] = min(rooms[number], room) if tied[number] == multiples[number] else 0
                    if likelier[number] < LOST:
                        continue
                    if near == 0:
                        likelier[number], tied[number], rooms[number] = LOST, 1, 0
                        continue
                elif overtaking == 0:
                    rooms[number] = 0
                    continue
        likelier[number], tied[number], rooms[number] = place(
            published, number, own, strides, offsets, order, roots, nodes, costs, paths, near, multiples[number]
        )


@njit(cache=True)
def follow_changes(
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
    publishers: Publishers,
    paths: Integers,
    near: int,
) -> None:
    """Follow changed rows.

    Parameters
    ----------
    published : ndarray of int32, shape (m, V)
        What the records asked publish; changed.
    numbers : ndarray of intp, shape (r,)
        Places of the changed rows among those asked, or -1.
    left, entered, moved : ndarray of int32, shape (r, V)
        What the changed rows published before, what now, and the places of their original categories.
    twins : ndarray of int32, shape (m,)
    originals, frequencies
        Of the records asked.
    placed : PlacedFile
        Changed.
    members : Members
    neighbours : Neighbours
        Of the file that is followed; changed.
    publishers : Publishers
        Of that file.
    paths : ndarray of int64, shape (4, V)
        Scratch.
    near : int
        As of `place`, for records that are placed anew.
    """
    (own, strides, offsets), (order, roots, nodes) = originals
    attributes = left.shape[1]
    changes = 0
    for change in range(len(numbers)):
        for v in range(attributes):
            changes += left[change, v] != entered[change, v]
    # Of so many cells nearly every record publishes a category whose costs have changed.
    most = max(FEW, ((offsets[1:] - offsets[:-1]) // strides).sum() // 4)
    if changes > most:
        follow_together(
            published, numbers, left, entered, moved, twins, originals, frequencies, placed, members, neighbours, paths,
            near,
        )  # fmt: skip
    elif changes > 0:
        # One cell after the other: each is followed in a file that differs from the last in this cell alone. Two
        # records of one category that exchange what they publish leave all counts as they are.
        back = _exchanged(left, entered, moved)
        # Those who exchange are placed in the end: until then nobody takes over their places.
        followed = np.full_like(twins, -1) if back.any() else twins
        firsts, begins, records, some = publishers
        for change in range(len(numbers)):
            number = numbers[change]
            for v in range(attributes):
                if left[change, v] != entered[change, v]:
                    if number >= 0:
                        published[number, v] = entered[change, v]
                        neighbours.moved[number] = IMPOSSIBLE
                    if not back[change, v]:
                        cell = left[change, v], entered[change, v], moved[change, v]
                        found = publishing(
                            published, v, cell[0], cell[1], numbers, left, entered, change + 1, firsts, begins, records,
                            some,
                        )  # fmt: skip
                        _follow_cell(
                            published, number, v, *cell, followed, originals, frequencies, placed, members, neighbours,
                            some[:found], paths, near,
                        )  # fmt: skip
        for change in range(len(numbers)):
            number = numbers[change]
            if number >= 0 and back[change].any():
                multiple = frequencies.multiples[number]
                placed.likelier[number], placed.tied[number], placed.rooms[number] = place(
                    published, number, own, strides, offsets, order, roots, nodes, placed.costs, paths, near, multiple
                )
