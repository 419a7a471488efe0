"""Places among the likeliest originals, followed through changes of a masked file."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import inner_kernel, kernel
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.informed_links import FEW
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Behind, Frequencies, write_costs
from evosdc_measures.linkage.prefix_tree import PrefixTree
from evosdc_measures.linkage.ranked_places import LOST, PlacedFile, doubles, matched, place
from evosdc_measures.linkage.rivals import Originals, narrowed, next_branch


@kernel
def followed_places(
    before: Codes,
    after: Codes,
    rows: Rows,
    asked: Rows,
    twins: Counts,
    *arrays: Any,
) -> float:
    """Follow changed rows, and return the expected matches.

    Parameters
    ----------
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp
    asked : ndarray of intp, shape (m,)
    twins : ndarray of int32, shape (m,)
        As of `started_places`.
    *arrays
        Those of `Originals`, of `Frequencies` and of `PlacedFile`, which are changed: to hand them over as three would
        take longer than many an update.
    """
    originals = Originals(Behind(*arrays[:3]), PrefixTree(*arrays[3:6]))
    frequencies, placed = Frequencies(*arrays[6:11]), PlacedFile(*arrays[11:])
    attributes = before.shape[1]
    changes = 0
    for row in rows:
        for v in range(attributes):
            changes += before[row, v] != after[row, v]
    paths = np.empty((4, attributes), np.int64)
    if changes > FEW:
        _follow_together(before, after, rows, asked, twins, originals, frequencies, placed, paths)
    elif changes > 0:
        # One cell after the other: each is followed in a file that differs from the last in this cell alone. Two
        # records of one category that exchange what they publish leave all counts as they are.
        current, back = before.copy(), _exchanged(before, after, rows, originals.model.own)
        # Those who exchange are placed in the end: until then nobody takes over their places.
        known = np.full_like(twins, -1) if back.any() else twins
        for change, row in enumerate(rows):
            for v in range(attributes):
                left = before[row, v]
                if left != after[row, v]:
                    current[row, v] = after[row, v]
                    if not back[change, v]:
                        _follow_cell(current, row, v, left, asked, known, originals, frequencies, placed, paths)
        (own, strides, offsets), (order, roots, nodes) = originals
        for change, row in enumerate(rows):
            number = np.searchsorted(asked, row)
            if back[change].any() and number < len(asked) and asked[number] == row:
                placed.likelier[number], placed.tied[number] = place(
                    after, row, own, strides, offsets, order, roots, nodes, placed.costs, paths
                )
    return matched(placed.likelier, placed.tied)[1]


@inner_kernel
def _shifted(
    published: Codes,
    row: int,
    v: int,
    category: int,
    low: int,
    high: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    roots: int,
    nodes: Counts,
    costs: Integers,
    paths: Integers,
) -> tuple[int, int]:
    """Return how many originals of a category are likelier than the own one at its lower cost alone, and how many tied.

    The second number is the ties at the lower cost less those at the higher one.

    Parameters
    ----------
    published : ndarray of int32, shape (n, V)
    row : int
        A record whose own original has another category of attribute v.
    v, category : int
    low, high : int
        What the category costs behind the record in attribute v, before and after a change or the other way round.
    own, strides, offsets, order, roots, nodes, costs, paths
        As of `place`.
    """
    last, apart = len(order) - 1, high - low
    limit: Any = np.int64(0)
    for level in range(last + 1):
        w = order[level]
        paths[3, level] = offsets[w] + (published[row, w] + 1) * strides[w]
        limit += costs[paths[3, level] + own[row, w]]
    if low > limit:
        return 0, 0
    inner, narrow = max(last - 1, 0), order[last] == v
    overtaking, ties, level = 0, 0, 0
    cost: Any = np.int64(low)
    begin, end = narrowed(0, roots, order[0] == v, category, nodes)
    while level >= 0:
        if level == inner:
            # As in `place`.
            for node in range(begin, end):
                first, stop, left = int(node), int(node + 1), limit - cost
                if inner < last:
                    if order[inner] != v:
                        left -= costs[paths[3, inner] + nodes[node, 0]]
                    # Where the moved category alone is below the node, it costs nothing further.
                    if left < 0 or (narrow and left > apart):
                        continue
                    first, stop = narrowed(nodes[node, 1], nodes[node, 2], narrow, category, nodes)
                for leaf in range(first, stop):
                    step, count = np.int64(0) if narrow else costs[paths[3, last] + nodes[leaf, 0]], nodes[leaf, 1]
                    overtaking += count if step < left <= step + apart else 0
                    ties += count if step == left else 0
                    ties -= count if step + apart == left else 0
            level -= 1
        else:
            paths[0, level], paths[1, level], paths[2, level] = begin, end, cost
        level, begin, end, cost = next_branch(level, limit, v, category, order, nodes, costs, paths)
    return int(overtaking), int(ties)


@kernel
def _exchanged(before: Codes, after: Codes, rows: Rows, own: Codes) -> NDArray[np.bool_]:
    """Return which changed cells another row of the same original category changes the other way round.

    Parameters
    ----------
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp, shape (m,)
    own : ndarray of int32, shape (n, V)

    Returns
    -------
    ndarray of bool, shape (m, V)
    """
    back = np.zeros((len(rows), before.shape[1]), np.bool_)
    for first in range(len(rows)):
        r = rows[first]
        for v in range(before.shape[1]):
            if before[r, v] == after[r, v] or back[first, v]:
                continue
            for second in range(first + 1, len(rows)):
                s = rows[second]
                same = own[s, v] == own[r, v] and before[s, v] == after[r, v] and after[s, v] == before[r, v]
                if same and not back[second, v]:
                    back[first, v] = back[second, v] = True
                    break
    return back


@inner_kernel
def _follow_cell(
    published: Codes,
    row: int,
    v: int,
    left: int,
    asked: Rows,
    twins: Counts,
    originals: Originals,
    frequencies: Frequencies,
    placed: PlacedFile,
    paths: Integers,
) -> None:
    """Follow one changed cell, published as `left` before: its original category is likelier behind the new one.

    Left as they are: records whose own original stands first alone and loses no ground, those lost that lose more, and
    those lost whom nothing likelier leaves.
    Where the own original is not of the moved category, those of that category alone are counted, at what it cost and
    at what it costs.
    """
    counts, costs, likelier, tied = placed
    (own, strides, offsets), (order, roots, nodes) = originals
    multiples, logs = frequencies.multiples, frequencies.logs
    moved, entered = own[row, v], published[row, v]
    for code, step in ((left, -1), (entered, 1)):
        base = offsets[v] + (code + 1) * strides[v]
        counts[base + moved] += step
        write_costs(base, v, strides[v], frequencies, counts, costs)
    lost_base, won_base = offsets[v] + (left + 1) * strides[v], offsets[v] + (entered + 1) * strides[v]
    won, now = costs[won_base + moved], counts[won_base + moved]
    won_before = won + logs[now] - logs[now - 1] if now > 1 else IMPOSSIBLE
    still = counts[lost_base + moved]
    first = frequencies.firsts[v]
    for number in range(len(asked)):
        other, twin = asked[number], twins[number]
        code = published[other, v]
        if other != row:
            if code != left and code != entered:
                continue
            if twin >= 0 and asked[twin] != row and doubles(published, other, asked[twin]):
                likelier[number], tied[number] = likelier[twin], tied[twin]
                continue
            mine, lost = own[other, v] == moved, likelier[number] == LOST
            if mine == (code == entered):
                # All others lose ground to the own one, but those that have its category.
                if likelier[number] == 0 and tied[number] == multiples[other]:
                    continue
            elif lost:
                continue
            if not mine:
                low, high = won, won_before
                if code == left:
                    # What it cost: all costs behind a category are less the least, which may have changed.
                    mark = own[other, v]
                    least = frequencies.margins[first + mark] - logs[counts[lost_base + mark]] - costs[lost_base + mark]
                    low = frequencies.margins[first + moved] - logs[still + 1] - least
                    high = costs[lost_base + moved]
                overtaking, ties = _shifted(
                    published, other, v, moved, low, high, own, strides, offsets, order, roots, nodes, costs, paths
                )
                if not lost:
                    step = 1 if code == entered else -1
                    likelier[number] += step * overtaking
                    tied[number] += step * ties
                    if likelier[number] >= LOST:
                        likelier[number], tied[number] = LOST, 1
                    continue
                if overtaking == 0:
                    continue
        likelier[number], tied[number] = place(
            published, other, own, strides, offsets, order, roots, nodes, costs, paths
        )


@kernel
def _follow_together(
    before: Codes,
    after: Codes,
    rows: Rows,
    asked: Rows,
    twins: Counts,
    originals: Originals,
    frequencies: Frequencies,
    placed: PlacedFile,
    paths: Integers,
) -> None:
    """Follow many changed cells: all records asked are placed anew that publish a category whose costs have changed."""
    counts, costs, likelier, tied = placed
    (own, strides, offsets), (order, roots, nodes) = originals
    attributes = own.shape[1]
    changed = np.zeros(len(costs), np.bool_)
    for row in rows:
        for v in range(attributes):
            if before[row, v] != after[row, v]:
                for code, step in ((before[row, v], -1), (after[row, v], 1)):
                    base = offsets[v] + (code + 1) * strides[v]
                    counts[base + own[row, v]] += step
                    changed[base] = True
    for v in range(attributes):
        for base in range(offsets[v], offsets[v + 1], strides[v]):
            if changed[base]:
                write_costs(base, v, strides[v], frequencies, counts, costs)
    for number in range(len(asked)):
        other = asked[number]
        touched = False
        for v in range(attributes):
            touched |= changed[offsets[v] + (after[other, v] + 1) * strides[v]]
        twin = twins[number]
        if touched and twin >= 0 and doubles(after, other, asked[twin]):
            likelier[number], tied[number] = likelier[twin], tied[twin]
        elif touched:
            likelier[number], tied[number] = place(
                after, other, own, strides, offsets, order, roots, nodes, costs, paths
            )
