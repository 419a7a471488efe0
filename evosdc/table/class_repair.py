"""Repair of masked files by whole combinations, so that equal records stay equal."""

from collections.abc import Callable, Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.distance import category_distance
from evosdc.table.equivalence import Classes, equivalence_classes, key_codes
from evosdc.table.record_check import ALL, breaks
from evosdc.table.record_rules import Classes as RuleClasses
from evosdc.table.record_rules import Flags, RecordRules, RuleArrays
from evosdc.table.schema import Schema
from evosdc.table.table import Codes, Numbers, Rows, Table

# takes a masked table and returns which records are in a class that is not what was promised, shape (n,)
Short = Callable[[Table], Flags]
NOWHERE = -1  # in place of a class: no legal one was found


def repaired_by_class(rules: RecordRules, masked: Table, names: Sequence[str], fixed: Codes, short: Short) -> Table:
    """Return a masked table without forbidden records, repaired by whole combinations."""
    # A record that breaks a rule takes the combination (of `names`) of the nearest legal class with the same `fixed`
    # values. Classes that become short by this are dissolved, the smaller half at a time, until none is. What finds no
    # class is repaired cell by cell, or stays where it breaks no rule. Near: categories by `evosdc.table.distance`,
    # numbers over the original's range; of equally near classes the greater one, then the first in the file.
    # fixed (n, F)
    broken = rules.broken(masked)
    if not broken.any():
        return masked
    search = _Search(rules, masked, names, fixed)
    by_cell = rules.repaired(masked)
    stuck = short(masked)
    open_classes = np.ones(len(search.classes), dtype=bool)
    open_classes[search.classes.of[stuck]] = False
    of, movers = search.classes.of.copy(), np.flatnonzero(broken)
    while True:
        of[movers] = search.nearest(movers, open_classes)
        lost = movers[of[movers] == NOWHERE]
        stuck[lost] = True
        # What breaks no rule stays where it was.
        staying = lost[~broken[lost]]
        of[staying] = search.classes.of[staying]
        table = search.table(of, by_cell)
        fallen = np.unique(of[short(table) & ~stuck])
        if not len(fallen):
            return table
        sizes = np.bincount(of[of >= 0], minlength=len(search.classes))[fallen]
        dissolved = fallen[np.argsort(sizes, kind="stable")][: (len(fallen) + 1) // 2]
        open_classes[dissolved] = False
        movers = np.flatnonzero(np.isin(of, dissolved) & ~stuck)


class _Search:
    """The classes of a masked file, and the nearest legal one of each record."""

    def __init__(self, rules: RecordRules, masked: Table, names: Sequence[str], fixed: Codes) -> None:
        schema = masked.schema
        self._rules, self._masked = rules, masked
        self._own = rules.classes_of(masked)
        attributes = [*schema.categorical, *schema.numeric]
        self._taken: Flags = np.array([attribute.name in names for attribute in attributes])
        groups = equivalence_classes(fixed).of
        keys = key_codes(masked, [attribute.name for attribute in attributes if attribute.name in names])
        self.classes: Classes = equivalence_classes(np.column_stack([groups, keys]).astype(np.int32))
        # Greater classes first: of equally near ones the first is taken.
        order = np.lexsort((-self.classes.counts, groups[self.classes.first]))
        self._group_of_class, self._order, self._groups = groups[self.classes.first][order], order, groups
        self._flat, self._starts, self._widths = _distances(schema)
        known = [column[~np.isnan(column)] for column in rules.original.numbers.T]
        self._ranges = np.array([float(np.ptp(column)) or 1.0 if len(column) else 1.0 for column in known])
        # Records alike in all that counts find the same class.
        kept = self._own[:, ~self._taken]
        alike = [self.classes.of, *rules.others.T, *kept.T]
        self._alike = equivalence_classes(np.ascontiguousarray(np.column_stack(alike).astype(np.int32)))

    def nearest(self, movers: Rows, open_classes: Flags) -> NDArray[np.int64]:
        """Return the nearest legal class of each record, among those that are open; `NOWHERE` where there is none."""
        listed = self._order[open_classes[self._order]]
        starts = np.searchsorted(self._group_of_class[open_classes[self._order]], np.arange(self._groups.max() + 2))
        kinds, place = np.unique(self._alike.of[movers], return_inverse=True)
        found = _nearest_legal(
            self._alike.first[kinds],
            self.classes.first[listed],
            self._groups,
            starts.astype(np.int64),
            self._masked.codes,
            self._masked.numbers,
            self._own,
            self._rules.others,
            self._taken,
            self._flat,
            self._starts,
            self._widths,
            self._ranges,
            self._rules.arrays,
        )
        classes: NDArray[np.int64] = np.append(listed, NOWHERE)[found][place.reshape(-1)]
        return classes

    def table(self, of: NDArray[np.int64], by_cell: Table) -> Table:
        """Return the table in which each record has the combination of a class, or was repaired cell by cell."""
        categorical = self._masked.codes.shape[1]
        moved = np.flatnonzero((of != self.classes.of) & (of != NOWHERE))
        sources = self.classes.first[of[moved]]
        codes, numbers = self._masked.codes.copy(), self._masked.numbers.copy()
        for matrix, taken in ((codes, self._taken[:categorical]), (numbers, self._taken[categorical:])):
            columns = np.flatnonzero(taken)
            matrix[moved[:, None], columns] = matrix[sources[:, None], columns]
        lost = of == NOWHERE
        codes[lost], numbers[lost] = by_cell.codes[lost], by_cell.numbers[lost]
        return Table(self._masked.schema, codes, numbers)


def _distances(schema: Schema) -> tuple[Numbers, NDArray[np.int64], NDArray[np.int64]]:
    """Return the distances of all categories one after the other, where each attribute begins, and how wide it is."""
    matrices = [category_distance(attribute, schema.na).matrix for attribute in schema.categorical]
    widths = np.array([len(matrix) for matrix in matrices], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(widths * widths)))[:-1].astype(np.int64)
    return np.concatenate([np.zeros(0), *(matrix.reshape(-1) for matrix in matrices)]), starts, widths


