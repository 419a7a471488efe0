"""How many originals of a category pass a record's own one when that category becomes likelier or less likely."""

from typing import Any

import numpy as np
from numba import njit

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.ranked_places import own_cost
from evosdc_measures.linkage.rivals import narrowed, next_branch


@njit(cache=True)
def shifted_category(
    published: Codes,
    row: int,
    v: int,
    category: int,
    low: int,
    high: int,
    own: Codes,
    strides: Integers,
    offsets: Integers,
    order: Integers,
    roots: int,
    nodes: Counts,
    costs: Integers,
    paths: Integers,
) -> tuple[int, int]:
    """Return how many originals of a category are likelier than the own one at its lower cost alone, and how many tied.

    The second number is the ties at the lower cost less those at the higher one.

    Parameters
    ----------
    published : ndarray of int32, shape (n, V)
    row : int
        A record whose own original has another category of attribute v.
    v, category : int
    low, high : int
        What the category costs behind the record in attribute v, before and after a change or the other way round.
    own, strides, offsets, order, roots, nodes, costs, paths
        As of `evosdc_measures.linkage.ranked_places.place`.
    """
    last, apart = len(order) - 1, high - low
    limit = own_cost(published, row, own, strides, offsets, order, costs, paths)
    if low > limit:
        return 0, 0
    inner, narrow = max(last - 1, 0), order[last] == v
    overtaking, ties, level = 0, 0, 0
    cost: Any = np.int64(low)
    begin, end = narrowed(0, roots, order[0] == v, category, nodes)
    while level >= 0:
        if level == inner:
            # As in `place`.
            for node in range(begin, end):
                first, stop, left = int(node), int(node + 1), limit - cost
                if inner < last:
                    if order[inner] != v:
                        left -= costs[paths[3, inner] + nodes[node, 0]]
                    # Where the moved category alone is below the node, it costs nothing further.
                    if left < 0 or (narrow and left > apart):
                        continue
                    first, stop = narrowed(nodes[node, 1], nodes[node, 2], narrow, category, nodes)
                for leaf in range(first, stop):
                    step, count = np.int64(0) if narrow else costs[paths[3, last] + nodes[leaf, 0]], nodes[leaf, 1]
                    overtaking += count if step < left <= step + apart else 0
                    ties += count if step == left else 0
                    ties -= count if step + apart == left else 0
            level -= 1
        else:
            paths[0, level], paths[1, level], paths[2, level] = begin, end, cost
        level, begin, end, cost = next_branch(level, limit, v, category, order, nodes, costs, paths)
    return int(overtaking), int(ties)
