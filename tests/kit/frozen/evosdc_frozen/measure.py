"""The measure `frozen-measure`."""

import numpy as np

from evosdc.model import Fitted, Measure
from evosdc.table.schema import Scale
from evosdc.table.table import Table


class Differing(Fitted):
    """What is known of the original."""

    def __init__(self, original: Table) -> None:
        self._original = original

    def score(self, masked: Table) -> float:
        """Return the percentage of cells that differ."""
        a, b = self._original.numbers, masked.numbers
        numbers = (a != b) & ~(np.isnan(a) & np.isnan(b))
        changed = int((self._original.codes != masked.codes).sum()) + int(numbers.sum())
        return 100.0 * changed / (len(masked) * len(masked.schema))


class FrozenMeasure(Measure):
    """Percentage of cells that differ from the original."""

    supports = frozenset(Scale)

    def fit(self, original: Table) -> Differing:
        """Do once what depends on the original alone."""
        return Differing(original)
