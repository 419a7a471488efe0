"""The file that a recipe was made for, as recipe files and experiments tell of it."""

from typing import Literal

from pydantic import Field, field_validator

from evosdc.model import Parameters

DECILES = 9
"""From 10 % to 90 %."""


class AttributeProfile(Parameters):
    """How an attribute was distributed in the file that a recipe was made for, rounded so that nobody is told of."""

    scale: Literal["nominal", "ordinal", "numeric"] = Field(description="as the schema has it")
    percent: dict[str, float] = Field(default_factory=dict, description="per cent of the records by category, rounded")
    deciles: tuple[float, ...] = Field((), description="of numbers, rounded")

    @field_validator("percent")
    @classmethod
    def _shares(cls, percent: dict[str, float]) -> dict[str, float]:
        if not all(0.0 <= share <= 100.0 for share in percent.values()):
            raise ValueError("per cents in 0..100")
        return percent

    @field_validator("deciles")
    @classmethod
    def _ascending(cls, deciles: tuple[float, ...]) -> tuple[float, ...]:
        if len(deciles) not in (0, DECILES) or list(deciles) != sorted(deciles):
            raise ValueError(f"{DECILES} deciles in ascending order, or none")
        return deciles


class MadeFor(Parameters):
    """The file that a recipe was made for."""

    records: int = Field(ge=1, description="how many it had")
    protect: tuple[str, ...] = Field(min_length=1, description="attributes that the recipe masks")
    attributes: dict[str, AttributeProfile] = Field(description="how each of them was distributed")
