"""At which place among the likeliest originals each record's own one stands, followed through changes of a masked file.

The cost of original a behind published b is ``-log P(b | a)``, times `SCALE`, less the least cost behind b: what is the
same for all originals tells none of them from another, and without it the least cost is 0, which bounds a search.
Logarithms of whole numbers are sums of their prime factors' logarithms, each rounded once. So costs whose numbers have
the same product are equal, and ties are ties.

A record is searched for again only where an original may have crossed its own one. Behind a published category nothing
moves but the original categories whose count there changes, and how far they move bounds who may cross.
"""

from functools import lru_cache
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix
from evosdc.table.equivalence import equivalence_classes, placed_values
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.search_trees import prefix_tree_of

SCALE = 1 << 40  # Units of a cost in a natural logarithm
IMPOSSIBLE = 1 << 54  # cost of an original never published so: more than any other; 500 of them do not overflow


@lru_cache(maxsize=4)
def logarithms(most: int) -> Integers:
    """Return ``log(k) * SCALE`` for k = 0 .. most as whole numbers that add up as the k multiply; 0 for k = 0."""
    table, prime = np.zeros(most + 1, np.int64), np.ones(most + 1, np.bool_)
    for number in range(2, most + 1):
        if prime[number]:
            prime[2 * number :: number] = False
            share, power = round(SCALE * float(np.log(number))), number
            while power <= most:
                table[power::power] += share
                power *= number
    return table


class Originals(NamedTuple):
    """The original records, and where counts and costs of their categories lie in flat arrays."""

    # A *slot* is a published category of one attribute, a missing value included.

    distinct: Counts  # (D, V): Places of the categories of the distinct original records, among those that occur
    repeats: Counts  # (D,): How many records each of them is
    of: Counts  # (n,): Which of them each record is
    linked: Counts  # (n,): Place of each record among those that are linked, or -1
    mine: Counts  # (m,): Which of the distinct ones each linked record is
    own: Counts  # (V, m): Its categories
    slots: Integers  # (V + 1,): First slot of each attribute, and the number of all
    bases: Integers  # first entry of each slot, and the number of all
    firsts: Integers  # (V + 1,): Where the attribute's original categories begin in `margins`, and their number
    margins: Integers  # logarithm of the number of records of each original category
    logs: Integers  # (n + 1,): See `logarithms`
    # (V,): Whether the attribute's matrix is known; else the file's own transitions stand for it.
    given: NDArray[np.bool_]
    credit: int  # a certain match. Credits are whole numbers, so that their sum does not depend on the order
    # Of the `evosdc_measures.linkage.search_trees.PrefixTree` of the distinct records, whose last nodes they are.
    nodes: Counts
    roots: int

    def with_published(self, sizes: Integers) -> "Originals":
        """Return the layout for other numbers of published categories, shape (V,), a missing value included."""
        entries = np.repeat(np.diff(self.firsts), sizes)
        return self._replace(slots=_starts(sizes), bases=_starts(entries))


def originals_of(codes: Codes, linked: Rows, sizes: Integers, given: NDArray[np.bool_]) -> Originals:
    """Return the layout for an original."""
    # Shapes: codes (n, V), linked (m,), sizes (V,), given (V,).
    n, attributes = codes.shape
    records, logs, frequencies = np.empty_like(codes), logarithms(n), []
    for v in range(attributes):
        _, records[:, v], number = placed_values(codes[:, v])
        frequencies.append(number)
    alike, tree = equivalence_classes(records), prefix_tree_of(records)
    leaves = tree.nodes[len(tree.nodes) - len(alike.first) :]
    distinct, leaf = np.ascontiguousarray(records[leaves[:, 2]]), np.empty(len(leaves), dtype=np.int32)
    leaf[alike.of[leaves[:, 2]]] = np.arange(len(leaves))
    of, places = leaf[alike.of], np.full(n, -1, dtype=np.int32)
    places[linked] = np.arange(len(linked))
    firsts = _starts(np.array([len(number) for number in frequencies]))
    nothing = np.empty(0, np.int64)
    # Most ties are exact parts of a multiple of all numbers up to 30, and 2 million such credits can be added; the more
    # bits besides, the fewer records.
    credit = lcm(*range(1, 31)) << min(max(20 - len(linked).bit_length(), 0), 10)
    return Originals(
        distinct, leaves[:, 1].copy(), of, places, of[linked], np.ascontiguousarray(records[linked].T), nothing,
        nothing, firsts, logs[np.concatenate(frequencies)], logs, given, credit, tree.nodes,
        tree.roots,
    ).with_published(sizes)  # fmt: skip


