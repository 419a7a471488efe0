"""Links of an informed intruder, followed through many changed cells of a masked file at once."""

from typing import Any

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.category_rivals import NODES, UNKNOWN, Listing, rival_in_category
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, Behind, Frequencies, cost_of, write_costs
from evosdc_measures.linkage.rivals import LinkedFile, Originals, link, settle

CATEGORIES = 3
"""So many categories as may be listed, of which each original is looked at; with more the tree is searched."""


@njit(cache=True)
def entries_of(published: Codes, among: Rows, model: Behind) -> Counts:
    """Return where the costs of their own originals' categories lie behind what some records publish, shape (m, V)."""
    own, strides, offsets = model
    entries = np.empty((len(among), own.shape[1]), np.int32)
    for place, row in enumerate(among):
        for v in range(own.shape[1]):
            entries[place, v] = offsets[v] + (published[row, v] + 1) * strides[v] + own[row, v]
    return entries


@njit(cache=True)
def follow_together(
    before: Codes,
    after: Codes,
    rows: Rows,
    among: Rows,
    entries: Counts,
    originals: Originals,
    listing: Listing,
    frequencies: Frequencies,
    linked: LinkedFile,
    paths: Integers,
    near: int,
    weights: Integers,
) -> None:
    """Follow many changed cells.

    A category that is published more often than before, as something, is likelier behind that. Of a record whose own
    original alone is linked the others come nearer by no more than that becomes less likely, but for the originals of
    such a category: where there was more room, these alone are looked at. A record that still has its rival is left.

    Parameters
    ----------
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp
        That differ.
    among : ndarray of intp, shape (m,)
        The records to look at, with all that differ.
    entries : ndarray of int32, shape (m, V)
        Of these before the change, as `entries_of` returns them.
    listing : Listing
    originals, frequencies, linked, paths
        As of `link`.
    near : int
        As of `rivals.rival_of`; with 0 rooms stay as they are.
    weights : ndarray of int64, shape (n,)
        How many each record stands for.
    """
    model, (counts, costs, links, ties, rooms) = originals.model, linked
    multiples, (own, strides, offsets) = frequencies.multiples, model
    moved = np.zeros(len(own), np.bool_)
    net, changes = np.zeros(len(costs), np.int32), 0
    for row in rows:
        for v in range(own.shape[1]):
            left, entered = before[row, v], after[row, v]
            if left != entered:
                moved[row], changes = True, changes + 1
                if not frequencies.given[v]:
                    net[offsets[v] + (left + 1) * strides[v] + own[row, v]] -= 1
                    net[offsets[v] + (entered + 1) * strides[v] + own[row, v]] += 1
    # By entry: by how much the category has become less likely, and the place of what is said of the published one.
    farther, places = np.zeros(len(costs), np.int64), np.zeros(len(costs), np.int32)
    # By that place: by how much a category has become likelier and less likely behind it at most; which are likelier.
    nearer, lost = np.zeros(2 * changes + 1, np.int64), np.zeros(2 * changes + 1, np.int64)
    firsts, won = np.zeros(2 * changes + 2, np.int64), np.empty(changes, np.int64)
    _count_anew(net, originals, frequencies, counts, costs, farther, places, nearer, lost, firsts, won)
    for place, row in enumerate(among):
        if not moved[row]:
            step, gain, most, seen = np.int64(0), np.int64(0), np.int64(0), False
            for entry in entries[place]:
                told = places[entry]
                seen |= told > 0
                step += farther[entry]
                gain += nearer[told]
                most += lost[told]
            if not seen:
                continue
            if links[row] >= 0:
                if most < rooms[row] + step:
                    if near > 0:
                        rooms[row] += step - most
                    continue
                ahead = cost_of(after, row, row, model, costs) - cost_of(after, row, links[row], model, costs)
                if ahead > 0:
                    if near > 0:
                        rooms[row] = ahead
                    continue
            elif -links[row] == multiples[row] and step < max(rooms[row], 1):
                if step + gain < rooms[row]:
                    if near > 0:
                        rooms[row] -= step + gain
                    continue
                rival, room = _rival_among(
                    after, row, entries[place], places, nearer, firsts, won, rooms[row] - step, near, originals,
                    listing, frequencies.firsts, costs, paths,
                )  # fmt: skip
                if rival != UNKNOWN:
                    if near > 0:
                        rooms[row] = room
                    if rival >= 0:
                        settle(row, rival, 0, links, ties, weights[row])
                    continue
        room = link(after, row, originals, costs, links, ties, paths, multiples[row], near, weights[row])
        if near > 0:
            rooms[row] = room


