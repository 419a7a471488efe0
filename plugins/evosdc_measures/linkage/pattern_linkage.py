"""Linking masked records to originals by the weights of their agreement patterns, by content of the records."""

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.agreement import patterns_of
from evosdc_measures.linkage.pattern_order import best_of, descending, estimated_weights, ranks_of


@njit(cache=True)
def follow_content(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    wildcard: bool,
    strides: Integers,
    profiles: Counts,
    known: bool,
    counts: Counts,
) -> float:
    """Follow changed rows in counts by content and pattern, and return the sum of all records' credits.

    Parameters
    ----------
    original, before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp, shape (m,)
    fresh : bool
        Rows are counted for the first time: `before` is not read.
    wildcard : bool
        Whether a missing value agrees with everything.
    strides : ndarray of int64, shape (V,)
        Factor of each attribute's digit in the number of a content.
    profiles : ndarray of int32, shape (contents, 2**V)
        Originals by content of the masked record and pattern.
    known : bool
        Whether the share of matches is known.
    counts : ndarray of int32, shape (contents, 2**V)
        Masked records by content and pattern of agreement with their own originals; changed.
    """
    n, attributes = original.shape
    contents, patterns = profiles.shape
    for entering in range(1 if fresh else 0, 2):
        codes = after if entering else before
        own = patterns_of(codes, original, rows, wildcard)
        for i in range(len(rows)):
            content = 0
            for v in range(attributes):
                content += (codes[rows[i], v] + 1) * strides[v]
            counts[content, own[i]] += 1 if entering else -1
    pairs = np.zeros(patterns, np.int64)
    present = np.zeros(contents, np.int64)
    for content in range(contents):
        for pattern in range(patterns):
            present[content] += counts[content, pattern]
        if present[content] > 0:
            for pattern in range(patterns):
                pairs[pattern] += present[content] * profiles[content, pattern]
    weights = estimated_weights(pairs, attributes, n, known)
    order = descending(weights)
    ranks = ranks_of(weights, order)
    published = np.flatnonzero(present)
    best, ties = best_of(profiles, published.astype(np.int32), order, ranks)
    credit = 0.0
    for i in range(len(published)):
        linked = 0
        for pattern in range(patterns):
            if ranks[pattern] == best[i]:
                linked += counts[published[i], pattern]
        credit += linked / ties[i]
    return credit
