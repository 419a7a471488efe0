"""Kernels on frequency sets: classes as packed keys with counts, rolled up to coarser levels.

A class is the set of records with the same generalised values. Its key packs the value of each attribute at its level
into bit fields of one or more 64-bit words.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Counts = NDArray[np.int32]
Sensitive = NDArray[np.int32]


@njit(cache=True)
def rolled_up(
    keys: Keys,
    counts: Counts,
    sensitive: Sensitive,
    word: NDArray[np.int64],
    shift: NDArray[np.uint64],
    mask: NDArray[np.uint64],
    offset: NDArray[np.int64],
    parents: NDArray[np.uint64],
) -> tuple[Keys, Counts, Sensitive]:
    """Return a frequency set with some attributes at coarser levels, its classes in the order of first appearance."""
    # Keys (m, W), counts (m,), sensitive (m, S); word, shift, mask: where the fields of the q attributes lie that
    # change; offset (q,): where their parts of parents begin, the new code by the old one.
    m, words = keys.shape
    values = sensitive.shape[1]
    capacity = 16
    while capacity < 2 * m:
        capacity *= 2
    table = np.full(capacity, -1, np.int32)
    merged = np.empty((m, words), np.uint64)
    sizes = np.empty(m, np.int32)
    spread = np.empty((m, values), np.int32)
    key = np.empty(words, np.uint64)
    last = capacity - 1
    found = 0
    for i in range(m):
        for w in range(words):
            key[w] = keys[i, w]
        for a in range(word.size):
            w = word[a]
            code = np.int64((key[w] >> shift[a]) & mask[a])
            key[w] = (key[w] & ~(mask[a] << shift[a])) | (parents[offset[a] + code] << shift[a])
        mixed = np.uint64(0)
        for w in range(words):
            mixed = (mixed ^ key[w]) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        place = np.int64(mixed >> np.uint64(20)) & last
        while True:
            t = table[place]
            if t < 0:
                table[place] = found
                for w in range(words):
                    merged[found, w] = key[w]
                sizes[found] = counts[i]
                for s in range(values):
                    spread[found, s] = sensitive[i, s]
                found += 1
                break
            same = True
            for w in range(words):
                if merged[t, w] != key[w]:
                    same = False
                    break
            if same:
                sizes[t] += counts[i]
                for s in range(values):
                    spread[t, s] += sensitive[i, s]
                break
            place = (place + 1) & last
    return merged[:found].copy(), sizes[:found].copy(), spread[:found].copy()


class WordFields(NamedTuple):
    """Where the attributes lie in keys of one word, and what they become."""

    shift: NDArray[np.uint64]  # shape (V,)
    mask: NDArray[np.uint64]
    offset: NDArray[np.int64]  # shape (V,); where the attribute's part of `parents` begins
    parents: NDArray[np.uint64]  # new code by old code


def hash_table(m: int) -> NDArray[np.uint32]:
    """Return a hash table for m keys: an eighth of it is used at most."""
    return np.empty(1 << max((8 * m - 1).bit_length(), 4), np.uint32)


@njit(cache=True)
def merged_classes(
    keys: NDArray[np.uint64],
    counts: Counts,
    m: int,
    moved: NDArray[np.int64],
    fields: WordFields,
    merged: NDArray[np.uint64],
    sizes: Counts,
    table: NDArray[np.uint32],
) -> int:
    """Write the first m classes with `moved` attributes at coarser levels; return how many there are."""
    # As `rolled_up` where keys are one word and no sensitive values are counted, several times faster. `merged` and
    # `sizes` may be `keys` and `counts` themselves; `table` is a `hash_table` and overwritten.
    bits = 4
    while (1 << bits) < 8 * m:
        bits += 1
    last = (1 << bits) - 1
    down = np.uint64(64 - bits)
    table[: last + 1] = 0
    source = keys
    for a in moved:
        at, field, begin = fields.shift[a], fields.mask[a], fields.offset[a]
        rest = ~(field << at)
        for i in range(m):
            key = source[i]
            merged[i] = (key & rest) | (fields.parents[begin + np.int64((key >> at) & field)] << at)
        source = merged
    found = 0
    for i in range(m):
        key = merged[i]
        count = counts[i]
        place = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> down)
        # Whether a key is new cannot be foretold, so that is no branch; a collision is rare.
        entry = np.int64(table[place])
        new = entry == 0
        position = found if new else entry - 1
        while not (new or merged[position] == key):
            place = (place + 1) & last
            entry = np.int64(table[place])
            new = entry == 0
            position = found if new else entry - 1
        table[place] = position + 1
        merged[position] = key
        sizes[position] = count + (0 if new else sizes[position])
        found += new
    return found


def packed(codes: NDArray[Any], word: NDArray[np.int64], shift: NDArray[np.uint64], words: int) -> Keys:
    """Return the keys of records, shape (n, words), from their codes, shape (n, V)."""
    keys = np.zeros((codes.shape[0], words), dtype=np.uint64)
    for j in range(codes.shape[1]):
        keys[:, word[j]] |= codes[:, j].astype(np.uint64) << shift[j]
    return keys
