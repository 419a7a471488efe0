"""Distinct keys as a prefix tree, in which a missing value can stand for any: exact counts without comparing all pairs.

A key is looked up level by level. Where it has a value, the branches of that value and of a missing one are followed;
where it has none, all of them. Attributes with missing values lie deep, so the many complete keys meet few branches.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import MISSING, Codes, Numbers

Nodes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class WildcardTree:
    """A prefix tree over distinct keys.

    Parameters
    ----------
    order : ndarray of int64, shape (V,)
        The attribute that each level stands for.
    value : ndarray of int32, shape (nodes,)
        Code that a node stands for; level after level, children of a node side by side and in ascending order.
    child : ndarray of int32, shape (nodes + 1,)
        Children of node i are ``child[i]`` to ``child[i + 1] - 1``; leaves have none.
    key : ndarray of int32, shape (m,)
        Position of the key that each leaf stands for; leaves are the last m nodes.
    """

    order: NDArray[np.int64]
    value: Nodes
    child: Nodes
    key: Nodes


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


def matching_sums(
    tree: WildcardTree, counts: NDArray[np.int64], weights: Numbers, queries: Codes
) -> tuple[NDArray[np.int64], Numbers]:
    """Return how much of the tree each query matches, a missing value on either side matching anything.

    Parameters
    ----------
    tree : WildcardTree
    counts, weights : ndarray, shape (m,)
        What each key of the tree counts and weighs.
    queries : ndarray of int32, shape (q, V)

    Returns
    -------
    counts : ndarray of int64, shape (q,)
    weights : ndarray of float64, shape (q,)
        Summed in the order of the tree.
    """
    ordered = np.ascontiguousarray(queries[:, tree.order])
    return _sums(tree.value, tree.child, tree.key, counts, weights, ordered)


@njit(cache=True)
def matches(value: Nodes, child: Nodes, key: Nodes, query: Codes, stack: Nodes, depth: Nodes, found: Nodes) -> int:
    """Write the positions of the matching keys into `found`, and return how many there are.

    Parameters
    ----------
    query : ndarray of int32, shape (V,)
        In the tree's order of attributes.
    stack, depth : ndarray of int32, shape (nodes,)
        Room to work in.
    found : ndarray of int32, shape (m,)
    """
    leaves = value.size - key.size
    size = 1
    stack[0] = 0
    depth[0] = 0
    total = 0
    while size:
        size -= 1
        node, level = stack[size], depth[size]
        if node >= leaves:
            found[total] = key[node - leaves]
            total += 1
            continue
        low, high, wanted = child[node], child[node + 1], query[level]
        if wanted == -1:
            for other in range(high - 1, low - 1, -1):
                stack[size] = other
                depth[size] = level + 1
                size += 1
            continue
        end = high
        begin = low
        while begin < end:
            middle = (begin + end) // 2
            if value[middle] < wanted:
                begin = middle + 1
            else:
                end = middle
        if begin < high and value[begin] == wanted:
            stack[size] = begin
            depth[size] = level + 1
            size += 1
        if value[low] == -1:
            stack[size] = low
            depth[size] = level + 1
            size += 1
    return total


@njit(cache=True)
def _sums(
    value: Nodes, child: Nodes, key: Nodes, counts: NDArray[np.int64], weights: Numbers, queries: Codes
) -> tuple[NDArray[np.int64], Numbers]:
    number = np.zeros(queries.shape[0], np.int64)
    weight = np.zeros(queries.shape[0], np.float64)
    stack = np.empty(value.size, np.int32)
    depth = np.empty(value.size, np.int32)
    found = np.empty(counts.size, np.int32)
    for i in range(queries.shape[0]):
        for t in range(matches(value, child, key, queries[i], stack, depth, found)):
            number[i] += counts[found[t]]
            weight[i] += weights[found[t]]
    return number, weight
