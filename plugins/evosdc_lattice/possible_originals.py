"""Losses of a generalised file that look at whole records: ambiguity and Kullback-Leibler divergence."""

from math import fsum

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Fitted
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.table import Table
from evosdc_lattice.ladder import Ladder, ladders_of, with_hierarchy
from evosdc_lattice.table_summary import covered_leaves


class _OfRecords(Fitted):
    """A loss by the leaves that each published value stands for."""

    def __init__(self, original: Table) -> None:
        self._original = original
        columns = [original.column(name) for name in original.schema.names]
        attributes = [
            with_hierarchy(attribute, column)[0]
            for attribute, column in zip(original.schema.attributes, columns, strict=True)
        ]
        self._ladders: tuple[Ladder, ...] = ladders_of(attributes, columns)

    def logarithms(self, masked: Table) -> NDArray[np.float64]:
        """Return the logarithm to base 2 of the original records that each published one may be, shape (n,)."""
        leaves = covered_leaves(self._ladders, masked)
        return np.asarray(np.log2(leaves).sum(axis=1), dtype=np.float64)


class FittedAmbiguity(_OfRecords):
    """Mean, over published records, of the combinations of leaves that they stand for; 1 for the original itself."""

    def score(self, masked: Table) -> float:
        """Return the mean number of combinations; cut at 1e300."""
        sizes = np.sort(np.exp2(np.minimum(self.logarithms(masked), 990.0)))
        return min(fsum(sizes.tolist()) / len(sizes), 1e300)


class FittedDivergence(_OfRecords):
    """Kullback-Leibler divergence, in bits, of the original's records from what the published file lets one assume."""

    def __init__(self, original: Table) -> None:
        super().__init__(original)
        classes = equivalence_classes(key_codes(original, original.schema.names))
        self._own = classes.counts[classes.of].astype(np.float64)

    def score(self, masked: Table) -> float:
        """Return ``mean log2(p / q)``: p the share of the original record, q its class's over the combinations."""
        classes = equivalence_classes(key_codes(masked, self._original.schema.names))
        shown = classes.counts[classes.of].astype(np.float64)
        bits = np.sort(np.log2(self._own) - np.log2(shown) + self.logarithms(masked))
        return max(fsum(bits.tolist()) / len(bits), 0.0)
