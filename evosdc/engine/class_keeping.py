"""Repair of masked files under constraints on privacy models: classes of records are kept where cells would break them.

A constraint such as ``k-anonymity >= 3`` is a promise about records that look alike. Values that go back to the
original one by one make records unlike.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from math import ceil

import numpy as np

from evosdc.engine.headline import Headline, unmasked_of
from evosdc.engine.trackers import scores_of
from evosdc.model import ByClass, Fitted, Microdata
from evosdc.model.constraint import Constraint, Constraints
from evosdc.model.individual import INFEASIBILITY
from evosdc.table.equivalence import key_codes
from evosdc.table.record_rules import Flags
from evosdc.table.table import Codes, Table


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
        from evosdc.table.class_repair import repaired_by_class  # numba is loaded with it

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
