"""The credits of many children of one parent by the weights of agreement patterns, with nothing copied for any."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import EvaluationError
from evosdc.kernel import inner_kernel, kernel
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers, SmallCounts
from evosdc_measures.linkage.agreement import pattern_of
from evosdc_measures.linkage.estimate_memory import EstimateMemory, remembered_weights
from evosdc_measures.linkage.pattern_linkage import Links, expected_matches, settled_patterns, stay
from evosdc_measures.linkage.pattern_order import best_at, descending, ranks_of
from evosdc_measures.linkage.profile_cache import ProfileCache, known_places, place_of, places_of
from evosdc_measures.linkage.profiles import Originals

ATTEMPTS = 3
"""How often records are entered into the memory of profiles that forgets some of them before all are there."""


def credits_of_children(
    original: Codes,
    parent: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    originals: Originals,
    memory: ProfileCache,
    known: bool,
    estimates: EstimateMemory,
    links: Links,
) -> NDArray[np.float64]:
    """Return the sum of all records' credits for each child, as `follow_records` leads to it.

    Parameters
    ----------
    original, parent : ndarray of int32, shape (n, V)
    before, after : ndarray of int32, shape (m, V)
        The changed records alone, child by child.
    rows : ndarray of intp, shape (m,)
    ends : ndarray of int64, shape (k,)
        Where each child's records end.
    originals, memory, known, estimates
        As of `follow_records`.
    links : Links
        Of the parent; changed, and changed back.

    Raises
    ------
    EvaluationError
        The memory of profiles does not hold all records at once.
    """
    asked = np.concatenate([before, after])
    every = np.arange(len(asked))
    places = np.empty(len(asked), np.int32)
    for _ in range(ATTEMPTS):
        if known_places(asked, every, memory, places):
            credits = _credits(
                original, parent, after, rows, ends, places, originals.wildcard, known, *memory, *links, *estimates
            )
            if not len(credits) or credits[0] >= 0.0:
                return credits
            # Records of the parent are linked anew whose profiles have been forgotten.
            asked = np.concatenate([asked, np.unique(parent, axis=0)])
            every, places = np.arange(len(asked)), np.empty(len(asked), np.int32)
        for begin in range(0, len(every), memory.batch):
            places_of(asked, every[begin : begin + memory.batch], originals, memory)
    raise EvaluationError("measure prl: the changed records are too many for the memory of profiles")


@kernel
def _credits(
    original: Codes,
    parent: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    places: Counts,
    wildcard: bool,
    known: bool,
    *arrays: Any,
) -> NDArray[np.float64]:
    """Return the credits of all children; a negative one first where a profile is not remembered.

    `places` are those of the changed records before, and then of those after the change. The arrays are those of
    `ProfileCache`, `Links` and `EstimateMemory`: to hand them over as three would take longer.
    """
    memory, links = ProfileCache(*arrays[:7]), Links(*arrays[7:13])
    profiles, ties, sizes = memory.profiles, links.ties, links.sizes
    n, attributes = original.shape
    patterns, changed = len(links.pairs), len(rows)
    moved, begin = np.empty((len(ends), patterns), np.int64), 0
    for child in range(len(ends)):
        for pattern in range(patterns):
            moved[child, pattern] = links.pairs[pattern]
        for i in range(begin, ends[child]):
            for pattern in range(patterns):
                moved[child, pattern] += profiles[places[changed + i], pattern] - profiles[places[i], pattern]
        begin = ends[child]
    weights = remembered_weights(moved, attributes, n, known, *arrays[13:])
    found = np.empty(len(ends))
    # Records whose ties are others in a child, and these ties.
    whose, others = np.empty(n, np.int64), np.empty(n, np.int64)
    own = np.zeros(n, np.bool_)
    begin = 0
    for child in range(len(ends)):
        order = descending(weights[child])
        ranks = ranks_of(weights[child], order)
        _, settled = settled_patterns(links.ranks, ranks, order)
        count = 0
        for i in range(begin, ends[child]):
            whose[count] = rows[i]
            place = places[changed + i]
            others[count] = _tie_of(original, rows[i], after, i, profiles, place, wildcard, order, ranks)
            count += 1
        if not stay(settled, links.held):
            for i in range(begin, ends[child]):
                own[rows[i]] = True
            for row in range(n):
                if settled[links.best[row]] or own[row]:
                    continue
                place = place_of(parent, row, memory.factors, memory.shift, memory.slots, memory.records)
                if place < 0:
                    found[0] = -1.0
                    return found
                whose[count] = row
                others[count] = _tie_of(original, row, parent, row, profiles, place, wildcard, order, ranks)
                count += 1
            for i in range(begin, ends[child]):
                own[rows[i]] = False
        found[child] = _with_ties(whose, others, count, ties, sizes)
        begin = ends[child]
    return found


@inner_kernel
def _tie_of(
    original: Codes,
    row: int,
    masked: Codes,
    position: int,
    profiles: Counts,
    place: int,
    wildcard: bool,
    order: Integers,
    ranks: Counts,
) -> int:
    """Return how many originals are linked to a masked record, whose profile is at a place; 0 if not its own one."""
    rank, tied = best_at(profiles, place, order, ranks)
    return tied if ranks[pattern_of(masked, position, original, row, wildcard)] == rank else 0


@inner_kernel
def _with_ties(whose: Integers, others: Integers, count: int, ties: SmallCounts, sizes: SmallCounts) -> float:
    """Return the sum of all records' credits where some records have other ties; sizes are changed and changed back."""
    for i in range(count):
        sizes[ties[whose[i]]] -= 1
        sizes[others[i]] += 1
    credit = expected_matches(sizes)
    for i in range(count):
        sizes[ties[whose[i]]] += 1
        sizes[others[i]] -= 1
    return credit
