"""The post-randomisation method (PRAM)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from evosdc.data.schema import Scale
from evosdc.data.table import Codes, Table
from evosdc.model import MaskingMethod, Parameters
from evosdc_masking.frequencies import frequencies
from evosdc_masking.kernel import kernel
from evosdc_masking.transitions import Matrix, cumulative, design_a, design_b


def _lowered(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


class Pram(MaskingMethod):
    """Redraw every value, independently for each record, from its row of the attribute's transition matrix.

    A missing value is left as it is and is not counted among the frequencies, whatever the rule for missing values.
    """

    class Params(Parameters):
        """Design of the matrices and its one number."""

        design: Annotated[
            Literal["a", "b"],
            BeforeValidator(_lowered),
            Field(description="a: constant diagonal p, flattens marginals; b: invariant, amount theta."),
        ] = "a"
        p: float | None = Field(
            default=None,
            ge=0,
            le=1,
            description="Design a: probability that a value is kept, 0.8 unless given; 1 changes nothing.",
        )
        theta: float | None = Field(
            default=None,
            ge=0,
            le=1,
            description="Design b: amount of perturbation, 0.5 unless given; 0 changes nothing.",
        )

        @field_validator("p", "theta")
        @classmethod
        def _belongs(cls, value: float | None, info: ValidationInfo) -> float | None:
            design = info.data.get("design")
            if design is None:
                return value  # refused already; nothing can be said of its number
            own, other, usual = ("p", "b", 0.8) if info.field_name == "p" else ("theta", "a", 0.5)
            if design == other and value is not None:
                raise ValueError(f"nothing, since design {other} has no {own}")
            return usual if design != other and value is None else value

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the perturbed table; one uniform number is drawn per record and attribute."""
        self.require_support(table)
        uniforms = rng.random(table.codes.shape)
        codes = np.empty_like(table.codes)
        for j, attribute in enumerate(table.schema.categorical):
            column = table.codes[:, j]
            matrix = self.matrix(frequencies(column, len(attribute.categories)))
            codes[:, j] = drawn(column, cumulative(matrix), uniforms[:, j]) if matrix.size else column
        return Table(table.schema, codes, table.numbers)

    def matrix(self, frequencies: NDArray[np.int64]) -> Matrix:
        """Return the transition matrix of an attribute with these frequencies of categories."""
        if self.params.design == "a":
            assert self.params.p is not None
            return design_a(frequencies, self.params.p)
        assert self.params.theta is not None
        return design_b(frequencies, self.params.theta)


@kernel
def drawn(column: Codes, sums: Matrix, uniforms: NDArray[np.float64]) -> Codes:
    """Return for each record the first category whose cumulative probability exceeds its uniform number.

    Parameters
    ----------
    column : ndarray of int32, shape (n,)
        Original codes; missing ones are returned as they are.
    sums : ndarray of float64, shape (c, c)
        Cumulative sums of the transition matrix's rows, see `evosdc_masking.transitions.cumulative`.
    uniforms : ndarray of float64, shape (n,)
        In [0, 1).
    """
    published = column.copy()
    for record in range(column.size):
        if column[record] >= 0:
            row = sums[column[record]]
            low, high = 0, row.size - 1
            while low < high:
                middle = (low + high) // 2
                if row[middle] > uniforms[record]:
                    high = middle
                else:
                    low = middle + 1
            published[record] = low
    return published
