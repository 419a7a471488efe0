"""At which place among the likeliest originals each record's own one stands, followed through changes of a masked file.

A record is searched for again only where an original may have crossed its own one. Behind a published category nothing
moves but the original categories whose count there changes, and how far they move bounds who may cross.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.likelihood import IMPOSSIBLE, SCALE, Originals

NEAR = SCALE
"""Originals that cost more than this above a record's own one are not looked for."""

FAR = 1 << 60
"""A gap that no change closes."""


class Places(NamedTuple):
    """What is known of a masked file; kernels change the arrays. Of m records that are linked.

    Parameters
    ----------
    slots : ndarray of int32, shape (V, m)
        What the records publish.
    counts : ndarray of int32
        Records of the file by published and original category, by entry.
    costs : ndarray of int64
        Costs of original categories, by entry.
    likelier : ndarray of int32, shape (m,)
        Originals that are likelier than the own one. A record is lost where they are as many as places count.
    tied : ndarray of int32, shape (m,)
        Originals as likely as the own one, itself among them; 1 of lost records.
    above, below : ndarray of int64, shape (m,)
        By how much at least less likely originals cost more than the own one, and likelier ones less. A lost record has
        no gap above; below, enough originals are likelier by as much. Both are 0 where another original is tied.
    rivals : ndarray of int32, shape (m,)
        A likelier original of a lost record, or -1.
    totals : ndarray of int64, shape (blocks,)
        Sum of all credits in each block of places.
    """

    slots: Counts
    counts: Counts
    costs: Integers
    likelier: Counts
    tied: Counts
    above: Integers
    below: Integers
    rivals: Counts
    totals: Integers


@njit(cache=True)
def count_likelier(
    bases: Integers,
    originals: Originals,
    costs: Integers,
    paths: Integers,
    limit: int,
    near: int,
    lost: int,
    fixed: int,
    category: int,
) -> tuple[int, int, int, int, int]:
    """Return how many originals cost less than a limit and how many just that, the gaps below and above, and a rival.

    A search ends when so many are likelier that the record is lost: then ties and the gap above are not known.

    Parameters
    ----------
    bases : ndarray of int64, shape (V,)
        By level of the tree where the entries behind the published record begin.
    originals : Originals
    costs : ndarray of int64
    paths : ndarray of int64, shape (3, V)
        Scratch: by level the next node, the end of its siblings, and the cost so far.
    limit : int
    near : int
        How far above the limit originals are looked for; 0 where gaps do not matter.
    lost : int
    fixed, category : int
        Only originals of this category at this level count; all where the level is -1.
    """
    nodes, last, bound = originals.nodes, len(bases) - 1, limit + near
    likelier, tied, rival = 0, 0, -1
    below: Any = np.int64(FAR)
    above: Any = np.int64(near)
    cost: Any = np.int64(0)
    level, begin, end = 0, np.int64(0), np.int64(originals.roots)
    while level >= 0:
        if level == fixed:
            stop = end
            while begin < end:
                middle = (begin + end) // 2
                if nodes[middle, 0] < category:
                    begin = middle + 1
                else:
                    end = middle
            end = begin + 1 if begin < stop and nodes[begin, 0] == category else begin
        if level == last:
            for node in range(begin, end):
                apart = cost + costs[bases[last] + nodes[node, 0]] - limit
                if apart < 0:
                    likelier += nodes[node, 1]
                    below = min(below, -apart)
                    rival = nodes[node, 2]
                elif apart == 0:
                    tied += nodes[node, 1]
                else:
                    above = min(above, apart)
            if likelier >= lost:
                return lost, 1, int(below), FAR, int(rival)
            level -= 1
        else:
            paths[0, level], paths[1, level], paths[2, level] = begin, end, cost
        while level >= 0:
            node = paths[0, level]
            if node == paths[1, level]:
                level -= 1
                continue
            paths[0, level] = node + 1
            cost = paths[2, level] + costs[bases[level] + nodes[node, 0]]
            if cost <= bound:
                level += 1
                begin, end = nodes[node, 1], nodes[node, 2]
                break
    return int(likelier), int(tied), int(below), int(above), -1


