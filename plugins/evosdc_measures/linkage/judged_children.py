"""Children of one file, judged by what they change in one call; a single one may be followed by it."""

from typing import Any

import numpy as np
from numba import njit

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.estimate_memory import remembered_weights
from evosdc_measures.linkage.kept_ties import LENGTH, credit_at, move_tie, room_for, slot_of
from evosdc_measures.linkage.pattern_order import descending, descending_like, ranks_of
from evosdc_measures.linkage.profile_cache import place_of
from evosdc_measures.linkage.ties_by_order import Credits, Patterns, credit_with, tie_at

UNKNOWN = -1


@njit(cache=True)
def judge(
    moving: bool,
    original: Codes,
    before: Codes,
    after: Codes,
    ends: Integers,
    n: int,
    wildcard: bool,
    known: bool,
    factors: Integers,
    shift: int,
    hashed: Counts,
    records: Counts,
    profiles: Counts,
    pairs: Integers,
    orders: Integers,
    ranks: Counts,
    kept: Integers,
    sizes: Counts,
    credits: Credits,
    reference: int,
    places: Counts,
    best: Patterns,
    weights: Credits,
    found: Credits,
    *estimates: Any,
) -> int:
    """Write the sum of all records' credits of each child, no number where its order of patterns is not followed.

    Parameters
    ----------
    moving : bool
        Whether there is one child alone and the numbers of pairs and the ties are to be its own from now on.
    original, before, after : ndarray of int32, shape (m, V)
        The changed records alone, child by child: their originals, and before and after the change.
    ends : ndarray of int64, shape (k,)
        Where each child's records end; not read where one moves, whose they all are.
    n : int
        Records of the file.
    wildcard : bool
        Whether a missing value agrees with everything.
    known : bool
        Whether the share of matches is known.
    factors, shift, hashed, records, profiles
        Of the memory of profiles.
    pairs : ndarray of int64, shape (1, 2**V)
        Pairs by pattern in the file; changed where one moves.
    orders, ranks : ndarray of int64 and of int32, shape (slots, 2**V)
    kept, sizes, credits
        Ties by slot: see `kept_ties`; changed where one moves.
    reference : int
        A slot whose order is like those of the children, -1 where there is none.
    places : ndarray of int32, shape (2 * m,)
        Where the places of profiles are written: of the records before, and then after the change.
    best : ndarray of uint16, shape (m,)
        Where a best pattern of each record after the change is written, under the order of the slot `reference`; only
        where one moves.
    weights : ndarray of float64, shape (k, 2**V)
        Where the weights of the patterns are written, by child.
    found : ndarray of float64, shape (k,)
        Where the credits are written.
    *estimates
        The arrays of an `EstimateMemory`.

    Returns
    -------
    int
        How many children have an order that is not followed. `UNKNOWN` where a record's profile is not known, or less,
        the negative number of sizes there has to be room for; then nothing is changed.
    """
    changed, attributes = before.shape
    patterns = pairs.shape[1]
    for i in range(changed):
        places[i] = place_of(before, i, factors, shift, hashed, records)
        places[changed + i] = place_of(after, i, factors, shift, hashed, records)
        if places[i] < 0 or places[changed + i] < 0:
            return UNKNOWN
    if moving:
        lost, won = np.zeros((len(kept), changed), np.int32), np.zeros((len(kept), changed), np.int32)
        for slot in range(len(kept)):
            if kept[slot, LENGTH] < 0:
                continue
            order, own = orders[slot], ranks[slot]
            for i in range(changed):
                lost[slot, i], _ = tie_at(original, i, before, i, profiles, places[i], wildcard, order, own, 0)
                won[slot, i], pattern = tie_at(
                    original, i, after, i, profiles, places[changed + i], wildcard, order, own, 0
                )
                if slot == reference:
                    best[i] = pattern
        room = room_for(won, kept, sizes)
        if room > sizes.shape[2]:
            return -room
        for slot in range(len(kept)):
            if kept[slot, LENGTH] >= 0:
                for i in range(changed):
                    move_tie(lost[slot, i], won[slot, i], slot, kept, sizes)
    begin, moved = 0, pairs if moving else np.empty((len(found), patterns), np.int64)
    for child in range(len(found)):
        end = changed if moving else ends[child]
        if not moving:
            for pattern in range(patterns):
                moved[child, pattern] = pairs[0, pattern]
        own = moved[child]
        for i in range(begin, end):
            leaving, entering = profiles[places[i]], profiles[places[changed + i]]
            for pattern in range(patterns):
                own[pattern] += entering[pattern] - leaving[pattern]
        begin = end
    weights[:] = remembered_weights(moved, attributes, n, known, *estimates)
    missing = 0
    for child in range(len(found)):
        own_weights = weights[child]
        order = descending_like(own_weights, orders[reference]) if reference >= 0 else descending(own_weights)
        slot = slot_of(ranks_of(own_weights, order), ranks, kept)
        if slot < 0:
            found[child] = np.nan
            missing += 1
        elif moving:
            found[child] = credit_at(slot, kept, sizes, credits)
        else:
            _judge_one(
                child,
                slot,
                original,
                before,
                after,
                ends,
                wildcard,
                profiles,
                orders,
                ranks,
                kept,
                sizes,
                credits,
                places,
                found,
            )
    return missing


@njit(cache=True)
def judge_under(
    children: Integers,
    slot: int,
    original: Codes,
    before: Codes,
    after: Codes,
    ends: Integers,
    wildcard: bool,
    profiles: Counts,
    orders: Integers,
    ranks: Counts,
    kept: Integers,
    sizes: Counts,
    credits: Credits,
    places: Counts,
    found: Credits,
) -> None:
    """Write the credits of those children whose order of patterns is that of a slot; the others as of `judge`."""
    for child in children:
        _judge_one(
            child,
            slot,
            original,
            before,
            after,
            ends,
            wildcard,
            profiles,
            orders,
            ranks,
            kept,
            sizes,
            credits,
            places,
            found,
        )


@njit(cache=True)
def _judge_one(
    child: int,
    slot: int,
    original: Codes,
    before: Codes,
    after: Codes,
    ends: Integers,
    wildcard: bool,
    profiles: Counts,
    orders: Integers,
    ranks: Counts,
    kept: Integers,
    sizes: Counts,
    credits: Credits,
    places: Counts,
    found: Credits,
) -> None:
    changed, begin = len(before), ends[child - 1] if child > 0 else 0
    count, order, own = ends[child] - begin, orders[slot], ranks[slot]
    removed, added = np.empty(count, np.int32), np.empty(count, np.int32)
    for j in range(count):
        i = begin + j
        removed[j], _ = tie_at(original, i, before, i, profiles, places[i], wildcard, order, own, 0)
        added[j], _ = tie_at(original, i, after, i, profiles, places[changed + i], wildcard, order, own, 0)
    if count > 1:
        removed.sort()
        added.sort()
    same = True
    for j in range(count):
        same &= removed[j] == added[j]
    credit, length = credit_at(slot, kept, sizes, credits), kept[slot, LENGTH]
    if not same:
        credit = credit_with(
            sizes[slot, 0, :length], sizes[slot, 1, :length], credits[slot, : length + 1], removed, added
        )
    found[child] = credit
