"""Masking methods for the suite: a deterministic one, a random one, and one that breaks links on purpose."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import MaskingMethod, Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Table
from evosdc.testing import edited, shuffled


class Coarsen(MaskingMethod):
    """Merge pairs of neighbouring categories."""

    supports = frozenset({Scale.ORDINAL})

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        self.require_support(table)
        codes = np.where(table.codes == MISSING, MISSING, table.codes // 2 * 2)
        return Table(table.schema, codes.astype(np.int32), table.numbers)


class Blur(MaskingMethod):
    """Replace values of some records; asks for two records at least."""

    class Params(Parameters):
        share: float = Field(0.3, gt=0, le=1)

    def require_fit(self, table: Table) -> None:
        super().require_fit(table)
        if len(table) < 2:
            raise ParameterError(Fault("method blur", "1 record", "at least 2"))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        self.require_fit(table)
        return edited(table, rng, self.params.share)[0]


class Shuffle(MaskingMethod):
    """Permute each attribute, apart from the others."""

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        return shuffled(table, rng)