@njit(cache=True)
def _nearest_legal(
    rows: Rows,
    donors: NDArray[np.int64],
    groups: NDArray[np.int64],
    group_starts: NDArray[np.int64],
    codes: Codes,
    numbers: Numbers,
    own: RuleClasses,
    others: RuleClasses,
    taken: Flags,
    flat: Numbers,
    starts: NDArray[np.int64],
    widths: NDArray[np.int64],
    ranges: Numbers,
    arrays: RuleArrays,
) -> NDArray[np.int64]:
    """Return for each record the place of its nearest legal donor, a record that stands for a class; -1 for none."""
    categorical, columns = codes.shape[1], own.shape[1]
    found = np.full(len(rows), -1, np.int64)
    trial = np.empty(columns, np.int32)
    for place in range(len(rows)):
        row = rows[place]
        best = np.inf
        for candidate in range(group_starts[groups[row]], group_starts[groups[row] + 1]):
            donor = donors[candidate]
            distance = 0.0
            for v in range(columns):
                if not taken[v]:
                    continue
                if v < categorical:
                    a, b = codes[row, v], codes[donor, v]
                    a = a if a >= 0 else widths[v] - 1
                    b = b if b >= 0 else widths[v] - 1
                    distance += flat[starts[v] + a * widths[v] + b]
                else:
                    x, y = numbers[row, v - categorical], numbers[donor, v - categorical]
                    if np.isnan(x) or np.isnan(y):
                        distance += 0.0 if np.isnan(x) and np.isnan(y) else 1.0
                    else:
                        distance += abs(x - y) / ranges[v - categorical]
                if distance >= best:
                    break
            if distance >= best:
                continue
            for v in range(columns):
                trial[v] = own[donor, v] if taken[v] else own[row, v]
            if not breaks(trial, others[row], ALL, arrays):
                best = distance
                found[place] = candidate
    return found
