"""Earth mover's distances between the values of a class and those of the whole file, in time linear in the former."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers
from evosdc_privacy.sensitive_values import Spread, gathered


class Taxonomy(NamedTuple):
    """A hierarchy above sensitive values.

    Parameters
    ----------
    leaf : ndarray of int64, shape (s,)
        Node of each value.
    parent : ndarray of int64, shape (nodes,)
        Node above each node; -1 above the root.
    height : int
        Levels above the leaves; all leaves lie equally deep.
    """

    leaf: NDArray[np.int64]
    parent: NDArray[np.int64]
    height: int


@njit(cache=True)
def nominal_distances(spread: Spread) -> Numbers:
    """Return ``sum |p - q| / 2`` for each key, shape (m,): values are at distance 1 from each other."""
    m = spread.starts.size - 1
    n = spread.overall.sum()
    result = np.zeros(m, np.float64)
    room = np.zeros(spread.overall.size, np.int64)
    values = np.empty(spread.overall.size, np.int64)
    stack = np.empty(spread.value.size, np.int32)
    depth = np.empty(spread.value.size, np.int32)
    found = np.empty(m, np.int32)
    for i in range(m):
        size = gathered(spread, i, room, values, stack, depth, found)
        total = np.int64(0)
        for t in range(size):
            total += room[values[t]]
        excess = np.int64(0)  # what is too much in the class equals what is too little; in units of 1 / (n total)
        for t in range(size):
            excess += max(room[values[t]] * n - spread.overall[values[t]] * total, 0)
            room[values[t]] = 0
        result[i] = excess / (n * total)
    return result


@njit(cache=True)
def ordinal_distances(spread: Spread, below: Numbers, sums: Numbers) -> Numbers:
    """Return ``sum_i |P_i - Q_i| / (s - 1)`` for each key, shape (m,), P and Q the cumulative distributions.

    Between two values of a class P stays and Q rises, so the sum over that stretch follows from sums of Q.

    Parameters
    ----------
    below : ndarray of float64, shape (s,)
        Q.
    sums : ndarray of float64, shape (s + 1,)
        Sums of the first entries of Q.
    """
    m = spread.starts.size - 1
    s = spread.overall.size
    result = np.zeros(m, np.float64)
    room = np.zeros(s, np.int64)
    values = np.empty(s, np.int64)
    stack = np.empty(spread.value.size, np.int32)
    depth = np.empty(spread.value.size, np.int32)
    found = np.empty(m, np.int32)
    for i in range(m):
        size = gathered(spread, i, room, values, stack, depth, found)
        total = np.int64(0)
        for t in range(size):
            total += room[values[t]]
        moved = sums[values[0]]
        so_far = np.int64(0)
        for t in range(size):
            so_far += room[values[t]]
            room[values[t]] = 0
            reached = so_far / total
            begin = values[t]
            end = values[t + 1] if t + 1 < size else s
            middle = begin + np.searchsorted(below[begin:end], reached)
            moved += reached * (middle - begin) - (sums[middle] - sums[begin])
            moved += sums[end] - sums[middle] - reached * (end - middle)
        result[i] = min(max(moved / max(s - 1, 1), 0.0), 1.0)
    return result


@njit(cache=True)
def hierarchical_distances(spread: Spread, taxonomy: Taxonomy) -> Numbers:
    """Return ``sum over nodes (level / height) min(surplus, shortage of the children)`` for each key, shape (m,)."""
    m = spread.starts.size - 1
    nodes = taxonomy.parent.size
    n = spread.overall.sum()
    whole = np.zeros(nodes, np.int64)
    for value in range(spread.overall.size):
        node = taxonomy.leaf[value]
        while node >= 0:
            whole[node] += spread.overall[value]
            node = taxonomy.parent[node]
    result = np.zeros(m, np.float64)
    room = np.zeros(spread.overall.size, np.int64)
    values = np.empty(spread.overall.size, np.int64)
    stack = np.empty(spread.value.size, np.int32)
    depth = np.empty(spread.value.size, np.int32)
    found = np.empty(m, np.int32)
    mass = np.zeros(nodes, np.int64)
    surplus = np.zeros(nodes, np.int64)
    current = np.empty(nodes, np.int64)
    above = np.empty(nodes, np.int64)
    for i in range(m):
        size = gathered(spread, i, room, values, stack, depth, found)
        total = np.int64(0)
        moved = np.int64(0)  # an integer, so the order of nodes has no say
        for t in range(size):
            current[t] = taxonomy.leaf[values[t]]
            mass[current[t]] = room[values[t]]
            total += room[values[t]]
            room[values[t]] = 0
        for level in range(1, taxonomy.height + 1):
            size_above = 0
            for t in range(size):
                node = current[t]
                parent = taxonomy.parent[node]
                if mass[parent] == 0:
                    above[size_above] = parent
                    size_above += 1
                mass[parent] += mass[node]
                surplus[parent] += max(mass[node] * n - whole[node] * total, 0)
                mass[node] = 0
                surplus[node] = 0
            for t in range(size_above):
                node = above[t]
                balance = mass[node] * n - whole[node] * total
                moved += level * min(surplus[node], surplus[node] - balance)
            size = size_above
            for t in range(size):
                current[t] = above[t]
        result[i] = moved / (taxonomy.height * n * total)
        for t in range(size):
            mass[current[t]] = 0
            surplus[current[t]] = 0
    return result
