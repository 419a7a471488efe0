"""Links of an informed intruder, followed through the changes of a masked file.

When one cell of a record with original a is published as b' in place of b, a becomes less likely behind b and likelier
behind b'. Nothing else moves, since the number of records of a is fixed. So only records that publish b or b' may be
linked otherwise. Of these only those matter whose own category or rival's is a, and those for whom a has become likely
enough for a rival; and only if the likelihood of a has changed by more than these records have room.
"""

from typing import Any

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers, SmallCounts
from evosdc_measures.linkage.category_rivals import UNKNOWN, Listing, rival_in_category
from evosdc_measures.linkage.informed_together import entries_of, follow_together
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Frequencies, cost_of, write_costs
from evosdc_measures.linkage.rivals import NEAR, LinkedFile, Originals, expected_matches, link, rival_of, settle

FEW = 6
"""Up to so many changed cells are followed one by one; more are counted together. The choice changes no result."""


@njit(cache=True)
def started(published: Codes, originals: Originals, frequencies: Frequencies, linked: LinkedFile) -> float:
    """Count and link a whole file, and return the expected matches.

    Parameters
    ----------
    published : ndarray of int32, shape (n, V)
    originals : Originals
    frequencies : Frequencies
    linked : LinkedFile
        Zeros, and the costs of known matrices; filled.
    """
    (counts, costs, links, ties, rooms), given, multiples = linked, frequencies.given, frequencies.multiples
    own, strides, offsets = originals.model
    n, attributes = own.shape
    for row in range(n):
        for v in range(attributes):
            if not given[v]:
                counts[offsets[v] + (published[row, v] + 1) * strides[v] + own[row, v]] += 1
    for v in range(attributes):
        if not given[v]:
            for base in range(offsets[v], offsets[v + 1], strides[v]):
                write_costs(base, v, strides[v], frequencies, counts, costs)
    paths = np.empty((4, attributes), np.int64)
    for row in range(n):
        rooms[row] = link(published, row, originals, costs, links, ties, paths, multiples[row], 0)
    return expected_matches(linked.ties)


@njit(cache=True)
def followed(
    before: Codes,
    after: Codes,
    rows: Rows,
    originals: Originals,
    listing: Listing,
    frequencies: Frequencies,
    linked: LinkedFile,
) -> float:
    """Follow changed rows, and return the expected matches.

    Parameters
    ----------
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp, shape (m,)
    originals : Originals
    listing : Listing
        Of these.
    frequencies : Frequencies
    linked : LinkedFile
        Changed.
    """
    attributes = before.shape[1]
    changes = 0
    for row in rows:
        for v in range(attributes):
            changes += before[row, v] != after[row, v]
    paths = np.empty((4, attributes), np.int64)
    if changes > FEW:
        every = np.arange(len(before))
        entries, weights = entries_of(before, every, originals.model), np.ones_like(every)
        follow_together(
            before, after, rows, every, entries, originals, listing, frequencies, linked, paths, NEAR, weights
        )
    elif changes > 0:
        # One cell after the other: each is followed in a file that differs from the last in this cell alone.
        current = before.copy()
        for row in rows:
            for v in range(attributes):
                left = before[row, v]
                if left != after[row, v]:
                    current[row, v] = after[row, v]
                    _follow_cell(current, row, v, left, originals, listing, frequencies, linked, paths)
    return expected_matches(linked.ties)


@njit(cache=True)
def move_count(
    v: int,
    left: int,
    entered: int,
    moved: int,
    originals: Originals,
    frequencies: Frequencies,
    counts: Counts,
    costs: Integers,
) -> tuple[int, int]:
    """Count a record of an original category as published as `entered`, and no longer as `left`; renew the costs.

    Returned is by how much the category has become less likely behind the one, and likelier behind the other.
    """
    stride, offset, logs = originals.model.strides[v], originals.model.offsets[v], frequencies.logs
    for code, step in ((left, -1), (entered, 1)):
        base = offset + (code + 1) * stride
        counts[base + moved] += step
        write_costs(base, v, stride, frequencies, counts, costs)
    still, now = counts[offset + (left + 1) * stride + moved], counts[offset + (entered + 1) * stride + moved]
    lost = logs[still + 1] - logs[still] if still > 0 else IMPOSSIBLE
    return lost, logs[now] - logs[now - 1] if now > 1 else IMPOSSIBLE


