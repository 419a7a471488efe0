"""Sensitive values class by class: which ones, and how often."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import ClassValues, IntruderView
from evosdc.table.equivalence import ranks, tallied
from evosdc.table.table import MISSING, Codes
from evosdc.table.wildcard_tree import matches

NEEDED = "a sensitive attribute"
"""What models of sensitive values lack in a file that declares none."""


class Spread(NamedTuple):
    """How often each value occurs with each key.

    Parameters
    ----------
    starts : ndarray of int64, shape (m + 1,)
        Where the entries of each key begin.
    values, counts : ndarray of int64
        A value and its records, an entry each, values ascending with a key.
    overall : ndarray of int64, shape (s,)
        Records of each value in the whole file, all positive.
    queries : ndarray of int32, shape (m, V)
        The keys in the tree's order of attributes; V is 0 where each key matches itself alone.
    value, child, key : ndarray of int32
        The tree (`evosdc.table.wildcard_tree.WildcardTree`).
    """

    starts: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    overall: NDArray[np.int64]
    queries: Codes
    value: NDArray[np.int32]
    child: NDArray[np.int32]
    key: NDArray[np.int32]


def spread_of(view: IntruderView, name: str) -> tuple[Spread, Codes]:
    """Return how a sensitive attribute spreads over the keys, and the code of each of its values, ascending.

    Values are those that occur, in the order of their codes or numbers; a missing one is a value of its own, the last,
    with code `MISSING`.
    """
    attribute, column = view.table.schema[name], view.table.column(name)
    codes = np.array(column if attribute.categorical else ranks(column), dtype=np.int64)
    size = int(codes.max(initial=0)) + 1
    codes[codes == MISSING] = size
    present, values, overall = tallied(codes, view.counts)
    classes = view.classes
    pairs, _, counts = tallied(classes.of * present.size + values, view.counts)
    starts = np.searchsorted(pairs, np.arange(len(classes) + 1) * present.size)
    none = np.empty(0, dtype=np.int32)
    tree = view.tree
    spread = Spread(
        starts.astype(np.int64),
        pairs % present.size,
        counts.astype(np.int64),
        overall.astype(np.int64),
        np.empty((len(classes), 0), np.int32) if tree is None else np.ascontiguousarray(view.keys[:, tree.order]),
        none if tree is None else tree.value,
        none if tree is None else tree.child,
        none if tree is None else tree.key,
    )
    return spread, np.where(present == size, MISSING, present).astype(np.int32)


def spread_in_classes(values: ClassValues) -> Spread:
    """Return how a sensitive attribute spreads over classes that match themselves alone."""
    none = np.empty(0, dtype=np.int32)
    queries = np.empty((len(values.starts) - 1, 0), np.int32)
    return Spread(values.starts, values.values, values.counts, values.overall, queries, none, none, none)


@njit(cache=True)
def gathered(
    spread: Spread,
    position: int,
    room: NDArray[np.int64],
    values: NDArray[np.int64],
    stack: NDArray[np.int32],
    depth: NDArray[np.int32],
    found: NDArray[np.int32],
) -> int:
    """Add up the values of all records that a key matches, and return how many distinct ones there are.

    Parameters
    ----------
    position : int
        The key.
    room : ndarray of int64, shape (s,)
        All zero; receives the records of each value. The caller clears it.
    values : ndarray of int64, shape (s,)
        Receives the values that occur, ascending.
    stack, depth, found : ndarray of int32
        Room for the walk through the tree.
    """
    keys = 1
    found[0] = position
    if spread.queries.shape[1]:
        keys = matches(spread.value, spread.child, spread.key, spread.queries[position], stack, depth, found)
    distinct = 0
    for t in range(keys):
        for entry in range(spread.starts[found[t]], spread.starts[found[t] + 1]):
            value = spread.values[entry]
            if room[value] == 0:
                values[distinct] = value
                distinct += 1
            room[value] += spread.counts[entry]
    if keys > 1:
        values[:distinct].sort()
    return distinct
