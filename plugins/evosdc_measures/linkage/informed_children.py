"""Links of an informed intruder in many children of one file, each followed from it and taken back."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers, Rows
from evosdc_measures.domains import Counts, Integers, SmallCounts
from evosdc_measures.linkage.category_rivals import Listing
from evosdc_measures.linkage.informed_links import FEW, follow_other, move_count, stays
from evosdc_measures.linkage.informed_together import entries_of, follow_together
from evosdc_measures.linkage.likelihood import SCALE, Behind, Frequencies, cost_of
from evosdc_measures.linkage.rivals import ANY, NEAR, LinkedFile, Originals, expected_matches, link, rival_of, settle


@njit(cache=True, nogil=True)
def matches_of_children(
    codes: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    members: Rows,
    weights: Integers,
    originals: Originals,
    listing: Listing,
    frequencies: Frequencies,
    linked: LinkedFile,
) -> Numbers:
    """Return the expected matches of several children of a file, shape (k,).

    Parameters
    ----------
    codes : ndarray of int32, shape (n, V)
        Of the file.
    before, after : ndarray of int32, shape (r, V)
        The changed records alone, child by child.
    rows : ndarray of intp, shape (r,)
    ends : ndarray of int64, shape (k,)
        Where the records of each child end.
    members : ndarray of intp, shape (m,)
        One of all records that publish the same and have equal originals; each that changes in any child is one by
        itself.
    weights : ndarray of int64, shape (n,)
        How many each stands for; of those that are no members 1.
    originals : Originals
    listing : Listing
        Of these.
    frequencies : Frequencies
    linked : LinkedFile
        Of the file; as before in the end.
    """
    attributes, paths = codes.shape[1], np.empty((4, codes.shape[1]), np.int64)
    _, strides, offsets = originals.model
    counts, costs, links, ties, rooms = linked
    _measure_rooms(codes, members, originals, frequencies, linked, paths)
    known = LinkedFile(counts.copy(), costs.copy(), links.copy(), ties, rooms)
    published, touched = codes.copy(), np.zeros(len(codes), np.bool_)
    firsts = np.zeros(attributes + 1, np.int64)
    firsts[1:] = np.cumsum((offsets[1:] - offsets[:-1]) // strides + 1)
    listed, begins = _by_category(codes, members, firsts)
    entries = entries_of(codes, members, originals.model)
    # Members that are linked otherwise than in the file, after their number.
    moved = np.zeros(1 + 2 * len(members), np.int32)
    # By how much likelihoods behind a category have changed in a child, where its entries begin; in all in the end.
    spent = np.zeros(len(costs) + 1, np.int64)
    matches, begin = np.empty(len(ends)), 0
    for child in range(len(ends)):
        end = ends[child]
        own = rows[begin:end]
        changes = 0
        for change in range(begin, end):
            touched[rows[change]] = True
            for v in range(attributes):
                changes += before[change, v] != after[change, v]
        spent[:] = 0
        if changes > FEW:
            for change in range(begin, end):
                published[rows[change]] = after[change]
            follow_together(
                codes, published, own, members, entries, originals, listing, frequencies, linked, paths, 0, weights
            )
        else:
            for change in range(begin, end):
                for v in range(attributes):
                    if before[change, v] != after[change, v]:
                        published[rows[change], v] = after[change, v]
                        cell = rows[change], v, before[change, v]
                        _follow_cell(
                            published,
                            *cell,
                            own,
                            touched,
                            firsts[v],
                            listed[v],
                            begins,
                            weights,
                            originals,
                            listing,
                            frequencies,
                            linked,
                            known.links,
                            moved,
                            paths,
                            spent,
                        )
        matches[child] = expected_matches(ties)
        if changes > FEW or moved[0] == len(moved) - 1:
            for other in members:
                _link_back(other, weights[other], links, ties, known.links)
        for place in range(moved[0]):
            elsewhere: Any = np.int64(moved[1 + place])  # else functions are compiled for records of both sizes
            _link_back(elsewhere, weights[elsewhere], links, ties, known.links)
        moved[0] = 0
        for change in range(begin, end):
            _link_back(rows[change], 1, links, ties, known.links)
            for v in range(attributes):
                if before[change, v] != after[change, v]:
                    for code in (before[change, v], after[change, v]):
                        base = offsets[v] + (code + 1) * strides[v]
                        for place in range(base, base + strides[v]):
                            counts[place], costs[place] = known.counts[place], known.costs[place]
        for change in range(begin, end):
            published[rows[change]] = before[change]
            touched[rows[change]] = False
        begin = end
    return matches


@njit(cache=True)
def _by_category(codes: Codes, members: Rows, firsts: Integers) -> tuple[NDArray[np.int32], Integers]:
    """Return the members by what they publish in each attribute, shape (V, m), and where those of each category begin.

    Those of code b of attribute v begin at entry ``firsts[v] + b + 1``; the entry after it tells their end.
    """
    attributes = codes.shape[1]
    listed, begins = np.empty((attributes, len(members)), np.int32), np.zeros(firsts[-1], np.int64)
    for v in range(attributes):
        first = firsts[v]
        for row in members:
            begins[first + codes[row, v] + 2] += 1
        for place in range(first + 1, firsts[v + 1]):
            begins[place] += begins[place - 1]
        filled = begins[first : firsts[v + 1]].copy()
        for row in members:
            code = codes[row, v] + 1
            listed[v, filled[code]] = row
            filled[code] += 1
    return listed, begins


@njit(cache=True)
def _follow_cell(
    published: Codes,
    row: int,
    v: int,
    left: int,
    own: Rows,
    touched: NDArray[np.bool_],
    first: int,
    listed: NDArray[np.int32],
    begins: Integers,
    weights: Integers,
    originals: Originals,
    listing: Listing,
    frequencies: Frequencies,
    linked: LinkedFile,
    known: Counts,
    moved: Counts,
    paths: Integers,
    spent: Integers,
) -> None:
    """Follow one changed cell, published as `left` before, in the records that publish what it was or is.

    Those that are linked otherwise than they are `known` to be in the file are added to `moved`. Records with more room
    than is `spent` in the child with this cell stay as they are.
    """
    counts, costs, links, ties, rooms = linked
    places, multiples = originals.model.own, frequencies.multiples
    if not frequencies.given[v]:
        category: Any = np.int64(places[row, v])
        entered = published[row, v]
        lost, won = move_count(v, left, entered, category, originals, frequencies, counts, costs)
        stride, offset = originals.model.strides[v], originals.model.offsets[v]
        for code, step in ((left, lost), (entered, won)):
            spent[offset + (code + 1) * stride] += step
            spent[-1] += step
            for place in range(begins[first + code + 1], begins[first + code + 2]):
                other: Any = np.int64(listed[place])
                if spent[-1] < rooms[other] or _spent_behind(published, other, originals.model, spent) < rooms[other]:
                    continue
                mine, rival = places[other, v] == category, links[other]
                rivals = rival >= 0 and places[rival, v] == category
                if not stays(mine, rival, rivals, code == entered, multiples[other]) and not touched[other]:
                    follow_other(
                        published, other, v, entered, category, frequencies.firsts[v], originals, listing,
                        costs, links, ties, paths, multiples[other], 0, 0, weights[other],
                    )  # fmt: skip
                    if links[other] != known[other] and moved[0] < len(moved) - 1:
                        moved[0] += 1
                        moved[moved[0]] = other
        # They may publish now what they did not publish in the file.
        for other in own:
            code = published[other, v]
            if code in (left, entered) and other != row:
                mine, rival = places[other, v] == category, links[other]
                rivals = rival >= 0 and places[rival, v] == category
                if not stays(mine, rival, rivals, code == entered, multiples[other]):
                    follow_other(
                        published, other, v, entered, category, frequencies.firsts[v], originals, listing,
                        costs, links, ties, paths, multiples[other], 0, 0, weights[other],
                    )  # fmt: skip
    link(published, row, originals, costs, links, ties, paths, multiples[row], 0)


@njit(cache=True)
def _spent_behind(published: Codes, row: int, model: Behind, spent: Integers) -> int:
    """Return by how much likelihoods behind what a record publishes have changed."""
    _, strides, offsets = model
    total: Any = np.int64(0)
    for v in range(len(strides)):
        total += spent[offsets[v] + (published[row, v] + 1) * strides[v]]
    return int(total)


@njit(cache=True)
def _measure_rooms(
    published: Codes, members: Rows, originals: Originals, frequencies: Frequencies, linked: LinkedFile, paths: Integers
) -> None:
    """Look for the rooms of records whose own original alone is linked, where they are not known or used up."""
    _, costs, links, _, rooms = linked
    for row in members:
        multiple = frequencies.multiples[row]
        if -links[row] == multiple and rooms[row] < SCALE // 64:
            limit = cost_of(published, row, row, originals.model, costs)
            rooms[row] = rival_of(published, row, limit, ANY, 0, False, originals, costs, paths, NEAR)[2]


@njit(cache=True)
def _link_back(other: int, weight: int, links: Counts, ties: SmallCounts, known: Counts) -> None:
    if links[other] != known[other]:
        settle(other, known[other] if known[other] >= 0 else -1, -known[other], links, ties, weight)
