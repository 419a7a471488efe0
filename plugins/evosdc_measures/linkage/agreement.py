"""Agreement profiles: how many originals agree with a record on exactly which attributes.

Bit v of a pattern is set where a pair of records agrees on attribute v. Two values agree if they are equal, missing
values among them; under the rule ``wildcard`` a missing value agrees with everything. The profile of a record is its
number of originals by pattern, shape (2**V,). It is counted once for each distinct record and kept.
"""

from math import prod

import numpy as np
from numba import njit

from evosdc.table.equivalence import ordered_classes
from evosdc.table.schema import MissingRule
from evosdc.table.table import Codes, Table
from evosdc_measures.domains import Counts, Integers, domains_of

COMPARING, LOOKING_UP = 1.5, 15.0  # nanoseconds of comparing two records, and of entering or finding one
MEMORY, SMALL, BY_RECORD = 1 << 26, 1 << 20, 16
"""Counts that are kept at most; those that are kept however few records a file has; profiles kept for each record."""
MULTIPLIER, MASK = 1540483477, 0xFFFFFFFF


@njit(cache=True)
def pattern_of(record: Codes, other: Codes, wildcard: bool) -> int:
    """Return the agreement pattern of two records."""
    pattern = 0
    for v in range(len(record)):
        if record[v] == other[v] or (wildcard and (record[v] < 0 or other[v] < 0)):
            pattern |= 1 << v
    return pattern


@njit(cache=True)
def add_by_pairs(records: Codes, columns: Codes, numbers: Counts, wildcard: bool, profiles: Counts) -> None:
    """Add originals to the profiles of records, comparing each with each; `columns` has one attribute a row."""
    patterns = np.empty(len(numbers), np.uint16)
    for i in range(len(records)):
        patterns[:] = 0
        # One attribute after the other, so that the compiler compares many originals at once.
        for v in range(len(columns)):
            code, bit, column = records[i, v], np.uint16(1 << v), columns[v]
            if wildcard and code < 0:
                for d in range(len(column)):
                    patterns[d] |= bit
            elif wildcard:
                for d in range(len(column)):
                    patterns[d] |= bit if column[d] == code or column[d] < 0 else np.uint16(0)
            else:
                for d in range(len(column)):
                    patterns[d] |= bit if column[d] == code else np.uint16(0)
        for d in range(len(numbers)):
            profiles[i, patterns[d]] += numbers[d]


@njit(cache=True)
def count_by_subsets(
    records: Codes, originals: Codes, numbers: Counts, strides: Integers, wildcard: bool, profiles: Counts
) -> None:
    """Write the profiles over originals that agree by equality alone: counted by subset, and inverted."""
    # For each subset of the attributes the originals are entered into a hash table by their values of it.
    # Shapes: records (k, V), originals (D, V), numbers (D,), strides (V,), profiles (k, 2**V).
    attributes, size = records.shape[1], 1
    while size < 2 * len(originals):
        size *= 2
    keys, counts = np.empty(size, np.int64), np.empty(size, np.int32)
    for subset in range(profiles.shape[1]):
        keys[:] = -1
        for i in range(len(originals) + len(records)):
            entering = i < len(originals)
            record = originals[i] if entering else records[i - len(originals)]
            key = np.int64(0)
            for v in range(attributes):
                if subset >> v & 1:
                    key += (record[v] + 1) * strides[v]
            slot = ((key ^ key >> 29) & MASK) * MULTIPLIER >> 11 & size - 1
            while keys[slot] >= 0 and keys[slot] != key:
                slot = slot + 1 & size - 1
            if not entering:
                profiles[i - len(originals), subset] = counts[slot] if keys[slot] == key else 0
            elif keys[slot] == key:
                counts[slot] += numbers[i]
            else:
                keys[slot], counts[slot] = key, numbers[i]
    for i in range(len(records)):
        missing = 0
        for v in range(attributes):
            if wildcard and records[i, v] < 0:
                missing |= 1 << v
        if missing:
            # All agree on these: a subset counts what it counts without them, which is a smaller number.
            for subset in range(profiles.shape[1] - 1, -1, -1):
                profiles[i, subset] = profiles[i, subset & ~missing]
        # From agreement on at least a subset to agreement on exactly a pattern: Moebius inversion.
        bit = 1
        while bit < profiles.shape[1]:
            for begin in range(0, profiles.shape[1], 2 * bit):
                for pattern in range(begin, begin + bit):
                    profiles[i, pattern] -= profiles[i, pattern + bit]
            bit *= 2


