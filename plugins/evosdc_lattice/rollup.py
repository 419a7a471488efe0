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

CLASSES, KEPT, SUPPRESSED, SQUARES, KEPT_SQUARES = range(5)
"""Positions in the summary of a node: classes, those kept, records suppressed, sum of squared sizes of all and kept."""


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
    """Return a frequency set with some attributes at coarser levels.

    Parameters
    ----------
    keys : ndarray of uint64, shape (m, W)
    counts : ndarray of int32, shape (m,)
    sensitive : ndarray of int32, shape (m, S)
        Records of each class by sensitive value; S may be 0.
    word, shift, mask, offset : ndarray, shape (q,)
        For each of the q attributes that change: where its field lies, and where its part of `parents` begins.
    parents : ndarray of uint64
        New code by old code, attribute after attribute.

    Returns
    -------
    keys, counts, sensitive
        Of the merged classes, in the order of first appearance.
    """
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
    """Where the attributes lie in keys of one word, and what they become: by attribute but for `parents`.

    Parameters
    ----------
    shift, mask : ndarray of uint64, shape (V,)
    offset : ndarray of int64, shape (V,)
        Where the attribute's part of `parents` begins.
    parents : ndarray of uint64
        New code by old code.
    """

    shift: NDArray[np.uint64]
    mask: NDArray[np.uint64]
    offset: NDArray[np.int64]
    parents: NDArray[np.uint64]


def rolled_up_words(
    keys: NDArray[np.uint64],
    counts: Counts,
    moved: NDArray[np.int64],
    fields: WordFields,
) -> tuple[NDArray[np.uint64], Counts]:
    """Return a frequency set whose keys are single words, without sensitive values, at coarser levels.

    As `rolled_up`, several times faster.
    """
    m = keys.size
    merged, sizes = np.empty(m, np.uint64), np.empty(m, np.int32)
    keys = np.ascontiguousarray(keys)
    found = merged_classes(keys, counts, m, moved, fields, merged, sizes, np.empty(1 << table_bits(m), np.uint32))
    return merged[:found].copy(), sizes[:found].copy()


def table_bits(m: int) -> int:
    """Return the base-2 logarithm of the capacity of a hash table for m keys: an eighth is used at most."""
    return max((8 * m - 1).bit_length(), 4)


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
    """Write the first m classes with some attributes at coarser levels; return how many there are.

    Parameters
    ----------
    moved : ndarray of int64, shape (q,)
        The attributes that change.
    fields : WordFields
    merged, sizes : ndarray, shape (m,) or more
        Written to; they may be `keys` and `counts` themselves.
    table : ndarray of uint32
        Of at least 2**`table_bits`(m) slots; overwritten.
    """
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


def summary(counts: Counts, failing: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return classes, kept classes, suppressed records, sum of squares of all and of kept classes; shape (5,)."""
    sizes, safe = counts.astype(np.int64), ~failing
    kept = sizes * safe
    classes, lost = np.count_nonzero(safe), sizes.sum() - kept.sum()
    return np.array([sizes.size, classes, lost, sizes @ sizes, kept @ kept], dtype=np.int64)


def k_summary(counts: Counts, k: int) -> NDArray[np.int64]:
    """Return the summary where the classes of fewer than k records fail; shape (5,)."""
    return summary(counts, counts < k)


def suppressed_codes(
    keys: Keys,
    counts: Counts,
    failing: NDArray[np.bool_],
    word: NDArray[np.int64],
    shift: NDArray[np.uint64],
    mask: NDArray[np.uint64],
    offset: NDArray[np.int64],
    size: int,
) -> NDArray[np.int64]:
    """Return how many suppressed records have each generalised value, attribute after attribute; shape (size,)."""
    result = np.zeros(size, np.int64)
    lost, records = keys[failing], counts[failing]
    for a in range(word.size):
        codes = ((lost[:, word[a]] >> shift[a]) & mask[a]).astype(np.int64)
        result += np.bincount(offset[a] + codes, records, size).astype(np.int64)
    return result


def absorbing_failures(sensitive: Sensitive, begin: int, end: int, least: int, failing: NDArray[np.bool_]) -> None:
    """Mark the classes with fewer than `least` distinct sensitive values among columns begin to end."""
    failing |= (sensitive[:, begin:end] > 0).sum(axis=1) < least


def empty_sensitive(m: int) -> Sensitive:
    """Return the table of no sensitive attribute, shape (m, 0)."""
    return np.empty((m, 0), dtype=np.int32)


def packed(codes: NDArray[Any], word: NDArray[np.int64], shift: NDArray[np.uint64], words: int) -> Keys:
    """Return the keys of records, shape (n, words), from their codes, shape (n, V)."""
    keys = np.zeros((codes.shape[0], words), dtype=np.uint64)
    for j in range(codes.shape[1]):
        keys[:, word[j]] |= codes[:, j].astype(np.uint64) << shift[j]
    return keys
