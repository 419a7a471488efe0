"""Profiles of records, computed by the cheaper of two exact roads and remembered.

What is remembered is a pure function of the record, so it changes the time and never the result. Several calls use the
memory one after the other; who shares it among threads has to lock it. What is compiled is kept small and apart, since
a compiled function is compiled again within each that calls it.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.equivalence import ordered_classes
from evosdc.table.schema import MissingRule
from evosdc.table.table import Codes, Rows, Table
from evosdc_measures.domains import Counts, Integers, domains_of
from evosdc_measures.linkage.agreement import add_profile
from evosdc_measures.linkage.agreement_groups import count_groups, invert, time_by_groups

MEMORY = 1 << 26
"""Greatest number of counts that are remembered, 2**V for each record."""
SMALL = 1 << 20
"""Number of counts that are remembered however few records a file has."""
AT_ONCE = 1 << 25
"""Greatest number of counts that are made by groups at a time."""
CACHED = 1 << 16
"""Number of counts that stay in the processor's cache between being made and being used."""
BY_RECORD = 0.1
"""Estimated time of comparing a record with an original where all originals are passed, in nanoseconds by attribute."""


class Originals(NamedTuple):
    """The distinct originals.

    Parameters
    ----------
    records, columns : ndarray of int32, shapes (D, V) and (V, D)
        Those without missing values come first where these agree with everything.
    numbers : ndarray of int32, shape (D,)
        How many of each there are.
    complete : int
        Number of those that agree with a value by being equal alone.
    wildcard : bool
        Whether a missing value agrees with everything.
    order : ndarray of int64, shape (V,)
        Attributes, those on which fewest pairs agree first.
    shares : ndarray of float64, shape (V,)
        Share of pairs of originals that agree, by attribute.
    widest : int
        Greatest number of categories plus one.
    possible : int
        Number of different records that the domains allow.
    strides : ndarray of int64, shape (V,)
        Factors of a record's digits in its number among these, where that has no more than 63 bits.
    """

    records: Codes
    columns: Codes
    numbers: Counts
    complete: int
    wildcard: bool
    order: Integers
    shares: NDArray[np.float64]
    widest: int
    possible: int
    strides: Integers


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
    filled : ndarray of int64, shape (1,)
        Number of records known; they take the first places.
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


def originals_of(original: Table) -> Originals:
    """Return the distinct records of a table and what the choice of a road depends on."""
    wildcard = original.schema.na is MissingRule.WILDCARD
    classes = ordered_classes(original.codes)
    distinct, counted = original.codes[classes.first], classes.counts
    partial = (distinct < 0).any(axis=1) & wildcard
    first = np.argsort(partial, kind="stable")
    distinct, numbers = np.ascontiguousarray(distinct[first]), counted[first].astype(np.int32)
    widths = domains_of(original.schema).widths.tolist()
    frequencies = [np.bincount(column + 1) / len(original) for column in original.codes.T]
    shares = np.array([(frequency**2).sum() for frequency in frequencies])
    order = np.argsort(shares, kind="stable").astype(np.int64)
    complete = int((~partial).sum())
    columns = np.ascontiguousarray(distinct.T)
    strides = [prod(widths[v + 1 :]) % (1 << 63) for v in range(len(widths))]
    return Originals(
        distinct,
        columns,
        numbers,
        complete,
        wildcard,
        order,
        shares,
        max(widths),
        prod(widths),
        np.array(strides, dtype=np.int64),
    )


