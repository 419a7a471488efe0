"""Parameters of the genotype `cells`."""

from typing import Literal

from pydantic import Field

from evosdc.model import Parameters


class CellsParameters(Parameters):
    """Parameters of the genotype."""

    mutations: float = Field(1.0, ge=0, le=1000, description="mean of the number of cells that mutate")
    mutation: Literal["poisson", "bernoulli"] = Field(
        "poisson",
        description="how many mutate: a Poisson number, at least one; or each cell by itself, maybe none",
    )
    steps: bool = Field(False, description="whether ordinal cells move to a neighbouring category only")
    numbers: Literal["gray", "gaussian"] = Field(
        "gray", description="mutation of a number: one bit of its Gray code flips, or a normal step is added"
    )
    spread: float = Field(
        0.1, gt=0, le=10, description="standard deviation of a normal step, in those of the attribute"
    )
    crossover: Literal["one-point", "two-point", "m-point", "uniform", "record-block", "attribute-block"] = Field(
        "two-point", description="crossover operator on the file, flattened record by record"
    )
    points: int = Field(4, ge=1, description="cuts of the m-point crossover")
    p: float = Field(0.5, ge=0, le=1, description="probability that the uniform crossover exchanges a cell")
    edit_rules: tuple[dict[str, str | float | tuple[float, float] | tuple[str, ...]], ...] = Field(
        (),
        description="combinations that no record may have: { sex = 'male', status = ['pregnant'], age = [0, 14] }",
    )
