"""Links of an informed intruder, followed through many changed cells of a masked file at once."""

from typing import Any

import numpy as np

from evosdc.kernel import inner_kernel, kernel_part
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Behind, Frequencies, cost_of, write_costs
from evosdc_measures.linkage.rivals import LinkedFile, Originals, link


@kernel_part
def entries_of(published: Codes, among: Rows, model: Behind) -> Counts:
    """Return where the costs of their own originals' categories lie behind what some records publish, shape (m, V)."""
    own, strides, offsets = model
    entries = np.empty((len(among), own.shape[1]), np.int32)
    for place, row in enumerate(among):
        for v in range(own.shape[1]):
            entries[place, v] = offsets[v] + (published[row, v] + 1) * strides[v] + own[row, v]
    return entries


@kernel_part
def follow_together(
    before: Codes,
    after: Codes,
    rows: Rows,
    among: Rows,
    entries: Counts,
    originals: Originals,
    frequencies: Frequencies,
    linked: LinkedFile,
    paths: Integers,
    near: int,
    weights: Integers,
) -> None:
    """Follow many changed cells.

    Left as they are: records that had more room than any other original can have come nearer to their own one, where
    that alone was linked, or than their rival can have lost; and those that still have their rival.

    Parameters
    ----------
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp
        That differ.
    among : ndarray of intp, shape (m,)
        The records to look at, with all that differ.
    entries : ndarray of int32, shape (m, V)
        Of these before the change, as `entries_of` returns them.
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
    former = np.empty(strides.max(), np.int64)
    nearer, farther = np.zeros(len(costs), np.int64), np.zeros(len(costs), np.int64)
    opened = np.full(len(costs), IMPOSSIBLE, np.int64)
    for v in range(attributes):
        for base in range(offsets[v], offsets[v + 1], strides[v]):
            if changed[base]:
                end = base + strides[v]
                former[: strides[v]] = costs[base:end]
                write_costs(base, v, strides[v], frequencies, counts, costs)
                write_steps(former, costs[base:end], nearer[base:end], farther[base:end], opened[base:end])
    for place, row in enumerate(among):
        alone, room = -links[row] == multiples[row], rooms[row]
        if not moved[row]:
            step: Any = np.int64(0)
            most: Any = np.int64(0)
            for entry in entries[place]:
                step += nearer[entry]
                most += farther[entry]
            if (step == 0 and most == 0) or (alone and step < room) or (links[row] >= 0 and most < room):
                if near > 0 and room > 0:
                    rooms[row] -= step if alone else most
                continue
            if alone:
                limit: Any = np.int64(0)
                least: Any = np.int64(IMPOSSIBLE)
                for entry in entries[place]:
                    limit += costs[entry]
                    least = min(least, opened[entry])
                    if opened[entry] < IMPOSSIBLE:
                        step -= IMPOSSIBLE
                # No cost is below 0, so what was impossible costs at least what its new category does.
                if least > limit and (step == 0 or step < room):
                    if near > 0:
                        rooms[row] = min(room - step, least - limit)
                    continue
            elif links[row] >= 0:
                ahead = cost_of(after, row, row, model, costs) - cost_of(after, row, links[row], model, costs)
                if ahead > 0:
                    if near > 0:
                        rooms[row] = ahead
                    continue
        room = link(after, row, originals, costs, links, ties, paths, multiples[row], near, weights[row])
        if near > 0:
            rooms[row] = room


@inner_kernel
def write_steps(former: Integers, costs: Integers, nearer: Integers, farther: Integers, opened: Integers) -> None:
    """Write by how much any other category can have come nearer to each, and how much less likely than each become.

    To the first `IMPOSSIBLE` is added where any was impossible and is not: `opened` are the least costs of these then.
    """
    won, lost, least, closed = IMPOSSIBLE, -IMPOSSIBLE, IMPOSSIBLE, False
    for a in range(len(costs)):
        if former[a] >= IMPOSSIBLE:
            least = min(least, costs[a])
        elif costs[a] >= IMPOSSIBLE:
            closed = True
        else:
            won, lost = min(won, costs[a] - former[a]), max(lost, costs[a] - former[a])
    for a in range(len(costs)):
        own = costs[a] - former[a] if former[a] < IMPOSSIBLE and costs[a] < IMPOSSIBLE else np.int64(0)
        nearer[a] = max(own - won, 0) + (IMPOSSIBLE if least < IMPOSSIBLE else 0)
        farther[a] = IMPOSSIBLE if closed else max(lost - own, 0)
        opened[a] = least
