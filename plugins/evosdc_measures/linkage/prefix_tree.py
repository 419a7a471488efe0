"""A prefix tree of distinct records, in which those nearest to a record are found.

Records that share their first categories share a path, so the cost of a common beginning is summed once. A whole branch
is left as soon as its cost exceeds the best known. Costs are integers; ties are exact.
"""

from math import prod
from typing import NamedTuple

import numpy as np

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers


class PrefixTree(NamedTuple):
    """Distinct records as a tree with one level an attribute."""

    order: Integers  # (V,): Attribute of each level
    roots: int  # number of nodes of the first level, which come first
    # (N, 3): Code, first child and end of the children; at the last level code, number of records and position of one
    # of them in the file.
    nodes: Counts


def tree_of(codes: Codes) -> PrefixTree:
    """Build the tree of a file's records, shape (n, V); O(n V log n)."""
    n, attributes = codes.shape
    # Few branches first: a long common beginning is summed once for many records.
    order = np.argsort([len(np.unique(codes[:, v])) for v in range(attributes)], kind="stable").astype(np.int64)
    positions = in_order(codes[:, order])
    records = codes[positions][:, order]
    # A row begins a new node at a level if it differs from the row above there or further up.
    begins = np.ones((n, attributes), dtype=bool)
    begins[1:] = np.logical_or.accumulate(records[1:] != records[:-1], axis=1)
    levels = [np.flatnonzero(begins[:, level]) for level in range(attributes)]
    starts = np.concatenate(([0], np.cumsum([len(level) for level in levels])))
    parts = []
    for level, rows in enumerate(levels):
        nodes = np.empty((len(rows), 3), dtype=np.int32)
        nodes[:, 0] = records[rows, level]
        if level + 1 < attributes:
            nodes[:, 1] = starts[level + 1] + np.searchsorted(levels[level + 1], rows)
            nodes[:-1, 2] = nodes[1:, 1]
            nodes[-1, 2] = starts[level + 2]
        else:
            nodes[:, 1] = np.diff(rows, append=n)
            nodes[:, 2] = positions[rows]
        parts.append(nodes)
    return PrefixTree(order, len(levels[0]), np.concatenate(parts))


def in_order(codes: Codes) -> Integers:
    """Return the positions of records in lexicographic order, equal ones as they are."""
    # Where records and their positions can be numbered in 64 bits, numbers are sorted instead of rows: the same order
    # in a fifth of the time.
    n, attributes = codes.shape
    least = codes.min(axis=0, initial=0).astype(np.int64)
    widths = codes.max(axis=0, initial=0).astype(np.int64) - least + 1
    if prod(map(int, widths)) * max(n, 1) >= 1 << 63:
        return np.lexsort(codes.T[::-1])
    numbers = np.zeros(n, dtype=np.int64)
    for v in range(attributes):
        numbers *= widths[v]
        numbers += codes[:, v] - least[v]
    numbers *= n
    numbers += np.arange(n)
    numbers.sort()
    numbers %= max(n, 1)
    return numbers
