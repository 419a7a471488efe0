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
from evosdc.table.distinct_values import distinct_values, placed_values
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.prefix_tree import tree_of

SCALE = 1 << 40
"""Units of a cost in a natural logarithm."""

IMPOSSIBLE = 1 << 54
"""Cost of an original that is never published so. More than any possible record costs; a record of 500 does not
overflow."""


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
    """The original records, and where counts and costs of their categories lie in flat arrays.

    A *slot* is a published category of one attribute, a missing value included. Behind slot s, the original categories
    that occur in its attribute have the entries from ``bases[s]`` on, in ascending order, a missing value being one.
    The slot of code b of attribute v is ``slots[v] + b + 1``.

    Parameters
    ----------
    distinct : ndarray of int32, shape (D, V)
        Places of the categories of the distinct original records, among those that occur.
    repeats : ndarray of int32, shape (D,)
        How many records each of them is.
    of : ndarray of int32, shape (n,)
        Which of them each record is.
    linked : ndarray of int32, shape (n,)
        Place of each record among those that are linked, or -1.
    mine : ndarray of int32, shape (m,)
        Which of the distinct ones each linked record is.
    own : ndarray of int32, shape (V, m)
        Its categories.
    slots : ndarray of int64, shape (V + 1,)
        First slot of each attribute, and the number of all.
    bases : ndarray of int64
        First entry of each slot, and the number of all.
    firsts : ndarray of int64, shape (V + 1,)
        Where the attribute's original categories begin in `margins`, and their number.
    margins : ndarray of int64
        Logarithm of the number of records of each original category.
    logs : ndarray of int64, shape (n + 1,)
        See `logarithms`.
    given : ndarray of bool, shape (V,)
        Whether the attribute's matrix is known; else the file's own transitions stand for it.
    credit : int
        A certain match. Credits are whole numbers, so that their sum does not depend on the order.
    nodes, roots
        Of the `evosdc_measures.linkage.prefix_tree.PrefixTree` of the distinct records, whose last nodes they are.
    members : ndarray of int32, shape (V * D,)
        The distinct records by category.
    begins : ndarray of int64
        Where those of each category begin in `members`, laid out as `margins`, and where the last ones end.
    """

    distinct: Counts
    repeats: Counts
    of: Counts
    linked: Counts
    mine: Counts
    own: Counts
    slots: Integers
    bases: Integers
    firsts: Integers
    margins: Integers
    logs: Integers
    given: NDArray[np.bool_]
    credit: int
    nodes: Counts
    roots: int
    members: Counts
    begins: Integers

    def with_published(self, sizes: Integers) -> "Originals":
        """Return the layout for other numbers of published categories, shape (V,), a missing value included."""
        entries = np.repeat(np.diff(self.firsts), sizes)
        return self._replace(slots=_starts(sizes), bases=_starts(entries))


def originals_of(codes: Codes, linked: Rows, sizes: Integers, given: NDArray[np.bool_]) -> Originals:
    """Return the layout for an original.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, V)
        Attributes of few categories first.
    linked : ndarray of intp, shape (m,)
        Records that are linked, ascending.
    sizes : ndarray of int64, shape (V,)
        Published categories of each attribute, a missing value included.
    given : ndarray of bool, shape (V,)
    """
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
    members = np.concatenate([np.argsort(column, kind="stable") for column in distinct.T]).astype(np.int32)
    sharing = np.concatenate([np.bincount(column) for column in distinct.T])
    nothing = np.empty(0, np.int64)
    return Originals(
        distinct, leaves[:, 1].copy(), of, places, of[linked], np.ascontiguousarray(records[linked].T), nothing,
        nothing, firsts, logs[np.concatenate(frequencies)], logs, given, _credit_of(len(linked)), tree.nodes,
        tree.roots, members, _starts(sharing),
    ).with_published(sizes)  # fmt: skip


def _credit_of(records: int) -> int:
    """Return a credit of which so many, at most about 2 million, can be added, and of which most ties are exact parts.

    Multiples of all numbers up to 30; the more bits besides, the fewer records.
    """
    return lcm(*range(1, 31)) << min(max(20 - records.bit_length(), 0), 10)


def costs_of_matrix(matrix: Matrix, column: Codes) -> Integers:
    """Return the costs of a transition matrix by published and original category, flat.

    Parameters
    ----------
    matrix : ndarray of float64, shape (c, c)
        A missing value stays.
    column : ndarray of int32
        Codes of the original: those that occur count.
    """
    whole = np.zeros((len(matrix) + 1, len(matrix) + 1))
    whole[0, 0] = 1.0
    whole[1:, 1:] = matrix
    likely = whole[distinct_values(column) + 1].T
    costs = np.full(likely.shape, IMPOSSIBLE, dtype=np.int64)
    possible = likely > 0.0
    costs[possible] = np.round(-SCALE * np.log(likely[possible])).astype(np.int64)
    least = costs.min(axis=1, keepdims=True)
    result: Integers = np.where(possible, costs - least, costs).ravel()
    return result


def _starts(sizes: Integers) -> Integers:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
