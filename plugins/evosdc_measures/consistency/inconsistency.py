"""Broken edit rules as a measure of inconsistency."""

from evosdc.model import Measure, Microdata
from evosdc.table.record_rules import RecordRules
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_measures.consistency.impossible_records import FittedImpossibleRecords


class Inconsistency(Measure):
    """Records that break an edit rule of the schema (`evosdc.table.edit_rules`), per cent.

    `ImpossibleRecords` without the structural zeros that evosdc finds by itself: rules that people wrote alone, such as
    that no child is married (Fellegi and Holt 1976). Rules without a masked attribute are passed over; without any rule
    it is 0. Range 0..100, smaller is better; the original itself may break some.
    """

    supports = frozenset(Scale)
    auxiliary_all = True

    def fit(self, original: Table) -> FittedImpossibleRecords:
        """Take the rules among the judged attributes alone."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> FittedImpossibleRecords:
        """Take the rules of the file.

        Raises
        ------
        ParameterError
            Rules that do not fit the file.
        """
        rules = microdata.table.schema.edit_rules
        return FittedImpossibleRecords(RecordRules(microdata.table, microdata.protect, rules, None))
