"""Places among the likeliest originals, followed through changes of a masked file."""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.informed_links import FEW
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Frequencies, write_costs
from evosdc_measures.linkage.ranked_places import LOST, PlacedFile, matched, place
from evosdc_measures.linkage.rivals import Originals, narrowed


@kernel
def followed_places(
    before: Codes,
    after: Codes,
    rows: Rows,
    asked: Rows,
    originals: Originals,
    frequencies: Frequencies,
    placed: PlacedFile,
) -> float:
    """Follow changed rows, and return the expected matches.

    Parameters
    ----------
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp
    asked : ndarray of intp, shape (m,)
    originals : Originals
    frequencies : Frequencies
    placed : PlacedFile
        Changed.
    """
    attributes = before.shape[1]
    changes = 0
    for row in rows:
        for v in range(attributes):
            changes += before[row, v] != after[row, v]
    paths = np.empty((4, attributes), np.int64)
    if changes > FEW:
        _follow_together(before, after, rows, asked, originals, frequencies, placed, paths)
    elif changes > 0:
        # One cell after the other: each is followed in a file that differs from the last in this cell alone. Two
        # records of one category that exchange what they publish leave all counts as they are.
        current, back = before.copy(), _exchanged(before, after, rows, originals.model.own)
        for change, row in enumerate(rows):
            for v in range(attributes):
                left = before[row, v]
                if left != after[row, v]:
                    current[row, v] = after[row, v]
                    if not back[change, v]:
                        _follow_cell(current, row, v, left, asked, originals, frequencies, placed, paths)
        (own, strides, offsets), (order, roots, nodes) = originals
        for change, row in enumerate(rows):
            number = np.searchsorted(asked, row)
            if back[change].any() and number < len(asked) and asked[number] == row:
                placed.likelier[number], placed.tied[number] = place(
                    after, row, own, strides, offsets, order, roots, nodes, placed.costs, paths
                )
    return matched(placed.likelier, placed.tied)[1]


@kernel
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
    last, apart, limit = len(order) - 1, high - low, np.int64(0)
    for level in range(last + 1):
        w = order[level]
        paths[3, level] = offsets[w] + (published[row, w] + 1) * strides[w]
        limit += costs[paths[3, level] + own[row, w]]
    if low > limit:
        return 0, 0
    overtaking, ties, level = 0, 0, 0
    paths[0, 0], paths[1, 0] = narrowed(0, roots, order[0] == v, category, nodes)
    paths[2, 0] = low
    while level >= 0:
        node = paths[0, level]
        if node == paths[1, level]:
            level -= 1
            continue
        paths[0, level] = node + 1
        cost = paths[2, level]
        if order[level] != v:
            cost += costs[paths[3, level] + nodes[node, 0]]
        if cost > limit:
            continue
        if level < last:
            level += 1
            paths[0, level], paths[1, level] = narrowed(
                nodes[node, 1], nodes[node, 2], order[level] == v, category, nodes
            )
            paths[2, level] = cost
        else:
            number, other = nodes[node, 1], cost + apart
            if cost < limit:
                overtaking += number if other >= limit else 0
            else:
                ties += number
            if other == limit:
                ties -= number
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


@kernel
def _follow_cell(
    published: Codes,
    row: int,
    v: int,
    left: int,
    asked: Rows,
    originals: Originals,
    frequencies: Frequencies,
    placed: PlacedFile,
    paths: Integers,
) -> None:
    """Follow one changed cell, published as `left` before: its original category is likelier behind the new one.

    Left as they are: records whose own original stands first alone and loses no ground, and those lost that lose more.
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
    for number in range(len(asked)):
        other = asked[number]
        code = published[other, v]
        if other != row:
            if code != left and code != entered:
                continue
            mine = own[other, v] == moved
            if mine == (code == entered):
                # All others lose ground to the own one, but those that have its category.
                if likelier[number] == 0 and tied[number] == multiples[other]:
                    continue
            elif likelier[number] == LOST:
                continue
            if not mine and likelier[number] < LOST:
                if code == entered:
                    overtaking, ties = _shifted(
                        published,
                        other,
                        v,
                        moved,
                        won,
                        won_before,
                        own,
                        strides,
                        offsets,
                        order,
                        roots,
                        nodes,
                        costs,
                        paths,
                    )
                    likelier[number] += overtaking
                    tied[number] += ties
                else:
                    mark = own[other, v]
                    first = frequencies.firsts[v]
                    least = frequencies.margins[first + mark] - logs[counts[lost_base + mark]] - costs[lost_base + mark]
                    before = frequencies.margins[first + moved] - logs[still + 1] - least
                    overtaking, ties = _shifted(
                        published,
                        other,
                        v,
                        moved,
                        before,
                        costs[lost_base + moved],
                        own,
                        strides,
                        offsets,
                        order,
                        roots,
                        nodes,
                        costs,
                        paths,
                    )
                    likelier[number] -= overtaking
                    tied[number] -= ties
                if likelier[number] >= LOST:
                    likelier[number], tied[number] = LOST, 1
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
        if touched:
            likelier[number], tied[number] = place(
                after, other, own, strides, offsets, order, roots, nodes, costs, paths
            )