def costs_of_matrix(matrix: Matrix, column: Codes) -> Integers:
    """Return the costs of a transition matrix by published and original category, flat."""
    whole = np.zeros((len(matrix) + 1, len(matrix) + 1))
    whole[0, 0] = 1.0
    whole[1:, 1:] = matrix
    likely = whole[np.unique(column) + 1].T
    costs = np.full(likely.shape, IMPOSSIBLE, dtype=np.int64)
    possible = likely > 0.0
    costs[possible] = np.round(-SCALE * np.log(likely[possible])).astype(np.int64)
    least = costs.min(axis=1, keepdims=True)
    result: Integers = np.where(possible, costs - least, costs).ravel()
    return result


def _starts(sizes: Integers) -> Integers:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


NEAR = SCALE  # Originals that cost more than this above a record's own one are ignored
FAR = 1 << 60  # A gap that no change closes
ONE: Any = np.int64(1)  # a plain 1 from kernel to kernel is a type, and a compilation, of its own


class Places(NamedTuple):
    """The state of a masked file, for m linked records; kernels change the arrays."""

    slots: Counts  # (V, m): What the records publish
    counts: Counts  # records of the file by published and original category, by entry
    costs: Integers  # costs of original categories, by entry
    # (m,): Originals that are likelier than the own one. A record is lost where they are as many as places count.
    likelier: Counts
    tied: Counts  # (m,): Originals as likely as the own one, itself among them; 1 of lost records
    # (m,): By how much at least less likely originals cost more than the own one, and likelier ones less. A lost record
    # has no gap above; below, enough originals are likelier by as much. Both are 0 where another original is tied.
    above: Integers
    below: Integers
    rivals: Counts  # (m,): A likelier one of the distinct originals of a lost record, or -1
    totals: Integers  # (blocks,): Sum of all credits in each block of places
    listed: NDArray[np.bool_]  # (V,): Of which attributes the records are listed by what they publish
    # (V * m,): These records: by slot; those of no gap below, then others, then those of none above; by their own
    # category.
    publishers: Counts
    # Where those of each slot, kind and category begin in `publishers`, three times as many as there are entries, and
    # where the last ones end.
    begins: Integers


