"""Global recoding of rare categories."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.data.schema import Scale
from evosdc.data.table import Table
from evosdc.errors import ParameterError
from evosdc.model import MaskingMethod, Parameters
from evosdc_masking.frequencies import frequencies, occurring
from evosdc_masking.recoding.merging import merged, too_many


class GlobalRecoding(MaskingMethod):
    """Merge the q least frequent categories of each attribute, in all records.

    Only categories that occur count towards q; of equally frequent ones those first in the order of the categories
    are merged first. The merged category is represented by one of its members, so that the file keeps its domain: the
    lower median of the merged records (ordinal) or the most frequent member (nominal); that choice is a
    reconstruction. With q the number of occurring categories the attribute becomes constant. Missing values stay
    missing.

    Source: Domingo-Ferrer and Torra (2001) for the parameter.
    """

    class Params(Parameters):
        """How many categories are merged."""

        q: int = Field(default=2, ge=1, description="Number of categories to merge; 1 changes nothing.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    params: Params

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` naming each attribute with fewer than q categories in the file."""
        super().require_fit(table)
        found = [(a, occurring(table.codes[:, j])) for j, a in enumerate(table.schema.categorical)]
        faults = [too_many("global-recoding", a, self.params.q, size) for a, size in found if self.params.q > size]
        if faults:
            raise ParameterError(faults)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the recoded table.

        Raises
        ------
        ParameterError
            Names each attribute with fewer than q categories in the file.
        """
        self.require_fit(table)
        codes = np.empty_like(table.codes)
        for j, attribute in enumerate(table.schema.categorical):
            counts = frequencies(table.codes[:, j], len(attribute.categories))
            codes[:, j] = merged(counts, by_rarity(counts)[: self.params.q], attribute.scale)[table.codes[:, j]]
        return Table(table.schema, codes, table.numbers)


def by_rarity(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the categories that occur, from the rarest to the most frequent, equal ones in their own order."""
    order = np.argsort(counts, kind="stable")
    return order[counts[order] > 0].astype(np.int64)