class DistinctOriginals:
    """The distinct originals, by which profiles of records are counted."""

    def __init__(self, original: Table) -> None:
        self.wildcard = original.schema.na is MissingRule.WILDCARD
        widths = domains_of(original.schema).widths.tolist()
        classes = ordered_classes(original.codes)
        distinct, counts = original.codes[classes.first], classes.counts.astype(np.int32)
        partial = (distinct < 0).any(axis=1) & self.wildcard
        # Those that agree by equality alone come first.
        first = np.argsort(partial, kind="stable")
        self.records, self.numbers = np.ascontiguousarray(distinct[first]), counts[first]
        self.columns = np.ascontiguousarray(self.records.T)
        self.complete = int((~partial).sum())
        self.possible = prod(widths)
        strides = [prod(widths[v + 1 :]) for v in range(len(widths))] if self.possible < 1 << 63 else []
        self.strides = np.array(strides, dtype=np.int64)

    def profiles_of(self, records: Codes) -> Counts:
        """Return the profiles of records, shape (k, 2**V): by subsets or by pairs, whatever costs less."""
        k, attributes = records.shape
        begin, by_subsets = 0, LOOKING_UP * (k + self.complete) * (1 << attributes)
        if len(self.strides) and by_subsets < COMPARING * k * self.complete:
            begin = self.complete
            profiles = np.empty((k, 1 << attributes), dtype=np.int32)
            complete = self.records[:begin], self.numbers[:begin]
            count_by_subsets(records, *complete, self.strides, self.wildcard, profiles)
        else:
            profiles = np.zeros((k, 1 << attributes), dtype=np.int32)
        if begin < len(self.numbers):
            columns = np.ascontiguousarray(self.columns[:, begin:])
            add_by_pairs(records, columns, self.numbers[begin:], self.wildcard, profiles)
        return profiles


@njit(cache=True)
def place_of(record: Codes, slots: Counts, records: Codes) -> int:
    """Return the place of a record among those that are kept; where it is not, its slot less the number of slots."""
    total, last = np.int64(0), len(slots) - 1
    for v in range(len(record)):
        total = ((total ^ (record[v] + 1)) * MULTIPLIER) & MASK
    slot = (total ^ total >> 15) & last
    while slots[slot] >= 0:
        place, same = slots[slot], True
        for v in range(len(record)):
            same = same and records[place, v] == record[v]
        if same:
            return int(place)
        slot = (slot + 1) & last
    return int(slot - len(slots))


@njit(cache=True)
def places_of(codes: Codes, slots: Counts, records: Codes) -> Counts:
    """Return the place of each record, negative where it is not known."""
    places = np.empty(len(codes), np.int32)
    for i in range(len(codes)):
        places[i] = place_of(codes[i], slots, records)
    return places


@njit(cache=True)
def enter(codes: Codes, counted: Counts, slots: Counts, records: Codes, profiles: Counts, used: Integers) -> bool:
    """Keep the profiles of records that are not known yet; False where there is no room for all of them."""
    for i in range(len(codes)):
        place = place_of(codes[i], slots, records)
        if place < 0:
            if used[0] == len(records):
                return False
            for v in range(codes.shape[1]):
                records[used[0], v] = codes[i, v]
            for pattern in range(counted.shape[1]):
                profiles[used[0], pattern] = counted[i, pattern]
            slots[place + len(slots)] = used[0]
            used[0] += 1
    return True


class Profiles:
    """Distinct records and their profiles: a hash table that grows until it is full, and is then replaced."""

    # A place never changes its record, so trackers that refer to places go on with the table that they have.
    # Shapes: slots (2**b,): place of the record that hashed there, -1 where there is none; records (capacity, V);
    # counts (capacity, 2**V): profiles; used (1,): number of records known; they take the first places.

    def __init__(self, capacity: int, attributes: int) -> None:
        self.slots = np.full(1 << (2 * capacity - 1).bit_length(), -1, dtype=np.int32)
        self.records = np.empty((capacity, attributes), dtype=np.int32)
        self.counts = np.empty((capacity, 1 << attributes), dtype=np.int32)
        self.used = np.zeros(1, dtype=np.int64)

    @classmethod
    def for_file(cls, n: int, originals: DistinctOriginals) -> "Profiles":
        """Return an empty table for files of n records; where all possible records fit they are kept."""
        attributes = originals.records.shape[1]
        wanted = max(BY_RECORD * n, min(originals.possible, SMALL >> attributes))
        return cls(max(1, min(MEMORY >> attributes, wanted)), attributes)

    def places_of(self, codes: Codes, originals: DistinctOriginals) -> Counts | None:
        """Return the place of each record, those that are not known being counted; None where they do not fit."""
        places = places_of(codes, self.slots, self.records)
        unknown = np.flatnonzero(places < 0)
        if unknown.size == 0:
            return places
        records = codes[unknown]
        if len(records) > 1:
            records = records[ordered_classes(records).first]
        if self.used[0] + len(records) > len(self.records):
            return None
        # Counted first and entered at once, so that an interrupted call or another thread leaves nothing half done.
        if not enter(records, originals.profiles_of(records), self.slots, self.records, self.counts, self.used):
            return None
        return places_of(codes, self.slots, self.records)
