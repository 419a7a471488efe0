"""Categories that a change moves far behind a published one: their originals alone are looked at, one by one.

Behind a published category all that does not change keeps its distance. Most categories of which a few records come or
go move by little. Those that become possible, or are no longer, and rare ones move far; they have few originals.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.category_members import MOST_MEMBERS
from evosdc_measures.linkage.likelihood import SCALE, Flags

MOST_STEP = SCALE // 16
"""Categories that move by more are looked at original by original."""

GONE, COME, FAR = 1, 2, 3
"""Kinds of those: no longer possible, possible only now, and moved far. An original is looked at by its first category
of the first of these kinds that it has: one that was impossible stays so with a category that is gone."""


Kinds = NDArray[np.int8]
"""By category behind a published one: `GONE`, `COME`, `FAR`, or 0."""


@njit(cache=True)
def moved_categories(
    changed: Flags, stood: Counts, counts: Counts, strides: Integers, offsets: Integers, logs: Integers
) -> tuple[Integers, Integers, Kinds, Integers, Flags, Counts, Counts, Counts]:
    """Return what became of the categories behind each published one.

    Parameters
    ----------
    changed : ndarray of bool
        At the first entry behind a published category: whether any count there has changed.
    stood, counts : ndarray of int32
        Records by published and original category, before and after.
    strides, offsets : ndarray of int64
        Of `Behind`.
    logs : ndarray of int64
        Of `Frequencies`.

    Returns
    -------
    rises : ndarray of int64
        By how much each category has become less likely, laid out as the counts; 0 of those that become possible, or
        are no longer.
    steps : ndarray of int64
        At the first entry behind a published category: the most that any has moved which has not moved far.
    kinds : ndarray of int8
        Which have moved far, and how; 0 of others.
    farthest : ndarray of int64
        As `steps`, of kind `FAR`.
    opens : ndarray of bool
        Likewise: whether any is of another kind.
    begins, ends : ndarray of int32
        At the first entry behind a published category: where those that have moved far stand in `listed`.
    listed : ndarray of int32
        Places of the categories.
    """
    cells, filled = len(counts), 0
    rises, steps, farthest = np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    kinds, opens = np.zeros(cells, np.int8), np.zeros(cells, np.bool_)
    begins, ends, listed = np.zeros(cells, np.int32), np.zeros(cells, np.int32), np.empty(cells, np.int32)
    for v in range(len(strides)):
        for base in range(offsets[v], offsets[v + 1], strides[v]):
            if not changed[base]:
                continue
            begins[base] = filled
            for entry in range(base, base + strides[v]):
                if stood[entry] == counts[entry]:
                    continue
                if stood[entry] > 0 and counts[entry] > 0:
                    rise = logs[stood[entry]] - logs[counts[entry]]
                    rises[entry] = rise
                    if abs(rise) <= MOST_STEP:
                        steps[base] = max(steps[base], abs(rise))
                        continue
                    farthest[base] = max(farthest[base], abs(rise))
                    kinds[entry] = FAR
                else:
                    kinds[entry] = GONE if stood[entry] > 0 else COME
                    opens[base] = True
                listed[filled] = entry - base
                filled += 1
            ends[base] = filled
    return rises, steps, kinds, farthest, opens, begins, ends, listed


@njit(cache=True)
def crossings(
    published: Codes,
    number: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    kinds: Kinds,
    farthest: Integers,
    begins: Counts,
    ends: Counts,
    listed: Counts,
    margins: Integers,
    distinct: Codes,
    multiples: Counts,
    starts: Integers,
    members: Counts,
    former: Integers,
    costs: Integers,
    step: int,
    near: int,
) -> tuple[int, int, int]:
    """Return by how much more originals of far categories cost less than a record's own, how many more just as much.

    And how near any of them comes to it, `near` at most; -1 where a category has too many to be looked at.

    Parameters
    ----------
    published, number, own, strides, offsets
        As of `evosdc_measures.linkage.ranked_places.place`; the own original's categories have not moved far.
    kinds, farthest, begins, ends, listed
        Of `moved_categories`.
    margins : ndarray of int64
        `Frequencies.firsts`.
    distinct, multiples, starts, members
        Of `Members`.
    former, costs : ndarray of int64
        Before and after the change.
    step : int
        By so much at most others have moved beside the own original whose categories have not moved far.
    """
    attributes = published.shape[1]
    before: Any = np.int64(0)
    limit: Any = np.int64(0)
    reach: Any = np.int64(step)
    for v in range(attributes):
        base = offsets[v] + (published[number, v] + 1) * strides[v]
        before += former[base + own[number, v]]
        limit += costs[base + own[number, v]]
        reach += farthest[base]
    likelier, tied = 0, 0
    room: Any = np.int64(near)
    reach = max(reach, room)
    for v in range(attributes):
        base = offsets[v] + (published[number, v] + 1) * strides[v]
        for at in range(begins[base], ends[base]):
            first, stop = starts[margins[v] + listed[at]], starts[margins[v] + listed[at] + 1]
            if not 0 < stop - first <= MOST_MEMBERS:
                return 0, 0, -1
            moved = base + listed[at]
            kind = kinds[moved]
            # What is gone cost so much before. Who is farther away than anything has moved has not crossed.
            asked, bound, least = costs, limit + room, np.int64(0)
            if kind == GONE:
                asked, bound = former, before
            elif kind == FAR:
                bound, least = limit + reach, limit - reach
            for place in range(first, stop):
                original, w = members[place], 0
                cost = asked[moved]
                # No cost is below 0: who costs more so far costs more.
                while w < attributes and cost <= bound:
                    if w != v:
                        cost += asked[offsets[w] + (published[number, w] + 1) * strides[w] + distinct[original, w]]
                    w += 1
                if cost > bound or cost < least:
                    continue
                was, seen = cost, False
                if kind == FAR:
                    was = former[moved]
                for w in range(attributes):
                    entry = offsets[w] + (published[number, w] + 1) * strides[w] + distinct[original, w]
                    seen |= kinds[entry] == kind and w < v
                    if kind == FAR:
                        seen |= kinds[entry] == COME
                        if w != v:
                            was += former[entry]
                if seen:
                    continue
                if kind != GONE:
                    likelier += multiples[original] * int(cost < limit)
                    tied += multiples[original] * int(cost == limit)
                    room = min(room, abs(cost - limit))
                if kind != COME:
                    likelier -= multiples[original] * int(was < before)
                    tied -= multiples[original] * int(was == before)
    return likelier, tied, int(room)
