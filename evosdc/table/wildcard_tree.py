"""Distinct keys as a prefix tree, in which a missing value can stand for any: exact counts without comparing all pairs.

A key is looked up level by level. Where it has a value, the branches of that value and of a missing one are followed;
where it has none, all of them. Attributes with missing values lie deep, so the many complete keys meet few branches.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import MISSING, Codes, Numbers

Nodes = NDArray[np.int32]
Positions = NDArray[np.int64]
ROOM = 1 << 18  # most pairs of matching keys held at a time, except those of a single key


@dataclass(frozen=True, eq=False)
class WildcardTree:
    """A prefix tree over distinct keys."""

    order: Positions  # shape (V,); the attribute that each level stands for
    # shape (nodes,); code that a node stands for; level after level, children of a node side by side and in ascending
    # order
    value: Nodes
    child: Nodes  # shape (nodes + 1,); children of node i are ``child[i]`` to ``child[i + 1] - 1``; leaves have none
    key: Nodes  # shape (m,); position of the key that each leaf stands for; leaves are the last m nodes


def prefix_tree(keys: Codes) -> WildcardTree:
    """Return the tree of distinct keys, shape (m, V) with m >= 1 and V >= 1."""
    missing = (keys == MISSING).sum(axis=0)
    order = np.lexsort((-keys.max(axis=0), missing)).astype(np.int64)
    columns = np.ascontiguousarray(keys[:, order])
    ranked = np.lexsort(columns.T[::-1])
    columns = columns[ranked]
    # A node of a level begins where the key differs from the one before in this level or one above.
    begins = np.ones(columns.shape, dtype=bool)
    begins[1:] = np.logical_or.accumulate(columns[1:] != columns[:-1], axis=1)
    values, children, total = [np.zeros(1, dtype=np.int32)], [], 1
    for level in range(columns.shape[1]):
        rows = np.flatnonzero(begins[:, level])
        above = np.flatnonzero(begins[:, level - 1]) if level else np.zeros(1, dtype=np.int64)
        children.append(total + np.searchsorted(rows, above))
        values.append(columns[rows, level])
        total += rows.size
    children.append(np.full(len(keys) + 1, total))
    child = np.concatenate(children).astype(np.int32)
    return WildcardTree(order, np.concatenate(values).astype(np.int32), child, ranked.astype(np.int32))


def matching_keys(tree: WildcardTree, queries: Codes) -> Iterator[tuple[int, int, Positions, Positions]]:
    """Yield which keys of the tree each query matches, a missing value on either side matching anything."""
    # queries (q, V); yields where some consecutive queries begin and end, and the pairs that match: which of these
    # queries, and the position of the key
    ordered = np.ascontiguousarray(queries[:, tree.order])
    found = np.empty(max(tree.key.size, min(ROOM, tree.key.size * len(queries))), dtype=np.int32)
    ends = np.zeros(len(queries), dtype=np.int64)
    begin = 0
    while begin < len(queries):
        end = int(_found(tree.value, tree.child, tree.key, ordered, begin, found, ends))
        sizes = np.diff(ends[begin:end], prepend=0)
        pairs = found[: ends[end - 1]].astype(np.int64)
        yield begin, end, np.repeat(np.arange(end - begin), sizes), pairs
        begin = end


def matching_sums(tree: WildcardTree, counts: Positions, weights: Numbers, queries: Codes) -> tuple[Positions, Numbers]:
    """Return how much of the tree each query matches, a missing value on either side matching anything."""
    # counts, weights (m,); queries (q, V); returns counts (q,); returns weights (q,)
    number, weight = np.zeros(len(queries), dtype=np.int64), np.zeros(len(queries))
    for begin, end, query, key in matching_keys(tree, queries):
        number[begin:end] = np.bincount(query, weights=counts[key], minlength=end - begin)
        weight[begin:end] = np.bincount(query, weights=weights[key], minlength=end - begin)
    return number, weight


@njit(cache=True)
def _found(value: Nodes, child: Nodes, key: Nodes, queries: Codes, begin: int, found: Nodes, ends: Positions) -> int:
    """Write the keys that queries match, from one on, and where those of each end; return the first without room."""
    # queries (q, V); found (r,); ends (q,)
    leaves = value.size - key.size
    stack, depth = np.empty(value.size, np.int32), np.empty(value.size, np.int32)
    total = 0
    for i in range(begin, len(queries)):
        if total + key.size > found.size:
            return i
        size = 1
        stack[0], depth[0] = 0, 0
        while size:
            size -= 1
            node, level = stack[size], depth[size]
            if node >= leaves:
                found[total] = key[node - leaves]
                total += 1
                continue
            low, high, wanted = child[node], child[node + 1], queries[i, level]
            if wanted == -1:
                for other in range(high - 1, low - 1, -1):
                    stack[size], depth[size] = other, level + 1
                    size += 1
                continue
            start, end = low, high
            while start < end:
                middle = (start + end) // 2
                if value[middle] < wanted:
                    start = middle + 1
                else:
                    end = middle
            if start < high and value[start] == wanted:
                stack[size], depth[size] = start, level + 1
                size += 1
            if value[low] == -1:
                stack[size], depth[size] = low, level + 1
                size += 1
        ends[i] = total
    return len(queries)