@njit(cache=True)
def _likely_rival(bases: Integers, originals: Originals, costs: Integers, limit: int) -> tuple[int, int]:
    """Follow the cheapest branch of each level; return the original where it ends, -1 if above the limit, and its cost.

    Most records of a well masked file that had a rival are decided so.
    """
    nodes, begin, end, cost, best = originals.nodes, 0, originals.roots, 0, 0
    for level in range(len(bases)):
        best, least = begin, costs[bases[level] + nodes[begin, 0]]
        for node in range(begin + 1, end):
            if least == 0:
                break
            step = costs[bases[level] + nodes[node, 0]]
            if step < least:
                best, least = node, step
        cost += least
        if cost >= limit:
            return -1, cost
        begin, end = nodes[best, 1], nodes[best, 2]
    return int(nodes[best, 2]), cost


@njit(cache=True)
def _settle(record: int, likelier: int, tied: int, lost: int, credit: int, places: Places) -> None:
    """Write the place of a record, and what it adds to each block of places in place of what it added."""
    for sign in (-1, 1):
        if sign == 1:
            places.likelier[record], places.tied[record] = likelier, tied
        before: Any = np.int64(places.likelier[record])
        ties: Any = np.int64(places.tied[record])
        if before >= lost:
            continue
        for block in range(len(places.totals)):
            first, last = 1 << block, (2 << block) - 1
            if first > before + ties:
                break
            begin, end = max(before + 1, first), min(before + ties, last)
            if end >= begin:
                parts = ties * first
                places.totals[block] += sign * ((credit * (end - begin + 1) + parts // 2) // parts)


@njit(cache=True)
def _place(record: int, originals: Originals, places: Places, bases: Integers, paths: Integers, near: int) -> None:
    """Search for the place of one record; with `near` 0 its gaps stay as they are."""
    lost = (1 << len(places.totals)) - 1
    costs, above, below, rivals = places.costs, places.above, places.below, places.rivals
    limit: Any = np.int64(0)
    for level in range(len(bases)):
        v = originals.order[level]
        bases[level] = originals.bases[places.slots[v, record]]
        limit += costs[bases[level] + originals.own[v, record]]
    if limit >= IMPOSSIBLE:
        # The own original cannot have been published so: a known matrix excludes it.
        _settle(record, lost, 1, lost, originals.credit, places)
        rivals[record] = -1
        if near > 0:
            above[record], below[record] = FAR, FAR
        return
    if lost == 1 and places.likelier[record] == lost:
        rival, cost = _likely_rival(bases, originals, costs, limit)
        if rival >= 0:
            rivals[record] = rival
            if near > 0:
                above[record], below[record] = FAR, limit - cost
            return
    likelier, tied, down, up, rival = count_likelier(bases, originals, costs, paths, limit, near, lost, -1, 0)
    _settle(record, likelier, tied, lost, originals.credit, places)
    rivals[record] = rival
    if near > 0:
        if likelier == lost and lost > 1:
            margin = near
            while margin > 0:
                if count_likelier(bases, originals, costs, paths, limit - margin, 0, lost, -1, 0)[0] == lost:
                    break
                margin = margin // 16 if margin > near // 256 else 0
            down = margin
        elif likelier < lost and tied > originals.multiples[record]:
            down, up = 0, 0
        above[record], below[record] = up, down


@njit(cache=True)
def _place_beside(
    record: int,
    v: int,
    entry: int,
    former: int,
    limit: int,
    originals: Originals,
    places: Places,
    bases: Integers,
    paths: Integers,
) -> None:
    """Renew the place of a record, not lost, beside whose own original those of one other category alone have moved.

    They are counted at what they cost now, and at what that category cost before, `former`.
    """
    lost, fixed, costs = (1 << len(places.totals)) - 1, 0, places.costs
    for level in range(len(bases)):
        w = originals.order[level]
        bases[level] = originals.bases[places.slots[w, record]]
        fixed = level if w == v else fixed
    category = entry - originals.bases[places.slots[v, record]]
    likelier, tied, more, same = places.likelier[record], places.tied[record], 0, 0
    if costs[entry] <= limit:
        more, same, _, _, _ = count_likelier(bases, originals, costs, paths, limit, 0, lost, fixed, category)
    if more < lost and former <= limit and (likelier > 0 or tied > originals.multiples[record]):
        at = limit + costs[entry] - former
        less, other, _, _, _ = count_likelier(bases, originals, costs, paths, at, 0, lost, fixed, category)
        more, same = more - less, same - other
    if likelier + more < lost:
        _settle(record, likelier + more, tied + same, lost, originals.credit, places)
    else:
        _settle(record, lost, 1, lost, originals.credit, places)


@njit(cache=True)
def _write_costs(slot: int, v: int, originals: Originals, counts: Counts, costs: Integers) -> int:
    """Write the costs behind a slot of attribute v from its counts; return what the least one was taken from all."""
    begin, end = originals.bases[slot], originals.bases[slot + 1]
    first = originals.firsts[v] - begin
    least: Any = np.int64(IMPOSSIBLE)
    for entry in range(begin, end):
        costs[entry] = IMPOSSIBLE
        if counts[entry] > 0:
            costs[entry] = originals.margins[first + entry] - originals.logs[counts[entry]]
            least = min(least, costs[entry])
    for entry in range(begin, end):
        if counts[entry] > 0:
            costs[entry] -= least
    return int(least)


@njit(cache=True, nogil=True)
def place_all(originals: Originals, published: Counts, places: Places, near: int) -> None:
    """Count a file whose records publish these slots, shape (V, n), and search for the places of all that are linked.

    Costs of attributes with a known matrix are there before; all records are lost before.
    """
    attributes, n = published.shape
    for v in range(attributes):
        for row in range(n):
            places.counts[originals.bases[published[v, row]] + originals.categories[v, row]] += 1
            if originals.linked[row] >= 0:
                places.slots[v, originals.linked[row]] = published[v, row]
        if not originals.given[v]:
            for slot in range(originals.slots[v], originals.slots[v + 1]):
                _write_costs(slot, v, originals, places.counts, places.costs)
    bases, paths = np.empty(attributes, np.int64), np.empty((3, attributes), np.int64)
    for record in range(len(places.likelier)):
        _place(record, originals, places, bases, paths, near)


@njit(cache=True)
def _list_publishers(v: int, originals: Originals, slots: Counts, ends: Integers, publishers: Counts) -> None:
    """Write the records by what they publish in attribute v, and where those of each slot end."""
    begin, filled = originals.slots[v], 0
    ends[begin : originals.slots[v + 1]] = 0
    for record in range(slots.shape[1]):
        ends[slots[v, record]] += 1
    for slot in range(begin, originals.slots[v + 1]):
        ends[slot], filled = filled, filled + ends[slot]
    for record in range(slots.shape[1]):
        slot = slots[v, record]
        publishers[v, ends[slot]] = record
        ends[slot] += 1


@njit(cache=True, nogil=True)
def follow(
    originals: Originals,
    places: Places,
    rows: Integers,
    before: Codes,
    after: Codes,
    ends: Integers,
    near: int,
) -> Integers:
    """Return the greatest total of each child, shape (k,).

    Parameters
    ----------
    originals : Originals
    places : Places
    rows : ndarray of int64, shape (r,)
        The changed records, child by child.
    before, after : ndarray of int32, shape (r, V)
    ends : ndarray of int64, shape (k,)
        Where the records of each child end.
    near : int
        Above 0 the places go on to the one child that there is, and gaps are looked for so far; with 0 what each child
        changes is taken back.
    """
    slots, counts, costs, likelier, tied, above, below, rivals, totals = places
    attributes, m = slots.shape
    bases, paths = np.empty(attributes, np.int64), np.empty((3, attributes), np.int64)
    lost, number = (1 << len(totals)) - 1, len(originals.bases) - 1
    # Of changed slots: which they are, how much nearer and farther any category came, and the cheapest that came
    # nearer; the one entry that moved, -1 where several have. By entry: by how much, and what the category cost.
    changed, listed, attribute = np.zeros(number, np.bool_), np.empty(number, np.int64), np.empty(number, np.int64)
    gain, loss, cheapest = np.zeros(number, np.int64), np.zeros(number, np.int64), np.zeros(number, np.int64)
    only, net = np.empty(number, np.int64), np.zeros(len(costs), np.int32)
    moved, former = np.zeros(len(costs), np.int64), np.zeros(len(costs), np.int64)
    publishers, publishing = np.empty((attributes, m), np.int32), np.empty(number, np.int64)
    ordered, involved = np.zeros(attributes, np.bool_), np.zeros(attributes, np.bool_)
    # Records are seen in a child: twice its number, and one more where they are changed themselves.
    seen, kept = np.full(m, -1, np.int32), np.empty((m, 4), np.int32)
    greatest, start, before_all = np.empty(len(ends), np.int64), 0, totals.copy()
    for child in range(len(ends)):
        involved[:] = False
        for change in range(start, ends[child]):
            for v in range(attributes):
                if before[change, v] != after[change, v] and not originals.given[v]:
                    involved[v] = True
        for v in range(attributes):
            if involved[v] and not ordered[v]:
                _list_publishers(v, originals, slots, publishing, publishers)
                ordered[v] = True
        count, undone = 0, 0
        for change in range(start, ends[child]):
            row = rows[change]
            record: Any = np.int64(originals.linked[row])
            for v in range(attributes):
                if before[change, v] == after[change, v]:
                    continue
                if record >= 0:
                    slots[v, record] = originals.slots[v] + after[change, v] + 1
                    seen[record] = 2 * child + 1
                if originals.given[v]:
                    continue
                for code, step in ((before[change, v], -1), (after[change, v], 1)):
                    slot = originals.slots[v] + code + 1
                    entry = originals.bases[slot] + originals.categories[v, row]
                    counts[entry] += step
                    net[entry] += step
                    if not changed[slot]:
                        changed[slot], listed[count], attribute[count] = True, slot, v
                        count += 1
        for at in range(count):
            slot, v = listed[at], attribute[at]
            least = _write_costs(slot, v, originals, counts, costs)
            gain[slot], loss[slot], cheapest[slot], only[slot] = 0, 0, FAR, -2
            for entry in range(originals.bases[slot], originals.bases[slot + 1]):
                if net[entry] == 0:
                    continue
                only[slot] = entry if only[slot] == -2 else -1
                stood = counts[entry] - net[entry]
                margin = originals.margins[originals.firsts[v] + entry - originals.bases[slot]]
                former[entry] = margin - originals.logs[stood] - least if stood > 0 else IMPOSSIBLE
                if stood > 0 and counts[entry] > 0:
                    moved[entry] = costs[entry] - former[entry]
                else:
                    moved[entry] = IMPOSSIBLE if stood > 0 else -IMPOSSIBLE
                if moved[entry] < 0:
                    cheapest[slot] = min(cheapest[slot], costs[entry])
                gain[slot] = max(gain[slot], -moved[entry])
                loss[slot] = max(loss[slot], moved[entry])
        several = involved.sum() > 1
        for at in range(count):
            slot, v = listed[at], attribute[at]
            base, begin = originals.bases[slot], publishing[slot - 1] if slot > originals.slots[v] else 0
            for place in range(begin, publishing[slot]):
                record = np.int64(publishers[v, place])
                if seen[record] >= 2 * child:
                    continue
                # How much dearer the own original has become, how much nearer others may have come to it from above,
                # and how much farther from below.
                shift = moved[base + originals.own[v, record]]
                nearer, farther = shift + gain[slot], loss[slot] - shift
                if several:
                    seen[record] = 2 * child
                    for w in range(attributes):
                        if w != v and involved[w] and changed[slots[w, record]]:
                            other = slots[w, record]
                            step = moved[originals.bases[other] + originals.own[w, record]]
                            shift, nearer = shift + step, nearer + step + gain[other]
                            farther += loss[other] - step
                if (nearer == 0 or nearer < above[record]) and (farther == 0 or farther < below[record]):
                    if near > 0:
                        above[record] -= nearer if above[record] < FAR else 0
                        below[record] -= farther if below[record] < FAR else 0
                    continue
                limit: Any = np.int64(0)
                for w in range(attributes):
                    limit += costs[originals.bases[slots[w, record]] + originals.own[w, record]]
                if rivals[record] >= 0 and likelier[record] == lost and lost == 1:
                    cost: Any = np.int64(0)
                    for w in range(attributes):
                        cost += costs[originals.bases[slots[w, record]] + originals.categories[w, rivals[record]]]
                    if cost < limit:
                        if near > 0:
                            below[record] = limit - cost
                        continue
                # Who has a category that still costs more than all of the own original has not crossed it.
                room: Any = np.int64(FAR)
                touched, last, moving = 0, -1, -1
                for w in range(attributes):
                    other = slots[w, record]
                    if involved[w] and changed[other]:
                        touched, last, moving = touched + 1, w, only[other]
                        if cheapest[other] > limit:
                            nearer -= gain[other]
                            room = min(room, cheapest[other] - limit)
                if (nearer == 0 or nearer < above[record]) and (farther == 0 or farther < below[record]):
                    if near > 0:
                        above[record] = min(above[record] - nearer, room) if above[record] < FAR else FAR
                        below[record] -= farther if below[record] < FAR else 0
                    continue
                kept[undone, 0], kept[undone, 1], kept[undone, 2] = record, likelier[record], tied[record]
                kept[undone, 3] = rivals[record]
                undone += 1
                if near == 0 and shift == 0 and touched == 1 and moving >= 0 and likelier[record] < lost:
                    _place_beside(record, last, moving, former[moving], limit, originals, places, bases, paths)
                else:
                    _place(record, originals, places, bases, paths, near)
        for change in range(start, ends[child]):
            record = np.int64(originals.linked[rows[change]])
            if record >= 0 and seen[record] == 2 * child + 1:
                kept[undone, 0], kept[undone, 1], kept[undone, 2] = record, likelier[record], tied[record]
                kept[undone, 3] = rivals[record]
                undone += 1
                _place(record, originals, places, bases, paths, near)
        greatest[child] = totals.max()
        if near == 0:
            totals[:] = before_all
            for at in range(undone):
                record = kept[at, 0]
                likelier[record], tied[record], rivals[record] = kept[at, 1], kept[at, 2], kept[at, 3]
            for change in range(start, ends[child]):
                row = rows[change]
                record = np.int64(originals.linked[row])
                for v in range(attributes):
                    if before[change, v] == after[change, v]:
                        continue
                    if record >= 0:
                        slots[v, record] = originals.slots[v] + before[change, v] + 1
                    if not originals.given[v]:
                        for code, step in ((before[change, v], 1), (after[change, v], -1)):
                            slot = originals.slots[v] + code + 1
                            counts[originals.bases[slot] + originals.categories[v, row]] += step
        for at in range(count):
            slot = listed[at]
            if near == 0:
                _write_costs(slot, attribute[at], originals, counts, costs)
            changed[slot] = False
            for entry in range(originals.bases[slot], originals.bases[slot + 1]):
                net[entry], moved[entry] = 0, 0
        start = ends[child]
    return greatest
