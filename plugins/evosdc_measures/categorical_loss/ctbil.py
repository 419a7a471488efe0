"""Contingency-table-based information loss."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import numpy as np
from pydantic import Field

from evosdc.data.expectation import Counts as Cells
from evosdc.data.expectation import expected_difference, with_missing
from evosdc.data.table import Codes, Rows, Table
from evosdc.data.transition import Matrix
from evosdc.errors import EvaluationError
from evosdc.kernel import kernel
from evosdc.model import Expected, Incremental, Measure
from evosdc.model.parameters import Parameters
from evosdc_measures.categorical_loss.contingency import cell_of, subsets, tables_of
from evosdc_measures.domains import Counts, Integers, domains_of, require_aligned

State = tuple[Codes, Counts, int]
"""Codes of the masked table, masked minus original count of each cell the original occupies, sum of all changes."""


_CELLS = 1_000_000
"""Cells up to which the expectation of a table is computed."""


class ContingencyTableLoss(Measure):
    """Share of records moved to another cell, over all contingency tables of at most K attributes, times 100.

    ``CTBIL = sum over tables of sum over cells of |x - y|`` (Domingo-Ferrer and Torra, 2001). Each table contributes at
    most 2n, so the score is ``100 * CTBIL / (2 n T)`` with T tables: range 0..100, smaller is better. That
    normalisation is a reconstruction; the source divides by the number of cells, which is not comparable with other
    losses.

    The measure does not see which record changed: a permutation of the file has loss 0. A missing value is a category
    of its own under the rules ``category`` and ``wildcard`` alike, since a count has no wildcards.
    """

    class Params(Parameters):
        """Which tables are compared."""

        K: int = Field(2, ge=1, description="Greatest number of attributes of a table; more than there are means all.")

    def fit(self, original: Table) -> FittedContingencyTableLoss:
        """Count the original's tables.

        Raises
        ------
        ParameterError
            A table has too many cells to be addressed.
        """
        self.require_support(original)
        return FittedContingencyTableLoss(original, self.params.K)


class FittedContingencyTableLoss(Incremental[State], Expected):
    """`ContingencyTableLoss` of one original."""

    def __init__(self, original: Table, most: int) -> None:
        n, attributes = original.codes.shape
        tables = tables_of(
            original.codes, domains_of(original.schema).widths, subsets(attributes, min(most, attributes))
        )
        self._original = original
        self._rows = np.arange(n)
        self._most: int = 2 * n * tables.number
        self._empty = -tables.counts
        self._missed = n * tables.number
        self._subsets = subsets(attributes, min(most, attributes))
        self._tables = (
            tables.members,
            tables.strides,
            tables.ends,
            tables.lookups,
            tables.cells,
            tables.firsts,
            tables.keys,
        )

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n T)."""
        require_aligned(self._original, masked)
        differences, codes = self._empty.copy(), masked.codes
        return codes, differences, _follow(codes, codes, self._rows, True, *self._tables, differences, self._missed)

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(m T)."""
        differences, codes = state[1].copy(), masked.codes
        return codes, differences, _follow(state[0], codes, rows, False, *self._tables, differences, state[2])

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected loss, 0..100, by `evosdc.data.expectation`: exact means and variances of all cells.

        Raises
        ------
        EvaluationError
            A table has more than a million cells: judge by draws, or with a smaller K.
        """
        matrices = [with_missing(P) if gaps else P for P, gaps in zip(transitions, self._gaps, strict=True)]
        total = sum(expected_difference(table, [matrices[v] for v in members]) for members, table in self._dense)
        return 100.0 * total / self._most

    @cached_property
    def _gaps(self) -> tuple[bool, ...]:
        """Whether an attribute has missing values, which are a category more."""
        missing = self._original.codes < 0
        return tuple(bool(missing[:, v].any()) for v in range(missing.shape[1]))

    @cached_property
    def _dense(self) -> tuple[tuple[tuple[int, ...], Cells], ...]:
        """The attributes of each table and its counts, one axis an attribute."""
        sizes = [
            len(a.categories) + gaps for a, gaps in zip(self._original.schema.categorical, self._gaps, strict=True)
        ]
        tables = []
        for members in self._subsets:
            shape = tuple(sizes[v] for v in members)
            if prod(shape) > _CELLS:
                raise EvaluationError(f"ctbil: a table of {prod(shape)} cells is too large for expectations; lower K")
            codes = [self._original.codes[:, v] % sizes[v] for v in members]
            counts = np.bincount(np.ravel_multi_index(codes, shape), minlength=prod(shape))
            tables.append((tuple(members), counts.reshape(shape).astype(np.float64)))
        return tuple(tables)

    def value(self, state: State) -> float:
        """Return the loss, 0..100."""
        return 100.0 * state[2] / self._most


@kernel
def _follow(
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    members: Integers,
    strides: Integers,
    ends: Integers,
    lookups: Integers,
    cells: Counts,
    firsts: Integers,
    keys: Integers,
    differences: Counts,
    total: int,
) -> int:
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
            if not fresh:
                cell = cell_of(left, table, lookups, cells, firsts, keys)
                if cell < 0:
                    total -= 1
                else:
                    total += 1 if differences[cell] <= 0 else -1
                    differences[cell] -= 1
            cell = cell_of(entered, table, lookups, cells, firsts, keys)
            if cell < 0:
                total += 1
            else:
                total += 1 if differences[cell] >= 0 else -1
                differences[cell] += 1
    return total