@njit(cache=True)
def count_likelier(
    bases: Integers,
    nodes: Counts,
    roots: int,
    leaves: int,
    costs: Integers,
    paths: Integers,
    limit: int,
    near: int,
    lost: int,
) -> tuple[int, int, int, int, int]:
    """Return how many originals cost less than a limit, how many just that, both gaps, and a rival."""
    # A search ends once `lost` originals are likelier: then ties and the gap above are unknown.
    # Originals are searched up to `near` above the limit. Shapes: bases (V,), nodes (N, 3), paths (3, V).
    last, bound = len(bases) - 1, limit + near
    likelier, tied, rival = 0, 0, -1
    below: Any = np.int64(FAR)
    above: Any = np.int64(near)
    cost: Any = np.int64(0)
    level, begin, end = 0, np.int64(0), np.int64(roots)
    while level >= 0:
        if level == last:
            for node in range(begin, end):
                apart = cost + costs[bases[last] + nodes[node, 0]] - limit
                if apart < 0:
                    likelier += nodes[node, 1]
                    below = min(below, -apart)
                    rival = node - leaves
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
def _settle(
    record: int,
    before: int,
    ties: int,
    credit: int,
    likelier: Counts,
    tied: Counts,
    totals: Integers,
) -> None:
    """Write the place of a record, lost or not, and what it adds to each block of places in place of what it added."""
    lost = (1 << len(totals)) - 1
    for sign in (-1, 1):
        if sign == 1:
            likelier[record], tied[record] = (before, ties) if before < lost else (lost, 1)
        ahead: Any = np.int64(likelier[record])
        number: Any = np.int64(tied[record])
        if ahead >= lost:
            continue
        for block in range(len(totals)):
            first, last = 1 << block, (2 << block) - 1
            if first > ahead + number:
                break
            begin, end = max(ahead + 1, first), min(ahead + number, last)
            if end >= begin:
                parts = number * first
                totals[block] += sign * ((credit * (end - begin + 1) + parts // 2) // parts)


@njit(cache=True)
def _place(record: int, originals: Originals, places: Places, bases: Integers, paths: Integers, near: int) -> None:
    """Search for the place of one record; with `near` 0 its gaps stay as they are."""
    lost = (1 << len(places.totals)) - 1
    costs, above, below, rivals = places.costs, places.above, places.below, places.rivals
    nodes, roots, leaves = originals.nodes, originals.roots, len(originals.nodes) - len(originals.distinct)
    limit: Any = np.int64(0)
    for level in range(len(bases)):
        bases[level] = originals.bases[places.slots[level, record]]
        limit += costs[bases[level] + originals.own[level, record]]
    if limit >= IMPOSSIBLE:
        # The own original cannot have been published so: a known matrix excludes it.
        _settle(record, lost, ONE, originals.credit, places.likelier, places.tied, places.totals)
        rivals[record] = -1
        if near > 0:
            above[record], below[record] = FAR, FAR
        return
    likelier, tied, down, up, rival = count_likelier(bases, nodes, roots, leaves, costs, paths, limit, near, lost)
    _settle(record, likelier, tied, originals.credit, places.likelier, places.tied, places.totals)
    rivals[record] = rival
    if near > 0:
        if likelier == lost and lost > 1:
            down, nowhere = near, near - near
            while down > 0:
                found = count_likelier(bases, nodes, roots, leaves, costs, paths, limit - down, nowhere, lost)
                if found[0] == lost:
                    break
                down = down // 16 if down > near // 256 else 0
        elif likelier < lost and tied > originals.repeats[originals.mine[record]]:
            down, up = 0, 0
        above[record], below[record] = up, down


@njit(cache=True)
def _renew(
    record: int,
    nearer: int,
    farther: int,
    originals: Originals,
    places: Places,
    moved: NDArray[np.bool_],
    cheapest: Integers,
    gain: Integers,
    bases: Integers,
    paths: Integers,
    near: int,
) -> bool:
    """Renew the place of a record unless no original can have crossed its own one; return whether it was renewed."""
    costs, slots, lost = places.costs, places.slots, (1 << len(places.totals)) - 1
    above, below, rival = places.above, places.below, places.rivals[record]
    entries, own, distinct = originals.bases, originals.own, originals.distinct
    limit: Any = np.int64(0)
    for v in range(len(slots)):
        limit += costs[entries[slots[v, record]] + own[v, record]]
    if rival >= 0 and lost == 1 and places.likelier[record] == lost:
        cost: Any = np.int64(0)
        for v in range(len(slots)):
            cost += costs[entries[slots[v, record]] + distinct[rival, v]]
        if cost < limit:
            if near > 0:
                below[record] = limit - cost
            return False
    # An original of a category that still costs more than all of the own one has not crossed it.
    room: Any = np.int64(FAR)
    for v in range(len(slots)):
        slot = slots[v, record]
        if moved[slot] and cheapest[slot] > limit:
            nearer -= gain[slot]
            room = min(room, cheapest[slot] - limit)
    if (nearer == 0 or nearer < above[record]) and (farther == 0 or farther < below[record]):
        if near > 0:
            above[record] = min(above[record] - nearer, room) if above[record] < FAR else FAR
            below[record] -= farther if below[record] < FAR else 0
        return False
    _place(record, originals, places, bases, paths, near)
    return True


@njit(cache=True)
def _write_costs(begin: int, end: int, margins: Integers, logs: Integers, counts: Counts, costs: Integers) -> None:
    """Write the costs behind a slot, whose entries begin and end there, from its counts."""
    least: Any = np.int64(IMPOSSIBLE)
    for entry in range(begin, end):
        costs[entry] = IMPOSSIBLE
        if counts[entry] > 0:
            costs[entry] = margins[entry - begin] - logs[counts[entry]]
            least = min(least, costs[entry])
    for entry in range(begin, end):
        if counts[entry] > 0:
            costs[entry] -= least


@njit(cache=True, nogil=True)
def place_all(originals: Originals, published: Counts, places: Places, near: int) -> None:
    """Count a file whose records publish these slots, shape (V, n), and place all that are linked."""
    # Costs of attributes with a known matrix are there before; all records are lost before.
    attributes, n = published.shape
    for v in range(attributes):
        for row in range(n):
            places.counts[originals.bases[published[v, row]] + originals.distinct[originals.of[row], v]] += 1
            if originals.linked[row] >= 0:
                places.slots[v, originals.linked[row]] = published[v, row]
        if not originals.given[v]:
            margins = originals.margins[originals.firsts[v] :]
            for slot in range(originals.slots[v], originals.slots[v + 1]):
                begin, end = originals.bases[slot], originals.bases[slot + 1]
                _write_costs(begin, end, margins, originals.logs, places.counts, places.costs)
    bases, paths = np.empty(attributes, np.int64), np.empty((3, attributes), np.int64)
    for record in range(len(places.likelier)):
        _place(record, originals, places, bases, paths, near)


@njit(cache=True)
def _list_publishers(v: int, originals: Originals, places: Places) -> None:
    """List the records by what they publish in attribute v, by what may move them, and by their own category."""
    m = places.slots.shape[1]
    first, last = 3 * originals.bases[originals.slots[v]], 3 * originals.bases[originals.slots[v + 1]]
    keys, begins = np.empty(m, np.int64), places.begins
    begins[first : last + 1] = 0
    for record in range(m):
        slot = places.slots[v, record]
        kind = 2 if places.above[record] == FAR else 0 if places.below[record] == FAR else 1
        width = originals.bases[slot + 1] - originals.bases[slot]
        keys[record] = 3 * originals.bases[slot] + kind * width + originals.own[v, record]
        begins[keys[record] + 1] += 1
    begins[first] = v * m
    for key in range(first, last):
        begins[key + 1] += begins[key]
    free = begins[first:last].copy()
    for record in range(m):
        key = keys[record] - first
        places.publishers[free[key]] = record
        free[key] += 1
    places.listed[v] = True


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
    """Return the greatest total of each child, shape (k,)."""
    # Shapes: rows (r,), before, after (r, V), ends (k,).
    slots, counts, costs, likelier, tied, above, below, rivals = places[:8]
    totals, listed, publishers, begins = places[8:]
    bases_of, own, linked = originals.bases, originals.own, originals.linked
    distinct, of, firsts, margins = originals.distinct, originals.of, originals.firsts, originals.margins
    first_slots, given, logs = originals.slots, originals.given, originals.logs
    attributes, m = slots.shape
    bases, paths = np.empty(attributes, np.int64), np.empty((3, attributes), np.int64)
    number = len(bases_of) - 1
    changed, altered, attribute = np.zeros(number, np.bool_), np.empty(number, np.int64), np.empty(number, np.int64)
    gain, loss, cheapest = np.zeros(number, np.int64), np.zeros(number, np.int64), np.zeros(number, np.int64)
    net, moved, entries = np.zeros(len(costs), np.int32), np.zeros(len(costs), np.int64), np.empty(len(costs), np.int64)
    starts, stops = np.zeros(number, np.int64), np.zeros(number, np.int64)
    involved, together = np.zeros(attributes, np.bool_), np.empty(attributes, np.int64)
    # Records are seen in a child: twice its number, and one more where they are changed themselves.
    seen, kept = np.full(m, -1, np.int32), np.empty((m, 4), np.int32)
    greatest, start, before_all = np.empty(len(ends), np.int64), 0, totals.copy()
    for child in range(len(ends)):
        involved[:] = False
        for change in range(start, ends[child]):
            for v in range(attributes):
                if before[change, v] != after[change, v] and not given[v]:
                    involved[v] = True
        several = 0
        for v in range(attributes):
            if involved[v]:
                together[several] = v
                several += 1
                if not listed[v]:
                    _list_publishers(v, originals, places)
        count, undone, filled = 0, 0, 0
        for change in range(start, ends[child]):
            row = rows[change]
            record: Any = np.int64(linked[row])
            for v in range(attributes):
                if before[change, v] == after[change, v]:
                    continue
                if record >= 0:
                    slots[v, record] = first_slots[v] + after[change, v] + 1
                    seen[record] = 2 * child + 1
                if given[v]:
                    continue
                for code, step in ((before[change, v], -1), (after[change, v], 1)):
                    slot = first_slots[v] + code + 1
                    entry = bases_of[slot] + distinct[of[row], v]
                    counts[entry] += step
                    net[entry] += step
                    if not changed[slot]:
                        changed[slot], altered[count], attribute[count] = True, slot, v
                        count += 1
        for at in range(count):
            slot, v = altered[at], attribute[at]
            _write_costs(bases_of[slot], bases_of[slot + 1], margins[firsts[v] :], logs, counts, costs)
            gain[slot], loss[slot], cheapest[slot], starts[slot] = 0, 0, FAR, filled
            for entry in range(bases_of[slot], bases_of[slot + 1]):
                if net[entry] == 0:
                    continue
                entries[filled] = entry
                filled += 1
                stood = counts[entry] - net[entry]
                if stood > 0 and counts[entry] > 0:
                    moved[entry] = logs[stood] - logs[counts[entry]]
                else:
                    moved[entry] = IMPOSSIBLE if stood > 0 else -IMPOSSIBLE
                if moved[entry] < 0:
                    cheapest[slot] = min(cheapest[slot], costs[entry])
                gain[slot] = max(gain[slot], -moved[entry])
                loss[slot] = max(loss[slot], moved[entry])
            stops[slot] = filled
        for at in range(count):
            slot, v = altered[at], attribute[at]
            base, width = bases_of[slot], bases_of[slot + 1] - bases_of[slot]
            for kind in range(3):
                # Nothing crosses from above where that loses a record no place, and nothing from below where nothing is
                # there: then those alone are looked at whose own category has moved.
                whole = (gain[slot] > 0 and kind < 2) or (loss[slot] > 0 and kind > 0)
                for part in range(starts[slot], starts[slot] + 1 if whole else stops[slot]):
                    first = 3 * base + kind * width + (0 if whole else entries[part] - base)
                    for place in range(begins[first], begins[first + (width if whole else 1)]):
                        record = np.int64(publishers[place])
                        if seen[record] >= 2 * child:
                            continue
                        shift = moved[base + own[v, record]]
                        nearer, farther = shift + gain[slot], loss[slot] - shift
                        if several > 1:
                            seen[record] = 2 * child
                            for among in range(several):
                                w = together[among]
                                other = slots[w, record]
                                if w != v and changed[other]:
                                    step = moved[bases_of[other] + own[w, record]]
                                    shift, nearer = shift + step, nearer + step + gain[other]
                                    farther += loss[other] - step
                        if (nearer == 0 or nearer < above[record]) and (farther == 0 or farther < below[record]):
                            if near > 0:
                                above[record] -= nearer if above[record] < FAR else 0
                                below[record] -= farther if below[record] < FAR else 0
                            continue
                        kept[undone, 0], kept[undone, 1] = record, likelier[record]
                        kept[undone, 2], kept[undone, 3] = tied[record], rivals[record]
                        undone += _renew(
                            record, nearer, farther, originals, places, changed, cheapest, gain, bases, paths, near
                        )
        for change in range(start, ends[child]):
            record = np.int64(linked[rows[change]])
            if record >= 0 and seen[record] == 2 * child + 1:
                kept[undone, 0], kept[undone, 1] = record, likelier[record]
                kept[undone, 2], kept[undone, 3] = tied[record], rivals[record]
                undone += 1
                _place(record, originals, places, bases, paths, near)
        greatest[child] = totals.max()
        if near == 0:
            for block in range(len(totals)):
                totals[block] = before_all[block]
            for at in range(undone):
                record = kept[at, 0]
                likelier[record], tied[record], rivals[record] = kept[at, 1], kept[at, 2], kept[at, 3]
            for change in range(start, ends[child]):
                row = rows[change]
                record = np.int64(linked[row])
                for v in range(attributes):
                    if before[change, v] == after[change, v]:
                        continue
                    if record >= 0:
                        slots[v, record] = first_slots[v] + before[change, v] + 1
                    if not given[v]:
                        for code, step in ((before[change, v], 1), (after[change, v], -1)):
                            slot = first_slots[v] + code + 1
                            counts[bases_of[slot] + distinct[of[row], v]] += step
        for at in range(count):
            slot = altered[at]
            if near == 0:
                v = attribute[at]
                _write_costs(bases_of[slot], bases_of[slot + 1], margins[firsts[v] :], logs, counts, costs)
            changed[slot], starts[slot], stops[slot] = False, 0, 0
            for entry in range(bases_of[slot], bases_of[slot + 1]):
                net[entry], moved[entry] = 0, 0
        start = ends[child]
    if near > 0:
        listed[:] = False
    return greatest
