"""Places among the likeliest originals, followed through changes of a masked file, or of many children of one."""

from typing import Any

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Numbers, Rows
from evosdc_measures.domains import Counts, Integers, SmallCounts
from evosdc_measures.linkage.category_members import Members
from evosdc_measures.linkage.likelihood import Behind, Frequencies
from evosdc_measures.linkage.prefix_tree import PrefixTree
from evosdc_measures.linkage.publishers import publishers_of
from evosdc_measures.linkage.ranked_changes import follow_changes
from evosdc_measures.linkage.ranked_neighbours import Listed, Neighbours, renew
from evosdc_measures.linkage.ranked_places import NEAR, PlacedFile, matched, matched_first
from evosdc_measures.linkage.rivals import Originals


@njit(cache=True)
def followed_places(
    before: Codes,
    after: Codes,
    rows: Rows,
    asked: Rows,
    twins: Counts,
    categories: Codes,
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
    categories : ndarray of int32, shape (n, V)
        Place of each record's original category.
    *arrays
        Those of `Originals` and of `Frequencies`, both of the records asked alone, of `Members`, of `PlacedFile`,
        which are changed, and of `Listed`, of which `since` is: to hand them over as five would take longer than many
        an update.
    """
    originals = Originals(Behind(*arrays[:3]), PrefixTree(*arrays[3:6]))
    frequencies, members = Frequencies(*arrays[6:11]), Members(*arrays[11:15])
    placed, kept = PlacedFile(*arrays[15:20]), Listed(*arrays[20:])
    paths = np.empty((4, before.shape[1]), np.int64)
    published, numbers = _published(before, asked), _numbers(rows, asked)
    changes = before[rows], after[rows], categories[rows]
    # Neighbours do not tell rooms: each record is placed among all originals.
    none, nowhere = kept.listed[:0], kept.sizes[:0]
    neighbours = Neighbours(
        none, nowhere, nowhere, kept.reaches[:0], kept.apart[:0], kept.known[:0], kept.since, placed.costs, categories
    )
    publishers = publishers_of(published, originals.model.strides, originals.model.offsets, False)
    follow_changes(
        published, numbers, *changes, twins, originals, frequencies, placed, members, neighbours, publishers, paths,
        NEAR,
    )  # fmt: skip
    return matched(placed.likelier, placed.tied)[1]


@njit(cache=True, nogil=True)
def places_of_children(
    codes: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    ties: SmallCounts,
    asked: Rows,
    twins: Counts,
    categories: Codes,
    *arrays: Any,
) -> Numbers:
    """Return the expected matches of several children of a file, and those of the first place, shape (k, 2).

    Parameters
    ----------
    codes : ndarray of int32, shape (n, V)
        Of the file.
    before, after : ndarray of int32, shape (r, V)
        The changed records alone, child by child.
    rows : ndarray of intp, shape (r,)
    ends : ndarray of int64, shape (k,)
        Where the records of each child end.
    ties : ndarray, shape (n + 1,)
        Zeros, as of `matched_first`; zeros again when all is done.
    asked, twins, categories, *arrays
        As of `followed_places`; not changed but for those of `Listed`.
    """
    originals = Originals(Behind(*arrays[:3]), PrefixTree(*arrays[3:6]))
    frequencies, members = Frequencies(*arrays[6:11]), Members(*arrays[11:15])
    placed, kept = PlacedFile(*arrays[15:20]), Listed(*arrays[20:])
    counts, costs, likelier, tied, rooms = placed
    own = PlacedFile(counts.copy(), costs.copy(), likelier.copy(), tied.copy(), rooms.copy())
    paths = np.empty((4, codes.shape[1]), np.int64)
    published, numbers = _published(codes, asked), _numbers(rows, asked)
    renew(published, kept, originals, costs, categories, paths)
    moved, matches = categories[rows], np.empty((len(ends), 2))
    listed, sizes, below, reaches, apart, known, since, _ = kept
    neighbours = Neighbours(listed, sizes, below, reaches, apart, known, np.zeros_like(since), costs, categories)
    publishers = publishers_of(published, originals.model.strides, originals.model.offsets, len(ends) > 2)
    # Copies: what can be written to is another type, for which functions would be compiled again.
    left, entered = before.copy(), after.copy()
    begin = 0
    for child in range(len(ends)):
        end = ends[child]
        if child > 0:
            own.likelier[:], own.tied[:], own.rooms[:], neighbours.moved[:] = likelier, tied, rooms, 0
        changes = left[begin:end], entered[begin:end], moved[begin:end]
        # Children are thrown away at once: nobody asks for the room of records that are placed anew.
        follow_changes(
            published, numbers[begin:end], *changes, twins, originals, frequencies, own, members, neighbours,
            publishers, paths, 0,
        )  # fmt: skip
        matches[child, 0] = matched(own.likelier, own.tied)[1]
        matches[child, 1] = matched_first(own.likelier, own.tied, ties)
        ties[:] = 0
        for change in range(begin, end):
            if numbers[change] >= 0:
                published[numbers[change]] = before[change]
            for v in range(codes.shape[1]):
                if before[change, v] != after[change, v]:
                    for code in (before[change, v], after[change, v]):
                        base = originals.model.offsets[v] + (code + 1) * originals.model.strides[v]
                        stop = base + originals.model.strides[v]
                        own.counts[base:stop], own.costs[base:stop] = counts[base:stop], costs[base:stop]
        begin = end
    return matches


@njit(cache=True)
def _published(codes: Codes, asked: Rows) -> Codes:
    """Return what the records asked publish, shape (m, V)."""
    published = np.empty((len(asked), codes.shape[1]), np.int32)
    for number in range(len(asked)):
        for v in range(codes.shape[1]):
            published[number, v] = codes[asked[number], v]
    return published


@njit(cache=True)
def _numbers(rows: Rows, asked: Rows) -> Rows:
    """Return the place of each row among those asked, -1 where it is none of them."""
    numbers = np.searchsorted(asked, rows)
    for change in range(len(rows)):
        number = numbers[change]
        if number == len(asked) or asked[number] != rows[change]:
            numbers[change] = -1
    return numbers
