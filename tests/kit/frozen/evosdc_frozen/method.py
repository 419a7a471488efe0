"""The masking method `frozen-masking-method`."""

import numpy as np
from pydantic import Field

from evosdc.model import MaskingMethod, Parameters, Table


class FrozenMethod(MaskingMethod):
    """Permute the values of each attribute among some records."""

    class Params(Parameters):
        """Parameters of the method."""

        share: float = Field(0.3, ge=0, le=1, description="share of records that take part, for each attribute anew")

    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the masked table; all randomness comes from `rng`."""
        codes, numbers = table.codes.copy(), table.numbers.copy()
        for matrix in (codes, numbers):
            for column in matrix.T:
                chosen = np.flatnonzero(rng.random(len(table)) < self.params.share)
                column[chosen] = column[rng.permutation(chosen)]
        return Table(table.schema, codes, numbers)
