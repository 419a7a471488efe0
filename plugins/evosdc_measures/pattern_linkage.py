"""Linking masked records to originals by the weights of their agreement patterns, with a state that follows changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evosdc.data.table import Codes, Rows
from evosdc.kernel import kernel
from evosdc_measures.agreement import add_profile, pattern_of
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.fellegi_sunter import SAME_WEIGHT, estimate, weights_of
from evosdc_measures.memo import place_of


@kernel
def _ranked(counts: Integers, attributes: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the patterns by descending weight, and the rank of each, equal for equal weights."""
    m, u, _ = estimate(counts, attributes, n)
    weights = weights_of(m, u)
    order = np.argsort(-weights)
    ranks = np.zeros(len(order), np.int64)
    for position in range(1, len(order)):
        above, below = order[position - 1], order[position]
        ranks[below] = ranks[above] + (1 if weights[above] - weights[below] > SAME_WEIGHT else 0)
    return order, ranks


@kernel
def _best(profile: Counts, order: NDArray[np.int64], ranks: NDArray[np.int64]) -> tuple[int, int]:
    """Return the rank of the best pattern that occurs, and how many originals have a pattern of that rank."""
    position = 0
    while profile[order[position]] == 0:
        position += 1
    rank, tied = ranks[order[position]], 0
    while position < len(order) and ranks[order[position]] == rank:
        tied += profile[order[position]]
        position += 1
    return rank, tied


@kernel
def follow_content(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    wildcard: bool,
    strides: Integers,
    profiles: Counts,
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
    counts : ndarray of int32, shape (contents, 2**V)
        Masked records by content and pattern of agreement with their own originals; changed.
    """
    n, attributes = original.shape
    contents, patterns = profiles.shape
    for row in rows:
        for entering in range(1 if fresh else 0, 2):
            record = after[row] if entering else before[row]
            content = 0
            for v in range(attributes):
                content += (record[v] + 1) * strides[v]
            counts[content, pattern_of(record, original[row], wildcard)] += 1 if entering else -1
    pairs = np.zeros(patterns, np.int64)
    present = np.zeros(contents, np.int64)
    for content in range(contents):
        for pattern in range(patterns):
            present[content] += counts[content, pattern]
        if present[content] > 0:
            for pattern in range(patterns):
                pairs[pattern] += present[content] * profiles[content, pattern]
    order, ranks = _ranked(pairs, attributes, n)
    credit = 0.0
    for content in range(contents):
        if present[content] > 0:
            rank, tied = _best(profiles[content], order, ranks)
            linked = 0
            for pattern in range(patterns):
                if ranks[pattern] == rank:
                    linked += counts[content, pattern]
            credit += linked / tied
    return credit


@kernel
def _remembered(
    record: Codes,
    wildcard: bool,
    columns: Codes,
    numbers: Counts,
    factors: Integers,
    shift: int,
    records: Counts,
    profiles: Counts,
    scratch: NDArray[np.uint16],
) -> Counts:
    """Return a record's profile, computed unless it is remembered."""
    place, known = place_of(record, factors, shift, records)
    profile: Counts = profiles[place]
    if not known:
        profile[:] = 0
        add_profile(record, columns, numbers, wildcard, scratch, profile)
    return profile


@kernel
def follow_records(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    wildcard: bool,
    columns: Codes,
    numbers: Counts,
    factors: Integers,
    shift: int,
    records: Counts,
    profiles: Counts,
    pairs: Integers,
    ranks: Counts,
    ties: Counts,
) -> float:
    """Follow changed rows in counts of pairs and of ties, and return the sum of all records' credits.

    Parameters
    ----------
    original, before, after, rows, fresh, wildcard
        As in `follow_content`.
    columns, numbers
        Distinct originals and how many of each there are; see `add_profile`.
    factors, shift, records, profiles
        Profiles that are remembered; see `Memo`.
    pairs : ndarray of int64, shape (2**V,)
        Pairs of a masked and an original record by pattern; changed.
    ranks : ndarray of int32, shape (2**V,)
        Rank of each pattern by weight; changed.
    ties : ndarray of int32, shape (n + 1,)
        Masked records whose own original is among those of greatest weight, by the number of these; changed.
    """
    n, attributes = original.shape
    scratch = np.empty(len(numbers), np.uint16)
    for row in rows:
        for entering in range(1 if fresh else 0, 2):
            record = after[row] if entering else before[row]
            profile = _remembered(record, wildcard, columns, numbers, factors, shift, records, profiles, scratch)
            sign = 1 if entering else -1
            for pattern in range(len(pairs)):
                pairs[pattern] += sign * profile[pattern]
    order, ranked = _ranked(pairs, attributes, n)
    anew = fresh
    for pattern in range(len(pairs)):
        anew = anew or ranks[pattern] != ranked[pattern]
        ranks[pattern] = ranked[pattern]
    if anew:
        ties[:] = 0
    for position in range(n if anew else len(rows)):
        row = position if anew else rows[position]
        for entering in range(1 if anew else 0, 2):
            record = after[row] if entering else before[row]
            profile = _remembered(record, wildcard, columns, numbers, factors, shift, records, profiles, scratch)
            rank, tied = _best(profile, order, ranked)
            if ranked[pattern_of(record, original[row], wildcard)] == rank:
                ties[tied] += 1 if entering else -1
    credit = 0.0
    for size in range(1, len(ties)):
        if ties[size] > 0:
            credit += ties[size] / size
    return credit