@njit(cache=True)
def stays(mine: bool, rival: int, rivals: bool, won: bool, multiple: int) -> bool:
    """Return whether a record is linked as it was, though it publishes a category whose costs have changed in one.

    Own and rival keep their distance where both have the moved category, or neither has it. The rival keeps ahead too
    where it alone has become likelier, or the own one alone less likely. Where there is no rival, and it is the own one
    that has become likelier, or the moved category alone less likely, the others lose ground to it, all but those that
    have its category. Those that are equal to it altogether always keep up.

    Parameters
    ----------
    mine, rivals : bool
        Whether the own original, and the rival, have the category that has moved.
    rival : int
        As of `LinkedFile.links`.
    won : bool
        Whether the category has become likelier.
    multiple : int
        How many originals are equal to the own one.
    """
    if rival >= 0:
        return mine == rivals or mine != won
    return mine == won and -rival == multiple


@njit(cache=True)
def follow_other(
    published: Codes,
    other: int,
    v: int,
    entered: int,
    moved: int,
    first: int,
    originals: Originals,
    listing: Listing,
    costs: Integers,
    links: Counts,
    ties: SmallCounts,
    paths: Integers,
    multiple: int,
    room: int,
    near: int,
    weight: int,
) -> int:
    """Link a record anew, of which `stays` does not hold after a cell has changed, and return its room.

    Parameters
    ----------
    published : ndarray of int32, shape (n, V)
    other : int
    v, entered, moved : int
        The cell's attribute, what it is published as now, and its original category.
    first : int
        Where the attribute's categories begin among `begins` of the listing.
    listing : Listing
    originals, costs, links, ties, paths, multiple, near, weight
        As of `link`.
    room : int
        Before the change.
    """
    model, rival = originals.model, links[other]
    if rival >= 0:
        ahead = cost_of(published, other, other, model, costs) - cost_of(published, other, rival, model, costs)
        if ahead > 0:
            return ahead
    elif published[other, v] == entered and model.own[other, v] != moved:
        limit = cost_of(published, other, other, model, costs)
        tied = 0
        place, nearest = rival_in_category(
            published, other, limit, v, moved, first, near, originals, listing, costs, paths
        )
        if place == UNKNOWN:
            place, tied, nearest = rival_of(published, other, limit, v, moved, False, originals, costs, paths, near)
        if place < 0 and tied == 0:
            # All others are as far from the own one as they were.
            return min(room, nearest)
        settle(other, place, tied - rival, links, ties, weight)
        return nearest if place >= 0 else 0
    return link(published, other, originals, costs, links, ties, paths, multiple, near, weight)


@njit(cache=True)
def _follow_cell(
    published: Codes,
    row: int,
    v: int,
    left: int,
    originals: Originals,
    listing: Listing,
    frequencies: Frequencies,
    linked: LinkedFile,
    paths: Integers,
) -> None:
    """Follow one changed cell, published as `left` before."""
    counts, costs, links, ties, rooms = linked
    own, multiples = originals.model.own, frequencies.multiples
    if not frequencies.given[v]:
        moved: Any = np.int64(own[row, v])  # else functions are compiled for categories of both sizes
        entered = published[row, v]
        lost, won = move_count(v, left, entered, moved, originals, frequencies, counts, costs)
        for other in range(len(own)):
            code = published[other, v]
            if (code != left and code != entered) or other == row:
                continue
            mine, rival = own[other, v] == moved, links[other]
            rivals = rival >= 0 and own[rival, v] == moved
            if stays(mine, rival, rivals, code == entered, multiples[other]):
                continue
            step = won if code == entered else lost
            if step < rooms[other]:
                rooms[other] -= step
                continue
            multiple, room = multiples[other], rooms[other]
            rooms[other] = follow_other(
                published, other, v, entered, moved, frequencies.firsts[v], originals, listing, costs, links,
                ties, paths, multiple, room, NEAR, 1,
            )  # fmt: skip
    rooms[row] = link(published, row, originals, costs, links, ties, paths, multiples[row], NEAR)
