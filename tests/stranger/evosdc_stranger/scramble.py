"""The masking method `scramble`."""

import numpy as np
from pydantic import Field

from evosdc.model import MaskingMethod, Parameters, Table


class Scramble(MaskingMethod):
    """Permute the values of each attribute, apart from the others, among a random share of the records."""

    class Params(Parameters):
        """Parameters of the method."""

        share: float = Field(0.3, ge=0, le=1, description="share of records that take part, drawn for each attribute")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the scrambled table."""
        codes, numbers = table.codes.copy(), table.numbers.copy()
        for matrix in (codes, numbers):
            for column in matrix.T:
                taking_part = np.flatnonzero(rng.random(len(table)) < self.params.share)
                column[taking_part] = column[rng.permutation(taking_part)]
        return Table(table.schema, codes, numbers)
