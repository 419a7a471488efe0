"""Linking masked records to originals by the weights of their agreement patterns, with a state that follows changes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers, SmallCounts
from evosdc_measures.linkage.agreement import patterns_of
from evosdc_measures.linkage.estimate_memory import EstimateMemory, remembered_weights
from evosdc_measures.linkage.pattern_order import best_of, descending, estimated_weights, ranks_of
from evosdc_measures.linkage.profile_cache import ProfileCache, known_places, places_of
from evosdc_measures.linkage.profiles import Originals

FEW_ATTRIBUTES = 6
"""Attributes up to which all is tried in one compiled call, since calls then cost more than work."""


class Links(NamedTuple):
    """How masked records are linked; kernels change the arrays.

    Parameters
    ----------
    pairs : ndarray of int64, shape (2**V,)
        Pairs of a masked and an original record, by pattern.
    ranks : ndarray of int32, shape (2**V,)
        Ranks of the patterns by weight.
    best : ndarray of uint16, shape (n,)
        For each masked record the lowest of the tied patterns of greatest weight.
    held : ndarray of int64, shape (2**V,)
        Number of masked records by that pattern.
    ties : ndarray, shape (n,)
        The number of originals of that weight, 0 if the record's own is not among them.
    sizes : ndarray, shape (n + 1,)
        Number of masked records by that number.
    """

    pairs: Integers
    ranks: Counts
    best: NDArray[np.uint16]
    held: Integers
    ties: SmallCounts
    sizes: SmallCounts


class Ranking(NamedTuple):
    """Patterns by weight: in descending order, the rank of each, and the lowest pattern of each rank."""

    order: Integers
    ranks: Counts
    names: NDArray[np.uint16]


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


@kernel
def settled_patterns(
    before: Counts, after: Counts, order: NDArray[np.int64]
) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
    """Return the lowest pattern of each rank, and for each pattern whether a record that it was best for is not moved.

    That is so where its tie is of the same patterns and all that stand above it now stood above it before: they do not
    occur among the pairs of such a record.
    """
    size = len(order)
    names, settled = np.empty(size, np.uint16), np.zeros(size, np.bool_)
    numbers = np.zeros(size, np.int64)
    for pattern in range(size):
        numbers[before[pattern]] += 1
    begin, lowliest = 0, -1
    while begin < size:
        end, lowest, former, deepest = begin, size, before[order[begin]], lowliest
        same = lowliest < former
        while end < size and after[order[end]] == after[order[begin]]:
            lowest = min(lowest, order[end])
            same = same and before[order[end]] == former
            deepest = max(deepest, before[order[end]])
            end += 1
        same = same and numbers[former] == end - begin
        names[after[order[begin]]] = lowest
        for position in range(begin, end):
            settled[order[position]] = same
        begin, lowliest = end, deepest
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
    ranking: Ranking,
    links: Links,
) -> None:
    """Set the best pattern and the tie of some rows, whose profiles are at the given places."""
    order, ranks, names = ranking
    best, held, ties, sizes = links.best, links.held, links.ties, links.sizes
    foremost, numbers = best_of(profiles, places, order, ranks)
    own = patterns_of(masked, original, rows, wildcard)
    for i in range(len(rows)):
        row, rank = rows[i], foremost[i]
        sizes[ties[row]] -= 1
        ties[row] = numbers[i] if ranks[own[i]] == rank else 0
        sizes[ties[row]] += 1
        held[best[row]] -= 1
        best[row] = names[rank]
        held[best[row]] += 1


@kernel
def stay(settled: NDArray[np.bool_], held: Integers) -> bool:
    """Whether all patterns that are the best of any record are settled."""
    stay = True
    for pattern in range(len(held)):
        stay = stay and (held[pattern] == 0 or settled[pattern])
    return stay


@kernel
def expected_matches(sizes: SmallCounts) -> float:
    """Return the sum over records of one in so many as are tied, from the number of records by size of tie."""
    credit, left, size = 0.0, len(sizes) - 1 - sizes[0], 0
    while left > 0:
        size += 1
        if sizes[size] > 0:
            credit += sizes[size] / size
            left -= sizes[size]
    return credit


@kernel
def _follow_known(
    original: Codes, before: Codes, after: Codes, rows: Rows, wildcard: bool, known: bool, *arrays: Any
) -> float:
    """Follow changed rows as `follow_records` does; where a profile is not remembered change nothing and return -1.

    The arrays are those of `ProfileCache`, `Links` and `EstimateMemory`: to hand them over as three would take longer.
    """
    memory, links = ProfileCache(*arrays[:7]), Links(*arrays[7:13])
    profiles, pairs, ranks, best = memory.profiles, links.pairs, links.ranks, links.best
    moved = pairs.copy()
    places = np.empty(len(rows), np.int32)
    for codes, sign in ((before, -1), (after, 1)):
        if not known_places(codes, rows, memory, places):
            return -1.0
        _add_pairs(places, profiles, sign, moved)
    counts = moved.reshape((1, len(moved)))
    weights = remembered_weights(counts, original.shape[1], len(original), known, *arrays[13:])[0]
    order = descending(weights)
    ranked = ranks_of(weights, order)
    names, settled = settled_patterns(ranks, ranked, order)
    anew = rows
    if not stay(settled, links.held):
        opened = np.zeros(len(original), np.bool_)
        opened[rows] = True
        for row in range(len(original)):
            opened[row] |= not settled[best[row]]
        anew = np.flatnonzero(opened)
        places = np.empty(len(anew), np.int32)
        if not known_places(after, anew, memory, places):
            return -1.0
    _link(original, after, anew, wildcard, places, profiles, Ranking(order, ranked, names), links)
    for pattern in range(len(pairs)):
        pairs[pattern] = moved[pattern]
        ranks[pattern] = ranked[pattern]
    return expected_matches(links.sizes)


def follow_records(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    originals: Originals,
    memory: ProfileCache,
    known: bool,
    estimates: EstimateMemory,
    links: Links,
) -> float:
    """Follow changed rows in counts of pairs and in links, and return the sum of all records' credits.

    Parameters
    ----------
    original, before, after, rows, fresh
        As in `follow_content`.
    originals, memory
        Distinct originals, and the profiles that are remembered.
    known : bool
        Whether the share of matches is known.
    estimates : EstimateMemory
    links : Links
        Changed.
    """
    pairs, ranks, best, held, _, sizes = links
    n, attributes = original.shape
    if not fresh and attributes <= FEW_ATTRIBUTES:
        credit = _follow_known(original, before, after, rows, originals.wildcard, known, *memory, *links, *estimates)
        if credit >= 0.0:
            return credit
    for codes, sign in ((after, 1),) if fresh else ((before, -1), (after, 1)):
        for begin in range(0, len(rows), memory.batch):
            places = places_of(codes, rows[begin : begin + memory.batch], originals, memory)
            _add_pairs(places, memory.profiles, sign, pairs)
    weights = remembered_weights(pairs[None], attributes, n, known, *estimates)[0]
    order = descending(weights)
    ranked = ranks_of(weights, order)
    names, settled = settled_patterns(ranks, ranked, order)
    ranking = Ranking(order, ranked, names)
    for pattern in range(len(ranks)):
        ranks[pattern] = ranked[pattern]
    # Besides the changed records, those are linked anew whose tie has changed or has been overtaken.
    anew = rows
    if not fresh and not stay(settled, held):
        opened = ~settled[best]
        opened[rows] = True
        anew = np.flatnonzero(opened)
    for begin in range(0, len(anew), memory.batch):
        part = anew[begin : begin + memory.batch]
        places = places_of(after, part, originals, memory)
        _link(original, after, part, originals.wildcard, places, memory.profiles, ranking, links)
    return expected_matches(sizes)
