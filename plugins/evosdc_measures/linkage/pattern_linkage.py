"""Linking masked records to originals by the weights of their agreement patterns, with a state that follows changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evosdc.data.table import Codes, Rows
from evosdc.kernel import kernel
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.agreement import pattern_of
from evosdc_measures.linkage.fellegi_sunter import SAME_WEIGHT, estimate, weights_of
from evosdc_measures.linkage.profiles import Memory, Originals, places_of


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
def _settled(
    before: Counts, after: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
    """Return the lowest pattern of each rank, and for each pattern whether nothing in or above its tie has changed.

    Where the patterns above a tie are the same ones, in whatever order, a record whose best pattern lies in it was
    linked to the same originals before.
    """
    size = len(order)
    names, settled = np.empty(size, np.uint16), np.zeros(size, np.bool_)
    # Number of patterns down to the end of each former tie, and in it.
    numbers = np.zeros(size + 1, np.int64)
    for pattern in range(size):
        numbers[before[pattern]] += 1
    through = np.cumsum(numbers)
    begin, reached = 0, 0
    while begin < size:
        end, lowest = begin, size
        same_above = reached == begin
        while end < size and after[order[end]] == after[order[begin]]:
            lowest = min(lowest, order[end])
            reached = max(reached, through[before[order[end]]])
            end += 1
        same = same_above and reached == end and numbers[before[order[begin]]] == end - begin
        names[after[order[begin]]] = lowest
        for position in range(begin, end):
            settled[order[position]] = same
        begin = end
    return names, settled


@kernel
def _add_pairs(places: Counts, profiles: Counts, sign: int, pairs: Integers) -> None:
    for place in places:
        for pattern in range(len(pairs)):
            pairs[pattern] += sign * profiles[place, pattern]


@kernel
def _link(
    original: Codes,
    masked: Codes,
    rows: Rows,
    wildcard: bool,
    places: Counts,
    profiles: Counts,
    order: NDArray[np.int64],
    ranks: NDArray[np.int64],
    names: NDArray[np.uint16],
    best: NDArray[np.uint16],
    ties: Counts,
) -> None:
    """Set the best pattern and the tie of some rows, whose profiles are at the given places."""
    for i in range(len(rows)):
        row = rows[i]
        rank, tied = _best(profiles[places[i]], order, ranks)
        own = pattern_of(masked[row], original[row], wildcard)
        ties[row] = tied if ranks[own] == rank else 0
        best[row] = names[rank]


@kernel
def _credit(ties: Counts) -> float:
    """Return the sum over records of one in so many as are tied."""
    numbers = np.zeros(ties.max() + 1, np.int64)
    for tied in ties:
        if tied > 0:
            numbers[tied] += 1
    credit = 0.0
    for size in range(1, len(numbers)):
        if numbers[size] > 0:
            credit += numbers[size] / size
    return credit


def follow_records(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    originals: Originals,
    memory: Memory,
    pairs: Integers,
    ranks: Counts,
    best: NDArray[np.uint16],
    ties: Counts,
) -> float:
    """Follow changed rows in counts of pairs and in links, and return the sum of all records' credits.

    Parameters
    ----------
    original, before, after, rows, fresh
        As in `follow_content`.
    originals, memory
        Distinct originals, and the profiles that are remembered.
    pairs : ndarray of int64, shape (2**V,)
        Pairs of a masked and an original record by pattern; changed.
    ranks : ndarray of int32, shape (2**V,)
        Rank of each pattern by weight; changed.
    best : ndarray of uint16, shape (n,)
        For each masked record, the lowest of the tied patterns of greatest weight; changed.
    ties : ndarray of int32, shape (n,)
        For each masked record, the number of originals of greatest weight, 0 if its own is not among them; changed.
    """
    n, attributes = original.shape
    for codes, sign in ((after, 1),) if fresh else ((before, -1), (after, 1)):
        for begin in range(0, len(rows), memory.batch):
            places = places_of(codes, rows[begin : begin + memory.batch], originals, memory)
            _add_pairs(places, memory.profiles, sign, pairs)
    order, ranked = _ranked(pairs, attributes, n)
    names, settled = _settled(ranks, ranked, order)
    ranks[:] = ranked
    # Besides the changed records, those are linked anew in or above whose tie patterns have changed places.
    anew = rows
    if not fresh and not settled.all():
        opened = ~settled[best]
        opened[rows] = True
        anew = np.flatnonzero(opened)
    for begin in range(0, len(anew), memory.batch):
        part = anew[begin : begin + memory.batch]
        places = places_of(after, part, originals, memory)
        _link(original, after, part, originals.wildcard, places, memory.profiles, order, ranked, names, best, ties)
    return _credit(ties)
