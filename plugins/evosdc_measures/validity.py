"""Figures of what a masked file holds that cannot be, and of what it no longer holds."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Measure, Microdata
from evosdc.model.parameters import Parameters
from evosdc.table.record_rules import RecordRules
from evosdc.table.schema import Scale
from evosdc.table.structural_zeros import THRESHOLD, find_structural_zeros
from evosdc.table.table import MISSING, Rows, Table
from evosdc_measures.domains import Integers
from evosdc_measures.records import FittedRecordCounts, InWholeFile


class ImpossibleRecords(InWholeFile):
    """Share of records with a structural zero, or that break an edit rule of the schema, times 100.

    A structural zero is a pair of categories that no original record has, although the margins lead to expect
    `threshold` of them, alone or together with others (`evosdc.table.structural_zeros`). One of the two attributes is
    masked; the other may be any.
    Range 0..100, smaller is better. The original itself holds no structural zero, but may break edit rules. Attributes
    that are not masked stand as in the original.
    """

    supports = frozenset(Scale)
    auxiliary_all = True

    class Params(Parameters):
        """What counts as a structural zero."""

        threshold: float = Field(THRESHOLD, gt=0, description="Records that the margins must lead to expect.")

    params: Params

    def fit_in(self, microdata: Microdata) -> "FittedImpossibleRecords":
        """Find the structural zeros of the file."""
        zeros = find_structural_zeros(microdata.table, microdata.protect, self.params.threshold)
        rules = microdata.table.schema.edit_rules
        return FittedImpossibleRecords(RecordRules(microdata.table, microdata.protect, rules, zeros))


class FittedImpossibleRecords(FittedRecordCounts):
    """`ImpossibleRecords` of one original."""

    def __init__(self, rules: RecordRules) -> None:
        super().__init__(rules.original, len(rules.original))
        self._rules = rules

    def counts(self, masked: Table, rows: Rows) -> Integers:
        """Return 1 for each of some records that is impossible, and 0 for others; O(V + W) a record and rule."""
        return self._rules.broken(masked, rows).astype(np.int64)


class Suppression(Measure):
    """Share of the original's values that the masked file has as missing, times 100.

    Values that are missing in the original count neither as suppressed nor among all. Range 0..100, smaller is better;
    0 for the original. Willenborg and de Waal (2001).
    """

    supports = frozenset(Scale)

    def fit(self, original: Table) -> "FittedSuppression":
        """Look which values there are."""
        return FittedSuppression(original)


class FittedSuppression(FittedRecordCounts):
    """`Suppression` of one original."""

    def __init__(self, original: Table) -> None:
        self._known = known_values(original)
        super().__init__(original, int(self._known.sum()))

    def counts(self, masked: Table, rows: Rows) -> Integers:
        """Return how many values of some records are suppressed."""
        counts: Integers = (self._known[rows] & ~known_values(masked)).sum(axis=1)
        return counts


def known_values(table: Table) -> NDArray[np.bool_]:
    """Return which values are there, those of categorical attributes first, shape (n, V)."""
    return np.hstack([table.codes != MISSING, ~np.isnan(table.numbers)])