def memory_of(n: int, originals: Originals) -> ProfileCache:
    """Return an empty memory for files of n records."""
    attributes = originals.records.shape[1]
    # Where all possible records fit they are remembered; a search comes to most of them.
    wanted = max(4 * n, min(originals.possible, SMALL >> attributes))
    places = max(min(MEMORY >> attributes, wanted), 1)
    # Groups are worth the more, the more records share them; profiles made one by one are best used while in the cache.
    batch = (
        places
        if worth_grouping(min(n, places), originals.complete, attributes, originals.shares[originals.order])
        else CACHED >> attributes
    )
    direct = originals.possible <= places
    # Powers of a multiplier of good spectral quality (Knuth's MMIX), modulo 2**64.
    powers = [pow(6364136223846793005, v + 1, 1 << 64) for v in range(attributes)]
    return ProfileCache(
        originals.strides if direct else np.array(powers, dtype=np.uint64).view(np.int64),
        0 if direct else 32,
        np.full(1 << (2 * places - 1).bit_length(), -1, dtype=np.int32),
        np.empty((places, attributes), dtype=np.int32),
        np.empty((places, 1 << attributes), dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        min(max(batch, 1), places),
    )


def worth_grouping(records: int, complete: int, attributes: int, shares: NDArray[np.float64]) -> bool:
    """Return whether profiles are estimated to be cheaper by groups than by comparing each with each original."""
    # Splitting passes all originals for each attribute, so for very few records there is nothing to estimate.
    direct = BY_RECORD * attributes * records * complete
    return records * BY_RECORD > 1.0 and bool(time_by_groups(records, complete, shares) < direct)


@kernel
def known_places(codes: Codes, rows: Rows, memory: ProfileCache, places: Counts) -> bool:
    """Write the places of rows' records in the memory; stop and return False where one is not known."""
    # All rows in one call and no slices: to count references to arrays costs more than all else here.
    factors, shift, slots, records = memory.factors, memory.shift, memory.slots, memory.records
    attributes, last = codes.shape[1], len(slots) - 1
    for i in range(len(rows)):
        row, total = rows[i], 0
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
        if place < 0:
            return False
        places[i] = place
    return True


@kernel
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


@kernel
def _add_by_pairs(records: Codes, columns: Codes, numbers: Counts, wildcard: bool, profiles: Counts) -> None:
    """Add originals to the profiles, comparing each record with each of them."""
    scratch = np.empty(len(numbers), np.uint16)
    for i in range(len(records)):
        add_profile(records[i], columns, numbers, wildcard, scratch, profiles[i])


def _fill_by_groups(records: Codes, mask: int, order: Integers, originals: Originals, profiles: Counts) -> None:
    """Write profiles over the complete originals, for records whose wildcards are the attributes of `mask`."""
    attributes, complete = records.shape[1], originals.complete
    most = max(AT_ONCE >> attributes, 1)
    for begin in range(0, len(records), most):
        part = np.ascontiguousarray(records[begin : begin + most])
        counts = np.zeros((1 << attributes, len(part)), dtype=np.int32)
        count_groups(
            part,
            np.ascontiguousarray(part.T),
            originals.records[:complete],
            originals.columns,
            originals.numbers[:complete],
            order,
            originals.widest,
            counts,
        )
        if mask:
            # All agree on the attributes of the mask: a subset counts what it counts without them.
            counts = counts[np.arange(1 << attributes) & ~mask]
        invert(counts, profiles[begin : begin + most])


def _fill_alike(records: Codes, mask: int, originals: Originals, profiles: Counts) -> None:
    """Write profiles of records whose wildcards are the attributes of `mask`, by the cheaper road."""
    order = np.array([v for v in originals.order if not mask >> int(v) & 1], dtype=np.int64)
    by_groups = worth_grouping(len(records), originals.complete, records.shape[1], originals.shares[order])
    if by_groups:
        _fill_by_groups(records, mask, order, originals, profiles)
    else:
        profiles[:] = 0
    first = originals.complete if by_groups else 0
    if first < len(originals.numbers):
        # Contiguous columns are compared many categories at a time.
        columns = np.ascontiguousarray(originals.columns[:, first:])
        _add_by_pairs(records, columns, originals.numbers[first:], originals.wildcard, profiles)


def fill(records: Codes, originals: Originals, profiles: Counts) -> None:
    """Compute profiles, by groups where that is estimated to cost less than comparing each record with each original.

    Parameters
    ----------
    records : ndarray of int32, shape (k, V)
    originals : Originals
    profiles : ndarray of int32, shape (k, 2**V)
        Written.
    """
    masks = ((records < 0) & originals.wildcard) @ (1 << np.arange(records.shape[1]))
    distinct = np.unique(masks)
    if len(distinct) == 1:
        _fill_alike(records, int(distinct[0]), originals, profiles)
        return
    for mask in distinct:
        alike = np.flatnonzero(masks == mask)
        part = np.empty((len(alike), profiles.shape[1]), dtype=np.int32)
        _fill_alike(records[alike], int(mask), originals, part)
        profiles[alike] = part


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
    slots, records, profiles, filled = memory.slots, memory.records, memory.profiles, memory.filled
    places = np.empty(len(rows), dtype=np.int32)
    known = int(filled[0])
    if not _enter(codes, rows, memory, places):
        slots[:] = -1
        filled[0] = known = 0
        _enter(codes, rows, memory, places)
    new = slice(known, int(filled[0]))
    if new.stop == known + 1:
        profiles[known] = 0
        _add_by_pairs(records[new], originals.columns, originals.numbers, originals.wildcard, profiles[new])
    elif new.stop > known:
        fill(records[new], originals, profiles[new])
    return places
