"""How unlikely each published category is behind each original one, in whole numbers that can be added and compared.

The cost of original a behind published b is ``-log P(b | a)``, times `SCALE`, less the least cost behind b: what is the
same for all originals tells none of them from another, and without it the least cost is 0, which bounds a search.
Logarithms of whole numbers are sums of their prime factors' logarithms, each rounded once. So costs whose numbers have
the same product are equal, and ties are ties.
"""

from functools import lru_cache
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix
from evosdc.table.equivalence import equivalence_classes, placed_values
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.prefix_tree import tree_of

SCALE = 1 << 40  # Units of a cost in a natural logarithm
IMPOSSIBLE = 1 << 54  # cost of an original never published so: more than any other; 500 of them do not overflow


@lru_cache(maxsize=4)
def logarithms(most: int) -> Integers:
    """Return ``log(k) * SCALE`` for k = 0 .. most as whole numbers that add up as the k multiply; 0 for k = 0."""
    table, prime = np.zeros(most + 1, np.int64), np.ones(most + 1, np.bool_)
    for number in range(2, most + 1):
        if prime[number]:
            prime[2 * number :: number] = False
            share, power = round(SCALE * float(np.log(number))), number
            while power <= most:
                table[power::power] += share
                power *= number
    return table


class Originals(NamedTuple):
    """The original records, and where counts and costs of their categories lie in flat arrays."""

    # A *slot* is a published category of one attribute, a missing value included.

    distinct: Counts  # (D, V): Places of the categories of the distinct original records, among those that occur
    repeats: Counts  # (D,): How many records each of them is
    of: Counts  # (n,): Which of them each record is
    linked: Counts  # (n,): Place of each record among those that are linked, or -1
    mine: Counts  # (m,): Which of the distinct ones each linked record is
    own: Counts  # (V, m): Its categories
    slots: Integers  # (V + 1,): First slot of each attribute, and the number of all
    bases: Integers  # first entry of each slot, and the number of all
    firsts: Integers  # (V + 1,): Where the attribute's original categories begin in `margins`, and their number
    margins: Integers  # logarithm of the number of records of each original category
    logs: Integers  # (n + 1,): See `logarithms`
    # (V,): Whether the attribute's matrix is known; else the file's own transitions stand for it.
    given: NDArray[np.bool_]
    credit: int  # a certain match. Credits are whole numbers, so that their sum does not depend on the order
    # Of the `evosdc_measures.linkage.prefix_tree.PrefixTree` of the distinct records, whose last nodes they are.
    nodes: Counts
    roots: int

    def with_published(self, sizes: Integers) -> "Originals":
        """Return the layout for other numbers of published categories, shape (V,), a missing value included."""
        entries = np.repeat(np.diff(self.firsts), sizes)
        return self._replace(slots=_starts(sizes), bases=_starts(entries))


def originals_of(codes: Codes, linked: Rows, sizes: Integers, given: NDArray[np.bool_]) -> Originals:
    """Return the layout for an original."""
    # Shapes: codes (n, V), linked (m,), sizes (V,), given (V,).
    n, attributes = codes.shape
    records, logs, frequencies = np.empty_like(codes), logarithms(n), []
    for v in range(attributes):
        _, records[:, v], number = placed_values(codes[:, v])
        frequencies.append(number)
    alike, tree = equivalence_classes(records), tree_of(records)
    leaves = tree.nodes[len(tree.nodes) - len(alike.first) :]
    distinct, leaf = np.ascontiguousarray(records[leaves[:, 2]]), np.empty(len(leaves), dtype=np.int32)
    leaf[alike.of[leaves[:, 2]]] = np.arange(len(leaves))
    of, places = leaf[alike.of], np.full(n, -1, dtype=np.int32)
    places[linked] = np.arange(len(linked))
    firsts = _starts(np.array([len(number) for number in frequencies]))
    nothing = np.empty(0, np.int64)
    # Most ties are exact parts of a multiple of all numbers up to 30, and 2 million such credits can be added; the more
    # bits besides, the fewer records.
    credit = lcm(*range(1, 31)) << min(max(20 - len(linked).bit_length(), 0), 10)
    return Originals(
        distinct, leaves[:, 1].copy(), of, places, of[linked], np.ascontiguousarray(records[linked].T), nothing,
        nothing, firsts, logs[np.concatenate(frequencies)], logs, given, credit, tree.nodes,
        tree.roots,
    ).with_published(sizes)  # fmt: skip


def costs_of_matrix(matrix: Matrix, column: Codes) -> Integers:
    """Return the costs of a transition matrix by published and original category, flat."""
    whole = np.zeros((len(matrix) + 1, len(matrix) + 1))
    whole[0, 0] = 1.0
    whole[1:, 1:] = matrix
    likely = whole[np.unique(column) + 1].T
    costs = np.full(likely.shape, IMPOSSIBLE, dtype=np.int64)
    possible = likely > 0.0
    costs[possible] = np.round(-SCALE * np.log(likely[possible])).astype(np.int64)
    least = costs.min(axis=1, keepdims=True)
    result: Integers = np.where(possible, costs - least, costs).ravel()
    return result


def _starts(sizes: Integers) -> Integers:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
