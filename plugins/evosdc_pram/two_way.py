"""Two-way tables of pairs of attributes, original and published, and the figures that compare them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.expectation import Counts, published_counts, with_missing
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Schema
from evosdc.table.table import Codes, Table


@dataclass(frozen=True)
class AttributePair:
    """The two-way table of two attributes; a missing value is a category of its own, the last.

    Parameters
    ----------
    first, second : int
        Positions of the attributes.
    shape : tuple of int
    original : ndarray of float64
        Counts.
    """

    first: int
    second: int
    shape: tuple[int, int]
    original: Counts

    def counted(self, codes: Codes) -> Counts:
        """Return the counts of a published table, from its codes, shape (n, V)."""
        return _counted(codes, self.first, self.second, self.shape)

    def recounted(self, counts: Counts, before: Codes, after: Codes) -> Counts:
        """Return the counts after some records have changed.

        Parameters
        ----------
        counts : ndarray of float64
            Not altered.
        before, after : ndarray of int32, shape (m, V)
            The records concerned.
        """
        old, new = (_cells(codes, self.first, self.second, self.shape) for codes in (before, after))
        changed = counts.copy()
        np.subtract.at(changed.reshape(-1), old, 1.0)
        np.add.at(changed.reshape(-1), new, 1.0)
        return changed

    def expected(self, transitions: Sequence[Matrix]) -> Counts:
        """Return the expected counts under transition matrices."""
        return published_counts(self.original, self.matrices(transitions))

    def matrices(self, transitions: Sequence[Matrix]) -> tuple[Matrix, Matrix]:
        """Return the matrices of the pair with missing values in them."""
        return with_missing(transitions[self.first]), with_missing(transitions[self.second])


def attribute_pairs(original: Table, names: Sequence[tuple[str, str]], where: str) -> tuple[AttributePair, ...]:
    """Return the two-way tables of the named pairs; of all pairs where none is named.

    Raises
    ------
    ParameterError
        There is no pair: fewer than two attributes, or one with itself.
    SchemaError
        A name that is not among the protected attributes.
    """
    schema: Schema = original.schema
    schema.require(tuple(dict.fromkeys(name for pair in names for name in pair)), where)
    chosen = list(names) or list(combinations(schema.names, 2))
    if not chosen or any(a == b for a, b in chosen):
        given = "one attribute" if not chosen else "an attribute paired with itself"
        raise ParameterError(Fault(where, given, "pairs of two protected attributes", "Protect both attributes."))
    pairs = []
    for a, b in chosen:
        first, second = schema.names.index(a), schema.names.index(b)
        sizes = [len(schema.attributes[v].categories) + 1 for v in (first, second)]
        shape = (sizes[0], sizes[1])
        pairs.append(AttributePair(first, second, shape, _counted(original.codes, first, second, shape)))
    return tuple(pairs)


def _cells(codes: Codes, first: int, second: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return the place of each record's cell in the flat table; a missing value, -1, is the last category."""
    cells: NDArray[np.int64] = codes[:, first].astype(np.int64) % shape[0] * shape[1] + codes[:, second] % shape[1]
    return cells


def _counted(codes: Codes, first: int, second: int, shape: tuple[int, int]) -> Counts:
    counts = np.bincount(_cells(codes, first, second, shape), minlength=shape[0] * shape[1])
    return counts.reshape(shape).astype(np.float64)


def chi_square(counts: Counts) -> float:
    """Return ``sum (o - e)^2 / e`` with ``e`` the product of the margins over N; cells of an empty margin count 0."""
    total = counts.sum()
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    if total == 0.0:
        return 0.0
    expected = np.outer(rows, columns) / total
    inhabited = expected > 0.0
    return float(((counts - expected)[inhabited] ** 2 / expected[inhabited]).sum())


def cramer_v(counts: Counts) -> float:
    """Return ``sqrt(chi2 / (N min(r - 1, c - 1)))`` in [0, 1], r and c the categories that occur; 0 where one does."""
    least = int(min((counts.sum(axis=1) > 0).sum(), (counts.sum(axis=0) > 0).sum())) - 1
    return sqrt(chi_square(counts) / (counts.sum() * least)) if least > 0 else 0.0


def hellinger(original: Counts, published: Counts) -> float:
    """Return ``sqrt(1/2 sum (sqrt o - sqrt m)^2 / N)`` in [0, 1]."""
    total = original.sum()
    return sqrt(0.5 * float(((np.sqrt(original) - np.sqrt(published)) ** 2).sum()) / total) if total else 0.0


def relative_change(before: float, after: float) -> float:
    """Return ``|after - before| / before``; 0 where both are 0, 1 where only `before` is."""
    if before == 0.0:
        return 0.0 if after == 0.0 else 1.0
    return abs(after - before) / before
