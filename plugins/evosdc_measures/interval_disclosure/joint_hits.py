"""Hits of interval disclosure of categories, from joint counts of original and masked ones."""

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.joint import differs, shift_child, shift_counts


@njit(cache=True)
def follow_hits(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    widths: Integers,
    offsets: Integers,
    orders: Integers,
    percents: Integers,
    counts: Counts,
    hits: Integers,
) -> int:
    """Follow changed records, or count all where `fresh`, in counts and hits; return the sum of the hits.

    Parameters
    ----------
    original, before, after : ndarray of int32, shape (n, V)
        The whole files.
    rows : ndarray of intp, shape (m,)
        Records that may differ between `before` and `after`.
    fresh : bool
        Whether counts and hits are all zero yet.
    widths, offsets : ndarray of int64
        Of the joint counts (`evosdc_measures.joint.joint_layout_of`).
    orders : ndarray of int64, shape (sum of widths,)
        Of each attribute its digits (codes plus one) in order, missing first; 0 from the second on without an order.
    percents : ndarray of int64, shape (P,)
    counts : ndarray of int32
        Joint counts of original and masked categories; altered.
    hits : ndarray of int64, shape (V,)
        Over all percents, 0..n P each; altered.
    """
    shift_counts(original, before, after, rows, fresh, widths, offsets, counts)
    n, first, inside = len(original), 0, 0
    for v in range(len(hits)):
        width = widths[v]
        if width > 0 and (fresh or differs(before, after, rows, v)):
            table = counts[offsets[v] : offsets[v + 1]]
            hits[v] = _hits(n, width, orders[first : first + width], percents, table)
        first += width
        inside += hits[v]
    return inside


@njit(cache=True)
def hits_of_children(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    ends: Integers,
    widths: Integers,
    offsets: Integers,
    orders: Integers,
    percents: Integers,
    counts: Counts,
    hits: Integers,
) -> Integers:
    """Return the hits of each child over all attributes and percents, shape (k,), 0..n V P each.

    `before` and `after` hold the changed records alone, child by child, and `ends` says where those of each child end;
    the others are as of `follow_hits`. Counts are altered, and altered back.

    Of categories without an order only the same one is a hit, so that each changed cell says by itself what it adds.
    """
    n, attributes, begin = len(original), len(hits), 0
    found, changed = np.empty(len(ends), np.int64), np.zeros(attributes, np.bool_)
    firsts, ordered = np.zeros(attributes + 1, np.int64), np.zeros(attributes, np.bool_)
    for v in range(attributes):
        firsts[v + 1] = firsts[v] + widths[v]
        ordered[v] = widths[v] > 1 and orders[firsts[v] + 1] > 0
    margins, known = np.zeros(firsts[-1], np.int64), np.zeros(attributes, np.bool_)
    through = np.zeros(firsts[-1], np.int64)
    for child in range(len(ends)):
        changed[:] = False
        inside, several = 0, False
        for v in range(attributes):
            inside += hits[v]
        for i in range(begin, ends[child]):
            for v in range(attributes):
                was, now, own = before[i, v], after[i, v], original[rows[i], v]
                if was == now:
                    continue
                if not ordered[v]:
                    inside += len(percents) * ((1 if now == own else 0) - (1 if was == own else 0))
                    continue
                if not known[v]:
                    known[v] = True
                    for masked in range(widths[v]):
                        first = offsets[v] + masked * widths[v]
                        margins[firsts[v] + masked] = counts[first : first + widths[v]].sum()
                changed[v] = several = True
        if several:
            shift_child(original, before, after, rows, begin, ends[child], 1, widths, offsets, counts)
            for v in range(attributes):
                if changed[v]:
                    first, end = firsts[v], firsts[v + 1]
                    own_margins = margins[first:end]
                    for i in range(begin, ends[child]):
                        own_margins[before[i, v] + 1] -= 1
                        own_margins[after[i, v] + 1] += 1
                    table, order = counts[offsets[v] : offsets[v + 1]], orders[first:end]
                    inside += _ordered_hits(n, order, percents, table, own_margins, through[first:end]) - hits[v]
                    for i in range(begin, ends[child]):
                        own_margins[before[i, v] + 1] += 1
                        own_margins[after[i, v] + 1] -= 1
            shift_child(original, before, after, rows, begin, ends[child], -1, widths, offsets, counts)
        found[child] = inside
        begin = ends[child]
    return found


@njit(cache=True)
def _hits(n: int, width: int, order: Integers, percents: Integers, table: Counts) -> int:
    """Return the hits of one attribute, over all percents, from its joint counts."""
    inside = int(table[0]) * len(percents)
    if width > 1 and order[1] == 0:  # categories without an order
        for digit in range(1, width):
            inside += table[digit * width + digit] * len(percents)
        return inside
    margins = np.empty(width, np.int64)
    for masked in range(width):
        margins[masked] = table[masked * width : (masked + 1) * width].sum()
    return _ordered_hits(n, order, percents, table, margins, np.zeros(width, np.int64))


@njit(cache=True)
def _ordered_hits(
    n: int, order: Integers, percents: Integers, table: Counts, margins: Integers, through: Integers
) -> int:
    """Return the hits of an attribute whose categories have an order, from its joint counts and the masked ones.

    `through` is scratch of the same shape, whose first entry is 0.
    """
    width, inside = len(order), int(table[0]) * len(percents)
    for place in range(1, width):
        through[place] = through[place - 1] + margins[order[place]]
    for place in range(1, width):
        if through[place] == through[place - 1]:
            continue
        row = order[place] * width
        centre = 100 * (through[place - 1] + 1 + through[place])
        low = high = place
        near = table[row + order[place]]
        for percent in percents:  # ascending, so intervals only grow
            reach = 2 * percent * n
            while low > 1 and 200 * through[low - 1] >= centre - reach:
                low -= 1
                near += table[row + order[low]]
            while high < width - 1 and 200 * (through[high] + 1) <= centre + reach:
                high += 1
                near += table[row + order[high]]
            inside += near
    return inside