@njit(cache=True)
def _count_anew(
    net: Counts,
    originals: Originals,
    frequencies: Frequencies,
    counts: Counts,
    costs: Integers,
    farther: Integers,
    places: Counts,
    nearer: Integers,
    lost: Integers,
    firsts: Integers,
    won: Integers,
) -> None:
    """Count what changed cells have moved, renew the costs, and write what became of the categories; see the caller."""
    _, strides, offsets = originals.model
    logs, told, filled = frequencies.logs, 0, 0
    for v in range(len(strides)):
        stride = strides[v]
        for base in range(offsets[v], offsets[v + 1], stride):
            altered = False
            for entry in range(base, base + stride):
                altered |= net[entry] != 0
            if not altered:
                continue
            told += 1
            for entry in range(base, base + stride):
                places[entry] = told
                if net[entry] != 0:
                    former, count = counts[entry], counts[entry] + net[entry]
                    counts[entry] = count
                    # Of a category that is no longer published so, or was not before, nobody asks.
                    farther[entry] = logs[former] - logs[count] if former > 0 and count > 0 else 0
                    lost[told] = max(lost[told], farther[entry] if count > 0 else IMPOSSIBLE)
                    if count > former:
                        won[filled] = entry - base
                        filled += 1
                        gain = logs[count] - logs[former] if former > 0 else np.int64(IMPOSSIBLE)
                        nearer[told] = max(nearer[told], gain)
            firsts[told + 1] = filled
            write_costs(base, v, stride, frequencies, counts, costs)


@njit(cache=True)
def _rival_among(
    published: Codes,
    row: int,
    entries: Counts,
    places: Counts,
    nearer: Integers,
    firsts: Integers,
    won: Integers,
    room: int,
    near: int,
    originals: Originals,
    listing: Listing,
    margins: Integers,
    costs: Integers,
    paths: Integers,
) -> tuple[int, int]:
    """Return the rival among originals of categories that became likelier, as `rival_in_category`, and the room.

    `room` is that to originals of no such category. Categories are left out that are within it all together: who is in
    no other one is still farther than the own original.
    """
    limit, left, members = cost_of(published, row, row, originals.model, costs), max(room, 0), 0
    for v, entry in enumerate(entries):
        place = places[entry]
        if nearer[place] > 0 and nearer[place] < left:
            left -= nearer[place]
        else:
            for at in range(firsts[place], firsts[place + 1]):
                # No cost is below 0: who has a category that costs more than all of the own original costs more.
                if costs[entry - originals.model.own[row, v] + won[at]] <= limit + near:
                    category = margins[v] + won[at]
                    count = listing.begins[category + 1] - listing.begins[category]
                    members += count if count > 0 else len(originals.tree.nodes)
    if members * NODES > CATEGORIES * len(originals.tree.nodes):
        return UNKNOWN, 0
    kept = max(room, 0)
    apart: Any = np.int64(near)
    for v, entry in enumerate(entries):
        place = places[entry]
        if nearer[place] > 0 and nearer[place] < kept:
            kept -= nearer[place]
            continue
        for at in range(firsts[place], firsts[place + 1]):
            rival, next_one = rival_in_category(
                published, row, limit, v, won[at], margins[v], apart, originals, listing, costs, paths
            )
            if rival != -1:
                return rival, next_one
            apart = min(apart, next_one)
    return -1, int(min(kept, apart))
