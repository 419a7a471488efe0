"""The memory of profiles: records and what was counted for them.

What is remembered is a pure function of the record, so it changes the time and never the result. Several calls use the
memory one after the other; who shares it among threads has to lock it. What is compiled is kept small and apart, since
a compiled function is compiled again within each that calls it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.profiles import Originals, add_by_pairs, fill, worth_grouping

MEMORY = 1 << 26
"""Greatest number of counts that are remembered, 2**V for each record."""
SMALL = 1 << 20
"""Number of counts that are remembered however few records a file has."""
CACHED = 1 << 16
"""Number of counts that stay in the processor's cache between being made and being used."""


class ProfileCache(NamedTuple):
    """Records and their profiles, found by open addressing; forgotten altogether when full.

    Parameters
    ----------
    factors : ndarray of int64, shape (V,)
        Factors of a record's digits in its hash: mixed radix where all possible records fit, so that no two meet, else
        odd numbers of 64 bits whose sum overflows.
    shift : int
        Bits of that sum to drop.
    slots : ndarray of int32, shape (2**b,)
        Place of the record that hashed there, -1 where there is none.
    records : ndarray of int32, shape (places, V)
    profiles : ndarray of int32, shape (places, 2**V)
    filled : ndarray of int64, shape (2,)
        Number of records known; they take the first places. And how often all were forgotten.
    batch : int
        Number of records to look up at a time, at most that of places.
    """

    factors: Integers
    shift: int
    slots: Counts
    records: Counts
    profiles: Counts
    filled: Integers
    batch: int


def memory_of(n: int, originals: Originals) -> ProfileCache:
    """Return an empty memory for files of n records."""
    attributes = originals.records.shape[1]
    # Where all possible records fit they are remembered; a search comes to most of them.
    wanted = max(4 * n, min(originals.possible, SMALL >> attributes))
    places = max(min(MEMORY >> attributes, wanted), 1)
    # Groups are worth the more, the more records share them, and what is looked up takes no time to speak of; profiles
    # made one by one are best used while in the cache.
    together = len(originals.cube.counts) > 0 or worth_grouping(
        min(n, places), originals.complete, attributes, originals.shares[originals.order]
    )
    batch = places if together else CACHED >> attributes
    direct = originals.possible <= places
    # Powers of a multiplier of good spectral quality (Knuth's MMIX), modulo 2**64.
    powers = [pow(6364136223846793005, v + 1, 1 << 64) for v in range(attributes)]
    return ProfileCache(
        originals.strides if direct else np.array(powers, dtype=np.uint64).view(np.int64),
        0 if direct else 32,
        np.full(1 << (2 * places - 1).bit_length(), -1, dtype=np.int32),
        np.empty((places, attributes), dtype=np.int32),
        np.empty((places, 1 << attributes), dtype=np.int32),
        np.zeros(2, dtype=np.int64),
        min(max(batch, 1), places),
    )


@njit(cache=True)
def place_of(codes: Codes, row: int, factors: Integers, shift: int, slots: Counts, records: Counts) -> int:
    """Return the place of a record in the memory, -1 where it is not known; the last four are those of the memory."""
    attributes, last, total = codes.shape[1], len(slots) - 1, 0
    for v in range(attributes):
        total += (codes[row, v] + 1) * factors[v]
    slot = (total >> shift) & last
    place = slots[slot]
    while place >= 0:
        same = True
        for v in range(attributes):
            same &= records[place, v] == codes[row, v]
        if same:
            break
        slot = (slot + 1) & last
        place = slots[slot]
    return int(place)


@njit(cache=True)
def _enter(codes: Codes, rows: Rows, memory: ProfileCache, places: Counts) -> bool:
    """Look rows up and enter the unknown records; stop and return False where there is no place left."""
    factors, shift, slots, records, _, filled, _ = memory
    attributes, last = codes.shape[1], len(slots) - 1
    for i in range(len(rows)):
        row, total = rows[i], 0
        for v in range(attributes):
            total += (codes[row, v] + 1) * factors[v]
        slot = (total >> shift) & last
        while slots[slot] >= 0:
            same = True
            for v in range(attributes):
                same = same and records[slots[slot], v] == codes[row, v]
            if same:
                break
            slot = (slot + 1) & last
        if slots[slot] < 0:
            place = filled[0]
            if place == len(records):
                return False
            for v in range(attributes):
                records[place, v] = codes[row, v]
            slots[slot] = place
            filled[0] += 1
        places[i] = slots[slot]
    return True


def places_of(codes: Codes, rows: Rows, originals: Originals, memory: ProfileCache) -> Counts:
    """Return the places of some rows' records in the memory, and compute the profiles that are not known.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, V)
    rows : ndarray of intp, shape (m,)
        At most as many as the memory's batch.
    originals : Originals
    memory : ProfileCache
        Changed; places returned earlier may become invalid.
    """
    try:
        return _places_of(codes, rows, originals, memory)
    except BaseException:
        # Records were entered whose profiles were not computed yet: a time limit, say, came in between.
        _forget(memory)
        raise


def _forget(memory: ProfileCache) -> None:
    memory.slots[:] = -1
    memory.filled[0] = 0
    memory.filled[1] += 1


def _places_of(codes: Codes, rows: Rows, originals: Originals, memory: ProfileCache) -> Counts:
    records, profiles, filled = memory.records, memory.profiles, memory.filled
    places = np.empty(len(rows), dtype=np.int32)
    known = int(filled[0])
    if not _enter(codes, rows, memory, places):
        _forget(memory)
        known = 0
        _enter(codes, rows, memory, places)
    new = slice(known, int(filled[0]))
    if new.stop == known + 1 and len(originals.cube.counts) == 0:
        profiles[known] = 0
        add_by_pairs(records[new], originals.columns, originals.numbers, originals.wildcard, profiles[new])
    elif new.stop > known:
        fill(records[new], originals, profiles[new])
    return places
