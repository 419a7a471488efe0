"""Ties of all records of a long file of categories, looked up side by side.

Records are looked up in the order of the tree: those that are alike once, and the next ones along paths that the
processor's cache still holds, which halves the time. No memory is shared, so that threads need not wait for each other.
"""

import numpy as np
from numba import njit

from evosdc.processors import in_parts
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, SmallCounts
from evosdc_measures.linkage.prefix_tree import CategoryDistances, PrefixTree, in_order, nearest
from evosdc_measures.linkage.rivals import expected_matches


def count_ties(own: Codes, asked: Codes, tree: PrefixTree, distances: CategoryDistances, ties: SmallCounts) -> float:
    """Write how many records there are by the size of the tie their own is in, and return the sum of all credits.

    Parameters
    ----------
    own : ndarray of int32, shape (n, V)
        Each record's own one among those that are searched.
    asked : ndarray of int32, shape (n, V)
        The records that are looked up.
    tree : PrefixTree
        Of the records that are searched.
    distances : CategoryDistances
    ties : ndarray of unsigned integers, shape (n + 1,)
        Written; at 0 how many records are in any tie.
    """
    order = in_order(asked[:, tree.order])
    sizes = np.concatenate(in_parts(order, lambda part: _tie_sizes(own, asked, part, tree, distances)))
    counts = np.bincount(sizes, minlength=len(ties))
    counts[0] = len(sizes) - counts[0]
    ties[:] = counts
    return _credit(ties)


@njit(cache=True, nogil=True)
def _tie_sizes(own: Codes, asked: Codes, rows: Rows, tree: PrefixTree, distances: CategoryDistances) -> Counts:
    """Return for rows in order how many searched records are as near as their own one; 0 where another is nearer."""
    widths, offsets, flat = distances
    attributes = own.shape[1]
    sizes, paths = np.zeros(len(rows), np.int32), np.empty((4, attributes), np.int64)
    least, tied = -1, 0
    for i in range(len(rows)):
        row, distance, alike = rows[i], 0, i > 0
        for v in range(attributes):
            distance += flat[offsets[v] + (asked[row, v] + 1) * widths[v] + own[row, v] + 1]
            alike &= asked[row, v] == asked[rows[i - 1], v]
        if not alike:
            least, tied = nearest(asked[row], distance, tree, distances, paths)
        if least == distance:
            sizes[i] = tied
    return sizes


@njit(cache=True)
def _credit(ties: SmallCounts) -> float:
    return expected_matches(ties)
