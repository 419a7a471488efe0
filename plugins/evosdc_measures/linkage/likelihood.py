"""How unlikely each published category is behind each original one, in whole numbers that can be added and compared.

The cost of original a behind published b is ``-log P(b | a)``, times `SCALE`, less the least cost behind b: what is the
same for all originals tells none of them from another, and without it the least cost is 0, which bounds a search.
Logarithms of whole numbers are sums of their prime factors' logarithms, each rounded once. So costs whose numbers have
the same product are equal, and ties are ties.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix
from evosdc.table.distinct_values import placed_values
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers

Flags = NDArray[np.bool_]

SCALE = 1 << 40
"""Units of a cost in a natural logarithm."""

IMPOSSIBLE = 1 << 54
"""Cost of an original that is never published so. More than any possible record costs; a record of 500 does not
overflow."""


@njit(cache=True)
def logarithms(most: int) -> Integers:
    """Return ``log(k) * SCALE`` for k = 0 .. most as whole numbers that add up as the k multiply; 0 for k = 0."""
    table = np.zeros(most + 1, np.int64)
    for number in range(2, most + 1):
        if table[number] == 0:  # no smaller prime divides it
            share = int(np.round(SCALE * np.log(number)))
            power = number
            while power <= most:
                for multiple in range(power, most + 1, power):
                    table[multiple] += share
                power *= number
    return table


class Behind(NamedTuple):
    """Which originals may stand behind a published category, and where their counts and costs lie in flat arrays.

    Those of original a behind published b of attribute v are at ``offsets[v] + (b + 1) * strides[v] + a``: b is a code,
    -1 for a missing value, and a the place of an original category among those that occur, a missing value being one.

    Parameters
    ----------
    own : ndarray of int32, shape (n, V)
        Place of each record's original category.
    strides, offsets : ndarray of int64, shapes (V,) and (V + 1,)
    """

    own: Codes
    strides: Integers
    offsets: Integers

    def with_rows(self, rows: Integers) -> "Behind":
        """Return the layout for other numbers of published categories, shape (V,), a missing value included."""
        return self._replace(offsets=np.concatenate(([0], np.cumsum(self.strides * rows))))


class Frequencies(NamedTuple):
    """How often the originals occur, which tells costs from counts.

    Parameters
    ----------
    firsts : ndarray of int64, shape (V,)
        Where the attribute's entries begin in `margins`.
    margins : ndarray of int64
        Logarithm of the number of records of each original category, by attribute.
    logs : ndarray of int64, shape (n + 1,)
        See `logarithms`.
    given : ndarray of bool, shape (V,)
        Whether the attribute's matrix is known; else the file's own transitions stand for it.
    multiples : ndarray of int32, shape (n,)
        How many originals are equal to each record's own.
    """

    firsts: Integers
    margins: Integers
    logs: Integers
    given: Flags
    multiples: Counts


def behind(codes: Codes, rows: Integers, given: Flags) -> tuple[Behind, Frequencies]:
    """Return the layout for an original, and how often its records and categories occur.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, V)
    rows : ndarray of int64, shape (V,)
        Published categories of each attribute, a missing value included.
    given : ndarray of bool, shape (V,)
    """
    n, attributes = codes.shape
    own, logs = np.empty_like(codes), logarithms(n)
    margins, strides = [np.empty(0, np.int64)], np.empty(attributes, np.int64)
    for v in range(attributes):
        _, own[:, v], number = placed_values(codes[:, v])
        strides[v] = len(number)
        margins.append(logs[number])
    offsets, firsts = (np.concatenate(([0], np.cumsum(sizes))) for sizes in (strides * rows, strides))
    alike = equivalence_classes(own)
    multiples = alike.counts[alike.of].astype(np.int32)
    return Behind(own, strides, offsets), Frequencies(firsts[:-1], np.concatenate(margins), logs, given, multiples)


def costs_of_matrix(matrix: Matrix, originals: Codes) -> Integers:
    """Return the costs of a transition matrix in the layout of `Behind`, flat.

    Parameters
    ----------
    matrix : ndarray of float64, shape (c, c)
        A missing value stays.
    originals : ndarray of int32
        Codes of the original categories that occur, ascending.
    """
    whole = np.zeros((len(matrix) + 1, len(matrix) + 1))
    whole[0, 0] = 1.0
    whole[1:, 1:] = matrix
    likely = whole[originals + 1].T
    costs = np.full(likely.shape, IMPOSSIBLE, dtype=np.int64)
    possible = likely > 0.0
    costs[possible] = np.round(-SCALE * np.log(likely[possible])).astype(np.int64)
    least = costs.min(axis=1, keepdims=True)
    result: Integers = np.where(possible, costs - least, costs).ravel()
    return result


@njit(cache=True)
def write_costs(base: int, v: int, stride: int, frequencies: Frequencies, counts: Counts, costs: Integers) -> None:
    """Write the costs behind one published category of attribute v, whose entries begin at `base`, from its counts."""
    first, margins, logs = frequencies.firsts[v], frequencies.margins, frequencies.logs
    least = IMPOSSIBLE
    for a in range(stride):
        count = counts[base + a]
        cost = margins[first + a] - logs[count] if count > 0 else IMPOSSIBLE
        costs[base + a] = cost
        least = min(least, cost)
    for a in range(stride):
        if counts[base + a] > 0:
            costs[base + a] -= least


@njit(cache=True)
def cost_of(published: Codes, row: int, place: int, model: Behind, costs: Integers) -> int:
    """Return what an original at a place costs behind a published row."""
    own, strides, offsets = model
    total = 0
    for v in range(own.shape[1]):
        total += costs[offsets[v] + (published[row, v] + 1) * strides[v] + own[place, v]]
    return int(total)
