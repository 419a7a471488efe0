"""The post-randomisation method (PRAM)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from evosdc.data.equations.recipe import read_recipe
from evosdc.data.post_randomisation import drawn
from evosdc.data.schema import Attribute, Scale
from evosdc.data.table import Codes, Table
from evosdc.data.transition import Matrix, cumulative, design_a, design_b
from evosdc.model import MaskingMethod, Parameters
from evosdc_masking.frequencies import frequencies


def _lowered(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


class Pram(MaskingMethod):
    """Redraw every value, independently for each record, from its row of the attribute's transition matrix.

    A missing value is left as it is and is not counted among the frequencies, whatever the rule for missing values.
    """

    class Params(Parameters):
        """Design of the matrices and its one number, or a file with an equation that fills them."""

        equation: Path | None = Field(
            default=None,
            description="A file with an equation that fills the matrices, as evosdc run writes it (equation.toml); "
            "in place of a design.",
        )
        design: Annotated[
            Literal["a", "b"] | None,
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
            if info.data.get("equation") is not None:
                if value is not None:
                    raise ValueError("nothing, since the equation's file has all that it needs")
                return None
            design = info.data.get("design")
            if design is None:
                return value  # refused already; nothing can be said of its number
            own, other, usual = ("p", "b", 0.8) if info.field_name == "p" else ("theta", "a", 0.5)
            if design == other and value is not None:
                raise ValueError(f"nothing, since design {other} has no {own}")
            return usual if design != other and value is None else value

        @model_validator(mode="after")
        def _one_way(self) -> Self:
            if self.equation is not None and "design" in self.model_fields_set:
                raise ValueError("a design or an equation, and not both")
            if self.equation is not None:
                object.__setattr__(self, "design", None)
            elif self.design is None:
                raise ValueError("design a or b, or an equation")
            return self

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NOMINAL, Scale.ORDINAL})
    params: Params

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._recipe = read_recipe(params.equation) if params.equation is not None else None

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the perturbed table; one uniform number is drawn per record and attribute."""
        self.require_support(table)
        uniforms = rng.random(table.codes.shape)
        codes = np.empty_like(table.codes)
        for j, attribute in enumerate(table.schema.categorical):
            column = table.codes[:, j]
            matrix = self._matrix_of(column, attribute)
            codes[:, j] = drawn(column, cumulative(matrix), uniforms[:, j]) if matrix.size else column
        return Table(table.schema, codes, table.numbers)

    def _matrix_of(self, column: Codes, attribute: Attribute) -> Matrix:
        if self._recipe is not None:
            return self._recipe.matrix(column, attribute)
        return self.matrix(frequencies(column, len(attribute.categories)))

    def matrix(self, frequencies: NDArray[np.int64]) -> Matrix:
        """Return the design's transition matrix of an attribute with these frequencies of categories."""
        if self.params.design == "a":
            assert self.params.p is not None
            return design_a(frequencies, self.params.p)
        assert self.params.theta is not None
        return design_b(frequencies, self.params.theta)
