"""The share of values that are suppressed."""

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Measure
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Rows, Table
from evosdc_measures.domains import Integers
from evosdc_measures.records import FittedRecordCounts


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
