"""Parameters of the genotype `pram`."""

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from evosdc.model import Parameters
from evosdc_pram.initial_matrices import FAMILIES, Family


class PramParameters(Parameters):
    """What a user may set of the genotype `pram`."""

    attributes: tuple[str, ...] = Field((), description="protected attributes that are randomised; default: all")
    scale: int = Field(1000, ge=10, le=10**6, description="sum of a row: p = value / scale; not for flows")
    grain: int = Field(10, ge=1, le=10**4, description="flows: into how many parts a record may be divided")
    invariance: Literal["none", "two-stage", "flow"] = Field("none", description="how T P = T is ensured")
    least: float = Field(0.0, ge=0, le=1, description="lower bound of diagonal probabilities")
    most: float = Field(1.0, ge=0, le=1, description="upper bound of diagonal probabilities; least = most fixes them")
    retained: float | None = Field(
        None, ge=0, le=1, description="expected share of unchanged values that matrices are diluted to"
    )
    draws: int = Field(5, ge=1, le=1000, description="tables drawn and scored for one evaluation")
    fresh_draws: int = Field(30, ge=2, le=100_000, description="tables that the winner is scored on at the end")
    judge: Literal["draws", "expectation"] = Field("draws", description="whether measures see tables or matrices")
    relabelling: float = Field(
        3.0, ge=0, le=100, description="records, in per cent, that may read right under exchanged labels; 100: any"
    )
    mutations: float = Field(2.0, ge=0, le=1000, description="mean of the Poisson number of changes by a mutation")
    swaps: float = Field(0.2, ge=0, le=1, description="share of changes that swap two values of a row; not for flows")
    rows: Literal["one-point", "two-point", "uniform"] = Field("uniform", description="exchange of rows by crossover")
    crossovers: tuple[Literal["rows", "attributes", "blend"], ...] = Field(
        ("rows", "attributes", "blend"), min_length=1, description="crossovers, one of them drawn each time"
    )
    start: tuple[Family, ...] = Field(FAMILIES, description="families of initial matrices")

    @field_validator("attributes")
    @classmethod
    def _each_once(cls, attributes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(attributes)) < len(attributes):
            raise ValueError("each attribute once")
        return attributes

    @field_validator("most")
    @classmethod
    def _bounds(cls, most: float, info: ValidationInfo) -> float:
        least = info.data.get("least", 0.0)
        if most < least:
            raise ValueError("at least as much as the lower bound of the diagonal")
        if most < 1.0 and info.data.get("invariance") == "two-stage":
            raise ValueError("1 with two-stage matrices: dilution can raise their diagonal only; use retained")
        return most

    @field_validator("retained")
    @classmethod
    def _free_above(cls, retained: float | None, info: ValidationInfo) -> float | None:
        if retained is not None and info.data.get("most", 1.0) < 1.0:
            raise ValueError("nothing beside an upper bound of the diagonal, which dilution would leave")
        return retained
