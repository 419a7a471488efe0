"""Replicated uniques: people who are alone with their values in the original and in the published file."""

import numpy as np
from pydantic import Field

from evosdc.model import Estimate, Estimated, Judge
from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_judges.classes import classes_of, keys_of


class ReplicatedUniques(Judge):
    """Records unique in the original whose combination of values is unique in the published file too, in per cent.

    ``repU`` of Raab, Nowok and Dibben (2024), as a percentage of all records: the number of combinations that occur
    exactly once in both files over the number of records. Range 0..100, smaller is better.

    It looks at two sets of records and not at who is who: a published record that replicates a person need not have
    been made from that person's, and a file whose records are in another order has the score of the original. Labels
    count as they stand. A missing value is a class of its own; numbers are taken by `bins` classes: a reconstruction.
    """

    supports = frozenset(Scale)
    known = True
    warns_from = 0.5
    intruder = "looks unique people up in the published file"
    sentence = (
        "{masked} % of the people are unique, and so is a published record with just their values, theirs or not; "
        "{original} % in the unmasked file."
    )

    class Params(Judge.Params):
        """Classes."""

        bins: int = Field(20, ge=2, le=1000, description="Classes of a numeric attribute.")

    params: Params

    def fit(self, original: Table) -> "FittedReplicatedUniques":
        """Find the combinations of the original."""
        self.require_support(original)
        return FittedReplicatedUniques(original, self.params.bins)


class FittedReplicatedUniques(Estimated):
    """`ReplicatedUniques` of one original."""

    def __init__(self, original: Table, bins: int) -> None:
        self._classes = classes_of(original, bins)
        self._codes = self._classes.of(original)

    def estimate(self, masked: Table) -> Estimate:
        """Return the percentage; exact."""
        n = len(self._codes)
        keys = keys_of(np.vstack((self._codes, self._classes.of(masked))), self._classes.sizes)
        _, inverse = np.unique(keys, return_inverse=True)
        ours, theirs = (np.bincount(part, minlength=inverse.max() + 1) for part in (inverse[:n], inverse[n:]))
        return Estimate.exact(100.0 * float(((ours == 1) & (theirs == 1)).sum()) / n)
