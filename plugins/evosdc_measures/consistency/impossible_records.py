"""The share of masked records that nobody can be."""

import numpy as np
from pydantic import Field

from evosdc.model import Measure, Microdata
from evosdc.model.parameters import Parameters
from evosdc.table.record_rules import RecordRules
from evosdc.table.schema import Scale
from evosdc.table.structural_zeros import THRESHOLD, find_structural_zeros
from evosdc.table.table import Rows, Table
from evosdc_measures.domains import Integers
from evosdc_measures.records import FittedRecordCounts


class ImpossibleRecords(Measure):
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

    def fit(self, original: Table) -> "FittedImpossibleRecords":
        """Find the structural zeros among the judged attributes alone."""
        return self.fit_in(Microdata(original, original.schema.names))

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
