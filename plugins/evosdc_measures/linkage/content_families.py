"""The credits of many children of one parent by counts of contents and patterns, with nothing copied for any."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.agreement import pattern_of
from evosdc_measures.linkage.estimate_memory import remembered_weights
from evosdc_measures.linkage.pattern_order import best_at, descending, ranks_of


@njit(cache=True)
def credits_by_content(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    wildcard: bool,
    strides: Integers,
    profiles: Counts,
    known: bool,
    counts: Counts,
    *estimates: Any,
) -> Numbers:
    """Return the sum of all records' credits for each child, as `follow_content` leads to it, shape (k,).

    Parameters
    ----------
    original : ndarray of int32, shape (n, V)
    before, after : ndarray of int32, shape (r, V)
        The changed records alone, child by child.
    rows : ndarray of intp, shape (r,)
    ends : ndarray of int64, shape (k,)
        Where each child's records end.
    wildcard, strides, profiles, known
        As of `evosdc_measures.linkage.pattern_linkage.follow_content`.
    counts : ndarray of int32, shape (contents, 2**V)
        Of the parent; changed, and changed back.
    *estimates
        The arrays of an `EstimateMemory`.
    """
    n, attributes = original.shape
    contents, patterns = profiles.shape
    left, entered = _contents_of(before, strides), _contents_of(after, strides)
    present = np.zeros(contents, np.int64)
    # Pairs by pattern of each child, and of the parent behind them.
    pairs = np.zeros((len(ends) + 1, patterns), np.int64)
    for content in range(contents):
        for pattern in range(patterns):
            present[content] += counts[content, pattern]
        for pattern in range(patterns):
            pairs[len(ends), pattern] += present[content] * profiles[content, pattern]
    begin = 0
    for child in range(len(ends)):
        moved = pairs[child]
        moved[:] = pairs[len(ends)]
        for i in range(begin, ends[child]):
            leaving, entering = profiles[left[i]], profiles[entered[i]]
            for pattern in range(patterns):
                moved[pattern] += entering[pattern] - leaving[pattern]
        begin = ends[child]
    weights = remembered_weights(pairs, attributes, n, known, *estimates)
    order = descending(weights[len(ends)])
    ranks = ranks_of(weights[len(ends)], order)
    terms = np.zeros(contents)
    for content in range(contents):
        terms[content] = _term(content, present, counts, profiles, order, ranks)
    found, own = np.empty(len(ends)), terms.copy()
    begin = 0
    for child in range(len(ends)):
        end = ends[child]
        for i in range(begin, end):
            masked = (
                pattern_of(after, i, original, rows[i], wildcard),
                pattern_of(before, i, original, rows[i], wildcard),
            )
            counts[entered[i], masked[0]] += 1
            counts[left[i], masked[1]] -= 1
            present[entered[i]] += 1
            present[left[i]] -= 1
        placed = descending(weights[child])
        ranked = ranks_of(weights[child], placed)
        if np.array_equal(ranked, ranks):
            own[:] = terms
            for i in range(begin, end):
                own[entered[i]] = _term(entered[i], present, counts, profiles, order, ranks)
                own[left[i]] = _term(left[i], present, counts, profiles, order, ranks)
        else:
            for content in range(contents):
                own[content] = _term(content, present, counts, profiles, placed, ranked)
        credit = 0.0
        for content in range(contents):
            credit += own[content]
        found[child] = credit
        for i in range(begin, end):
            masked = (
                pattern_of(after, i, original, rows[i], wildcard),
                pattern_of(before, i, original, rows[i], wildcard),
            )
            counts[entered[i], masked[0]] -= 1
            counts[left[i], masked[1]] += 1
            present[entered[i]] -= 1
            present[left[i]] += 1
        begin = end
    return found


@njit(cache=True)
def _contents_of(codes: Codes, strides: Integers) -> Integers:
    """Return the number of each record's content, shape (r,)."""
    contents = np.zeros(len(codes), np.int64)
    for i in range(len(codes)):
        for v in range(codes.shape[1]):
            contents[i] += (codes[i, v] + 1) * strides[v]
    return contents


@njit(cache=True)
def _term(
    content: int, present: Integers, counts: Counts, profiles: Counts, order: Integers, ranks: NDArray[np.int32]
) -> float:
    """Return the sum of the credits of all records of a content; 0 where there is none."""
    if present[content] == 0:
        return 0.0
    best, tied = best_at(profiles, content, order, ranks)
    linked = 0
    for pattern in range(profiles.shape[1]):
        if ranks[pattern] == best:
            linked += counts[content, pattern]
    return linked / tied
