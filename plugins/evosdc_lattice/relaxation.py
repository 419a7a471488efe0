"""How little any node within the limit can lose: a lower bound of the loss, from groups of attributes judged alone.

**Why it is one.** Let a node publish attribute j at level v(j), and let S be some of the attributes. A class of S
alone is a union of classes of all attributes. A record in a class of S with fewer than k records is therefore in a
class with fewer than k, so that a node within the limit suppresses, cut down to S, no more than the limit. Hence v,
cut down to S, is one of the vectors of levels of S that are within the limit for k-anonymity, and if a loss is at
least a sum of parts ``c(j, v(j))``, the parts of S add up to no less than ``B(S)``, their least sum over those
vectors. Disjoint groups that make up all attributes give ``loss >= B(S1) + B(S2) + ...``. Further conditions on
classes (l, t, p, registered models) and constraints only leave fewer nodes.

``B(S)`` is found by Russian doll search (Verfaillie, Lemaitre and Schiex 1996): a group grows by one attribute at a
time, and what it came to before bounds the rest of every choice of a level of the new one. A group is closed once it
would take too long to let it grow. Which groups are made changes how good the bound is, never that it is one.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_lattice.evaluation import NodeEvaluator
from evosdc_lattice.losses import NodeLoss
from evosdc_lattice.space import LatticeSpace, locked

WORK = 800_000_000  # steps from a record to its class that a bound may take: about two seconds
STEPS = 6  # into how many parts of this work it is divided at least
_ROUNDING = 1e-9  # by which a bound is lowered, relative to itself: sums of parts are rounded otherwise than losses


def lower_bound(space: LatticeSpace, loss: NodeLoss, work: int = WORK) -> float:
    """Return what no node within the limit loses less than."""
    # The greatest of three bounds: the loss's own bound at the node that has each attribute at the lowest level that
    # can be published with all others at their highest; what sizes of classes alone imply; and, where the loss has
    # parts, the sum over groups of attributes. `work`: steps from a record to its class that may be taken.
    floor = locked(np.array([space.lowest(j) for j in range(len(space.ladders))], dtype=np.int16))
    evaluator = NodeEvaluator(space)
    bounds = [loss.bound(space, floor, evaluator.facts(floor) if loss.needs_classes else None), loss.by_sizes(space)]
    parts = loss.parts(space)
    if parts is not None:
        bounds.append(loss.of_parts(space, sum(least for _, least in grouped(space, parts, work))))
    greatest = max(bounds)
    return greatest - _ROUNDING * abs(greatest)


def grouped(
    space: LatticeSpace, parts: tuple[NDArray[np.float64], ...], work: int = WORK
) -> list[tuple[tuple[int, ...], float]]:
    """Return disjoint groups that make up all attributes, each with the least sum of its parts."""
    # Parts (height + 1,): by attribute what each level loses at least, never falling.
    tables = _tables(space, parts)
    groups: list[tuple[tuple[int, ...], float]] = []
    members: list[int] = []
    dolls: list[float] = []
    waiting = sorted(range(len(parts)), key=lambda j: (len(space.ladders[j].labels[0]), -j))
    left = work
    while waiting:
        j = waiting.pop()
        highest = float(parts[j][-1]) + (dolls[0] if dolls else 0.0)
        order, suffix = np.array([j, *members]), np.array([0.0, *dolls, 0.0])
        # An attribute alone takes no time; and no step may take all, or nothing would be left for further groups.
        allowed = min(left, work // STEPS) if members else np.iinfo(np.int64).max
        least, spent = _least_sum(tables, order, suffix, highest, space.limit, space.model.k, allowed)
        left = max(left - int(spent), 0)
        if np.isnan(least):
            groups.append((tuple(members), dolls[0]))
            members, dolls = [], []
            waiting.append(j)
            continue
        members, dolls = [j, *members], [float(least), *dolls]
    return [*groups, (tuple(members), dolls[0])]


class _Tables(NamedTuple):
    counts: NDArray[np.int64]
    codes: NDArray[np.int32]  # shape (attributes, levels, distinct records)
    sizes: NDArray[np.int64]  # shape (attributes, levels): values of a level
    heights: NDArray[np.int64]
    parts: NDArray[np.float64]


def _tables(space: LatticeSpace, parts: tuple[NDArray[np.float64], ...]) -> _Tables:
    word, shift, mask, _ = space.fields
    ground, levels = space.ground, int(space.top.max(initial=0)) + 1
    attributes, m = len(space.ladders), len(space.ground.counts)
    codes = np.zeros((attributes, levels, m), dtype=np.int32)
    sizes = np.ones((attributes, levels), dtype=np.int64)
    padded = np.zeros((attributes, levels))
    for j, ladder in enumerate(space.ladders):
        base = (ground.keys[:, word[j]] >> shift[j]) & mask[j]
        for level in range(ladder.height + 1):
            codes[j, level] = ladder.codes[level][base.astype(np.int64)]
            sizes[j, level] = len(ladder.labels[level])
        padded[j, : ladder.height + 1] = parts[j]
    return _Tables(ground.counts.astype(np.int64), codes, sizes, space.top.astype(np.int64), padded)


@njit(cache=True)
def _least_sum(
    tables: _Tables,
    order: NDArray[np.int64],
    suffix: NDArray[np.float64],
    highest: float,
    limit: int,
    k: int,
    work: int,
) -> tuple[float, int]:
    """Return the least sum of parts of a group within the limit, NaN where it takes too much work, and the work."""
    # Order (g,): the attributes in the order in which levels are chosen; suffix (g + 1,): from each place on the least
    # sum of those there and behind, the first is not read; highest: a sum that can be reached.
    depths, m = order.size, tables.counts.size
    # Of each depth the records that are not suppressed, class by class, and the class of each.
    live = np.empty((depths + 1, m), np.int32)
    ids = np.zeros((depths + 1, m), np.int32)
    alive = np.zeros(depths + 1, np.int64)
    alive[0] = m
    for c in range(m):
        live[0, c] = c
    gone = np.zeros(depths + 1, np.int64)
    cost = np.zeros(depths + 1, np.float64)
    level = np.zeros(depths, np.int64)
    # By code: the class of the depth above in which it was last seen, and its class within that one. A table of both,
    # classes times codes, would outgrow the memory where an attribute has thousands of values.
    seen, number = np.full(tables.sizes.max(), -1, np.int64), np.empty(tables.sizes.max(), np.int64)
    stamp = 0
    records, members, starts = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m + 1, np.int64)
    best, spent, depth = highest, 0, 0
    while depth >= 0:
        j = order[depth]
        at = level[depth]
        if at > tables.heights[j] or cost[depth] + tables.parts[j, at] + suffix[depth + 1] >= best:
            level[depth] = 0
            depth -= 1
            if depth >= 0:
                level[depth] += 1
            continue
        spent += alive[depth]
        if spent > work:
            return np.nan, spent
        found, above = 0, -1
        for place in range(alive[depth]):
            i = live[depth, place]
            if ids[depth, i] != above:
                above = ids[depth, i]
                stamp += 1
            code = tables.codes[j, at, i]
            if seen[code] != stamp:
                seen[code], number[code] = stamp, found
                records[found] = members[found] = 0
                found += 1
            c = number[code]
            ids[depth + 1, i] = c
            records[c] += tables.counts[i]
            members[c] += 1
        lost = gone[depth]
        for c in range(found):
            if records[c] < k:
                lost += records[c]
        if lost > limit:
            level[depth] += 1
            continue
        total = cost[depth] + tables.parts[j, at]
        if depth == depths - 1:
            best = total  # it is less, or would have been left out
            level[depth] += 1
            continue
        # Records of suppressed classes are left out: they stay suppressed, however many attributes are added.
        kept = 0
        for c in range(found):
            starts[c] = kept
            kept += members[c] if records[c] >= k else 0
        for place in range(alive[depth]):
            i = live[depth, place]
            c = ids[depth + 1, i]
            if records[c] >= k:
                live[depth + 1, starts[c]] = i
                starts[c] += 1
        alive[depth + 1], gone[depth + 1], cost[depth + 1] = kept, lost, total
        depth += 1
        level[depth] = 0
    return best, spent
