"""Links of an informed intruder, followed through many changed cells of a masked file at once."""

from typing import Any

import numpy as np

from evosdc.kernel import inner_kernel, kernel
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Integers
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Frequencies, cost_of, write_costs
from evosdc_measures.linkage.rivals import LinkedFile, Originals, link


@kernel
def follow_together(
    before: Codes,
    after: Codes,
    rows: Rows,
    among: Rows,
    originals: Originals,
    frequencies: Frequencies,
    linked: LinkedFile,
    paths: Integers,
    near: int,
    weights: Integers,
) -> None:
    """Follow many changed cells.

    Left as they are: records that publish nothing whose costs have changed; that still have their rival; and whose own
    original alone was linked, while no other can have come as near to it as it had room.

    Parameters
    ----------
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp
        That differ.
    among : ndarray of intp
        The records to look at, with all that differ.
    originals, frequencies, linked, paths
        As of `link`.
    near : int
        As of `rivals.rival_of`; with 0 rooms stay as they are.
    weights : ndarray of int64, shape (n,)
        How many each record stands for.
    """
    model, (counts, costs, links, ties, rooms) = originals.model, linked
    given, multiples, (own, strides, offsets) = frequencies.given, frequencies.multiples, model
    n, attributes = own.shape
    # By where a category's entries begin; and records.
    changed, moved = np.zeros(len(costs), np.bool_), np.zeros(n, np.bool_)
    for row in rows:
        for v in range(attributes):
            if before[row, v] != after[row, v]:
                moved[row] = True
                if not given[v]:
                    for code, number in ((before[row, v], -1), (after[row, v], 1)):
                        base = offsets[v] + (code + 1) * strides[v]
                        counts[base + own[row, v]] += number
                        changed[base] = True
    # How much nearer any other original can have come to each by their categories alone, and the least cost of one that
    # was impossible.
    nearer, former = np.zeros(len(costs), np.int64), np.empty(strides.max(), np.int64)
    opened = np.full(len(costs), IMPOSSIBLE, np.int64)
    for v in range(attributes):
        for base in range(offsets[v], offsets[v + 1], strides[v]):
            if changed[base]:
                end = base + strides[v]
                former[: strides[v]] = costs[base:end]
                write_costs(base, v, strides[v], frequencies, counts, costs)
                opened[base] = _write_nearer(former, costs[base:end], nearer[base:end])
    for row in among:
        if moved[row]:
            pass
        elif -links[row] != multiples[row]:
            touched = False
            for v in range(attributes):
                touched |= changed[offsets[v] + (after[row, v] + 1) * strides[v]]
            if not touched:
                continue
            if links[row] >= 0:
                ahead = cost_of(after, row, row, model, costs) - cost_of(after, row, links[row], model, costs)
                if ahead > 0:
                    if near > 0:
                        rooms[row] = ahead
                    continue
        else:
            limit: Any = np.int64(0)
            step: Any = np.int64(0)
            least: Any = np.int64(IMPOSSIBLE)
            for v in range(attributes):
                base = offsets[v] + (after[row, v] + 1) * strides[v]
                limit += costs[base + own[row, v]]
                step += nearer[base + own[row, v]]
                least = min(least, opened[base])
            # No cost is below 0, so what was impossible costs at least what its new category does.
            if least > limit and (step == 0 or step < rooms[row]):
                if near > 0:
                    rooms[row] = min(rooms[row] - step, least - limit)
                continue
        room = link(after, row, originals, costs, links, ties, paths, multiples[row], near, weights[row])
        if near > 0:
            rooms[row] = room


@inner_kernel
def _write_nearer(former: Integers, costs: Integers, nearer: Integers) -> int:
    """Write by how much any other category can have come nearer to each, by their costs before and after.

    Left out are those that were impossible, of which the least cost is returned.
    """
    won, opened = IMPOSSIBLE, IMPOSSIBLE
    for a in range(len(costs)):
        if former[a] < IMPOSSIBLE:
            won = min(won, costs[a] - former[a])
        else:
            opened = min(opened, costs[a])
    for a in range(len(costs)):
        possible = costs[a] < IMPOSSIBLE and former[a] < IMPOSSIBLE
        nearer[a] = costs[a] - former[a] - won if possible else np.int64(0)
    return opened
