"""Repair of masked files under constraints on privacy models: classes of records are kept where cells would break them.

A constraint such as ``k-anonymity >= 3`` is a promise about records that look alike. Values that go back to the
original one by one make records unlike.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from math import ceil

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.headline import Headline, unmasked_of
from evosdc.engine.trackers import scores_of
from evosdc.model import ByClass, Fitted, Microdata
from evosdc.model.constraint import Constraint, Constraints
from evosdc.model.individual import INFEASIBILITY
from evosdc.table.distance import category_distance
from evosdc.table.equivalence import Classes, equivalence_classes, key_codes
from evosdc.table.record_rules import Flags, RecordRules
from evosdc.table.table import Codes, Rows, Table

# takes a masked table and returns which records are in a class that is not what was promised, shape (n,)
Short = Callable[[Table], Flags]
NOWHERE = -1  # in place of a class: no legal one was found


def headline_of(constraint: Constraint, measures: Mapping[str, Fitted]) -> Headline | None:
    """Return the privacy model that a constraint looks at, on its file; None where it looks at something else."""
    fitted = measures.get(constraint.figure_name)
    return fitted if isinstance(fitted, Headline) else None


class Repair:
    """Repairs the records of masked files, and keeps constraints on privacy models where it can."""

    # A file is repaired cell by cell (`evosdc.table.record_rules.RecordRules.repaired`), unless it then misses the
    # constraints by more than before.

    def __init__(self, microdata: Microdata, measures: Mapping[str, Fitted], constraints: Constraints) -> None:
        self._rules, self._microdata = microdata.rules, microdata
        found = [(constraint, headline_of(constraint, measures)) for constraint in constraints.listed]
        self._judged = [(constraint, headline) for constraint, headline in found if headline is not None]
        self._privacy = Constraints(tuple(constraint for constraint, _ in self._judged))
        names = [name for one, _ in self._judged for name in (one.figure_name, one.shortfall_name)]
        self._figures = {name: measures[name] for name in names if name in measures}

    @property
    def keeps_classes(self) -> bool:
        """Whether any constraint is on a privacy model."""
        return bool(self._judged)

    def missed(self, masked: Table) -> float:
        """Return by how much a masked file misses the constraints on privacy models; 0 where it meets them all."""
        return self._privacy.judge(scores_of(self._figures, masked))[INFEASIBILITY]

    def repaired(self, masked: Table) -> Table:
        """Return a masked file with all records in order; itself where they are."""
        if self._rules is None:
            return masked
        by_cell = self._rules.repaired(masked)
        if by_cell is masked or not self._judged:
            return by_cell
        missed = self.missed(by_cell)
        if missed <= self.missed(masked):
            return by_cell
        found = by_cell
        for least in self._least_sizes(masked):
            short = partial(self._short, least)
            by_class = repaired_by_class(self._rules, masked, self._names, self._fixed, short)
            outcome = self.missed(by_class)
            if outcome < missed:
                found, missed = by_class, outcome
            if missed == 0.0:
                break
        return found

    @cached_property
    def _names(self) -> Sequence[str]:
        known = {name for _, headline in self._judged for name in headline.quasi_identifiers}
        return [name for name in self._microdata.protect if name in known]

    @cached_property
    def _fixed(self) -> Codes:
        names = dict.fromkeys(name for _, headline in self._judged for name in unmasked_of(headline))
        return key_codes(self._microdata.table, list(names))

    def _least_sizes(self, masked: Table) -> list[int]:
        """Return the sizes that classes have to keep: by constraint, the required and the present minimum."""
        sizes = []
        for constraint, headline in self._judged:
            if not headline.by_class:
                least = int(headline.view(masked).classes.counts.min())
                bounded = isinstance(headline.model, ByClass) and constraint.operator == ">="
                sizes += [min(least, ceil(max(constraint.bound, 1.0)) if bounded else least), least]
        return sorted(set(sizes)) or [1]

    def _short(self, least: int, masked: Table) -> Flags:
        """Return which records are in classes that miss a constraint, or in smaller ones than `least`, shape (n,)."""
        short = np.zeros(len(masked), dtype=bool)
        for constraint, headline in self._judged:
            view = headline.view(masked)
            figures = headline.model.record_figures(view) if headline.by_class else None
            if figures is None:
                short |= view.classes.counts[view.classes.of] < least
                continue
            distinct, places = np.unique(figures, return_inverse=True)
            missing = np.array([constraint.excess(figure) > 0.0 for figure in distinct.tolist()])
            short |= missing[places.reshape(-1)]
        return short


def repaired_by_class(rules: RecordRules, masked: Table, names: Sequence[str], fixed: Codes, short: Short) -> Table:
    """Return a masked table without forbidden records, repaired by whole combinations."""
    # A record that breaks a rule takes the combination (of `names`) of the nearest legal class with the same `fixed`
    # values. Classes that become short by this are dissolved, the smaller half at a time, until none is. What finds no
    # class is repaired cell by cell, or stays where it breaks no rule.
    # fixed (n, F)
    broken = rules.broken(masked)
    if not broken.any():
        return masked
    search = _LegalClasses(rules, masked, names, fixed)
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


class _LegalClasses:
    """The classes of a masked file, and the nearest legal one of each record."""

    # Near: categories by `evosdc.table.distance`, numbers over the original's range; of equally near classes the
    # greater one, then the first in the file.

    def __init__(self, rules: RecordRules, masked: Table, names: Sequence[str], fixed: Codes) -> None:
        schema = masked.schema
        attributes = [*schema.categorical, *schema.numeric]
        self._rules, self._masked, self._own = rules, masked, rules.classes_of(masked)
        self._taken: Flags = np.array([attribute.name in names for attribute in attributes])
        self._matrices = [category_distance(attribute, schema.na).matrix for attribute in schema.categorical]
        known = [column[~np.isnan(column)] for column in rules.original.numbers.T]
        self._ranges = [float(np.ptp(column)) or 1.0 if len(column) else 1.0 for column in known]
        groups = equivalence_classes(fixed).of
        keys = key_codes(masked, [attribute.name for attribute in attributes if attribute.name in names])
        self.classes: Classes = equivalence_classes(np.column_stack([groups, keys]).astype(np.int32))
        self._group_of_class = groups[self.classes.first]
        self._greatest_first = np.argsort(-self.classes.counts, kind="stable")
        # Records alike in all that counts find the same class.
        alike = [self.classes.of, *rules.others.T, *self._own[:, ~self._taken].T]
        self._alike = equivalence_classes(np.column_stack(alike).astype(np.int32))

    def nearest(self, movers: Rows, open_classes: Flags) -> NDArray[np.int64]:
        """Return the nearest legal class of each record, among those that are open; `NOWHERE` where there is none."""
        listed = self._greatest_first[open_classes[self._greatest_first]]
        kinds, place = np.unique(self._alike.of[movers], return_inverse=True)
        found = np.array([self._nearest(int(row), listed) for row in self._alike.first[kinds]], dtype=np.int64)
        return found[place.reshape(-1)]

    def _nearest(self, row: int, listed: NDArray[np.int64]) -> int:
        listed = listed[self._group_of_class[listed] == self._group_of_class[self.classes.of[row]]]
        donors, masked, size = self.classes.first[listed], self._masked, len(self._matrices)
        if not len(donors):
            return NOWHERE
        distances = np.zeros(len(donors))
        for v in np.flatnonzero(self._taken):
            if v < size:
                distances += self._matrices[v][masked.codes[row, v], masked.codes[donors, v]]
                continue
            apart = np.abs(masked.numbers[row, v - size] - masked.numbers[donors, v - size]) / self._ranges[v - size]
            unequal = np.isnan(masked.numbers[row, v - size]) != np.isnan(masked.numbers[donors, v - size])
            distances += np.where(np.isnan(apart), unequal, apart)
        trials = np.where(self._taken, self._own[donors], self._own[row])
        distances[self._rules.breaking(trials, np.full(len(donors), row))] = np.inf
        best = int(distances.argmin())
        return int(listed[best]) if np.isfinite(distances[best]) else NOWHERE

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
