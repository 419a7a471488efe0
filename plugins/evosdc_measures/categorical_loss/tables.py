"""A masked file followed through all contingency tables over chosen subsets of attributes."""

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import EvaluationError
from evosdc.model import Batched, Changes, Expected, FollowedInPlace
from evosdc.randomisation.expectation import Counts as Cells
from evosdc.randomisation.expectation import expected_difference, with_missing
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes, Rows, Table
from evosdc_measures.categorical_loss.contingency import cell_of, tables_of
from evosdc_measures.domains import Counts, Integers, domains_of, require_aligned

State = tuple[Codes, Counts, int]
"""Codes of the masked table, masked minus original count of each cell the original occupies, sum of all changes."""

_CELLS = 1_000_000
"""Cells up to which the expectation of a table is computed."""


class FittedTables(FollowedInPlace[State]):
    """A loss that compares contingency tables of the original and the masked file.

    Parameters
    ----------
    original : Table
    chosen : sequence of tuple of int
        The attributes of each table, T tables in all.
    """

    def __init__(self, original: Table, chosen: Sequence[tuple[int, ...]]) -> None:
        tables = tables_of(original.codes, domains_of(original.schema).widths, chosen)
        self.n = len(original)
        self.chosen = tuple(chosen)
        self.counts = tables.counts
        """Records of the original in each cell that it occupies, table by table."""
        self.firsts = tables.firsts
        """Number of each table's first occupied cell, shape (T + 1,)."""
        self._original = original
        self._rows = np.arange(self.n)
        self._empty = -tables.counts
        self._missed = self.n * tables.number
        self._arrays = tables[:-1]

    @property
    def greatest(self) -> int:
        """Greatest possible sum of all changes, 2 n T."""
        return 2 * self.n * len(self.chosen)

    @cached_property
    def cells(self) -> int:
        """Cells of all tables, empty ones too: each the product of its domains, a missing value being a category."""
        return sum(prod(self.sizes[v] for v in members) for members in self.chosen)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Categories of each attribute, one more where the original has missing values."""
        attributes = self._original.schema.categorical
        return tuple(len(a.categories) + gaps for a, gaps in zip(attributes, self.gaps, strict=True))

    @cached_property
    def gaps(self) -> tuple[bool, ...]:
        """Whether an attribute of the original has missing values, which are a category more."""
        missing = self._original.codes < 0
        return tuple(bool(missing[:, v].any()) for v in range(missing.shape[1]))

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n T)."""
        require_aligned(self._original, masked)
        differences, codes = self._empty.copy(), masked.codes
        total = follow_tables(codes, codes, self._rows, True, differences, self._missed, *self._arrays)
        return codes, differences, total

    def copied(self, state: State) -> State:
        """Return a copy of a state; the codes are shared."""
        return state[0], state[1].copy(), state[2]

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m T)."""
        differences, codes = state[1], masked.codes
        return codes, differences, follow_tables(state[0], codes, rows, False, differences, state[2], *self._arrays)


class FittedSum(FittedTables, Batched[State], Expected):
    """The sum over all cells of all tables of ``|x - y|``, times a factor.

    Parameters
    ----------
    name : str
        Of the measure, for messages.
    """

    def __init__(self, original: Table, chosen: Sequence[tuple[int, ...]], name: str, per_cell: bool = False) -> None:
        super().__init__(original, chosen)
        self._name = name
        self._factor, self._unit = (1.0, self.cells) if per_cell else (100.0, self.greatest)

    def value(self, state: State) -> float:
        """Return the loss."""
        return self._factor * state[2] / self._unit

    def values(self, state: State, changes: Changes) -> NDArray[np.float64]:
        """Return the losses of several children; O(m T)."""
        return self.losses(state, changes.before.codes, changes.after.codes, changes.ends)

    def losses(self, state: State, before: Codes, after: Codes, ends: Integers) -> NDArray[np.float64]:
        """Return the losses of several children from their changed records, before and after, child by child."""
        totals = _totals_of_children(before, after, ends, state[1], state[2], *self._arrays)
        losses: NDArray[np.float64] = self._factor * totals / self._unit
        return losses

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected loss by `evosdc.randomisation.expectation`: exact means and variances of all cells.

        Raises
        ------
        EvaluationError
            A table has more than a million cells: judge by draws, or with a smaller K.
        """
        matrices = [with_missing(P) if gaps else P for P, gaps in zip(transitions, self.gaps, strict=True)]
        total = sum(expected_difference(table, [matrices[v] for v in members]) for members, table in self._dense)
        return self._factor * total / self._unit

    @cached_property
    def _dense(self) -> tuple[tuple[tuple[int, ...], Cells], ...]:
        """The attributes of each table and its counts, one axis an attribute."""
        tables = []
        for members in self.chosen:
            shape = tuple(self.sizes[v] for v in members)
            if prod(shape) > _CELLS:
                given = f"{self._name}: a table of {prod(shape)} cells is too large for expectations; lower K"
                raise EvaluationError(given)
            codes = [self._original.codes[:, v] % self.sizes[v] for v in members]
            counts: NDArray[np.intp] = np.bincount(np.ravel_multi_index(codes, shape), minlength=prod(shape))
            tables.append((members, counts.reshape(shape).astype(np.float64)))
        return tuple(tables)


@njit(cache=True)
def follow_tables(
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    differences: Counts,
    total: int,
    *arrays: Any,
) -> int:
    """Move changed rows to their new cells, in `differences`, and return the new sum of all changes.

    Parameters
    ----------
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp, shape (m,)
    fresh : bool
        Rows are counted for the first time: `before` is not read.
    differences : ndarray of int32
        Masked minus original count of each cell that the original occupies; changed.
    total : int
        Sum of all changes before.
    *arrays
        Those of `ContingencyTables` but for the counts: to hand the tables over as one would take longer.
    """
    members, strides, ends, lookups, cells, firsts, keys = arrays
    for row in rows:
        position = 0
        for table in range(len(ends)):
            left, entered = 0, 0
            while position < ends[table]:
                v, stride = members[position], strides[position]
                left += (before[row, v] + 1) * stride
                entered += (after[row, v] + 1) * stride
                position += 1
            if left == entered and not fresh:
                continue
            # Looked up in place where that can be: to pass so many arrays to a function takes longer than a look-up.
            lookup = lookups[table]
            if not fresh:
                cell = cells[lookup + left] if lookup >= 0 else cell_of(left, table, lookups, cells, firsts, keys)
                if cell < 0:
                    total -= 1
                else:
                    total += 1 if differences[cell] <= 0 else -1
                    differences[cell] -= 1
            cell = cells[lookup + entered] if lookup >= 0 else cell_of(entered, table, lookups, cells, firsts, keys)
            if cell < 0:
                total += 1
            else:
                total += 1 if differences[cell] >= 0 else -1
                differences[cell] += 1
    return total


@njit(cache=True)
def _totals_of_children(
    before: Codes, after: Codes, ends: Integers, differences: Counts, total: int, *arrays: Any
) -> NDArray[np.int64]:
    """Return the sum of all changes of each child; `before` and `after` hold the changed records alone.

    Each child is followed and taken back, so that no tables are copied.
    """
    found, begin = np.empty(len(ends), np.int64), 0
    for child in range(len(ends)):
        rows = np.arange(begin, ends[child])
        found[child] = follow_tables(before, after, rows, False, differences, total, *arrays)
        follow_tables(after, before, rows, False, differences, total, *arrays)
        begin = ends[child]
    return found
