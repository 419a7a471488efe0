"""The file that a recipe was made for, as recipe files and experiments tell of it."""

from typing import Literal

from pydantic import Field

from evosdc.model import Parameters


class AttributeProfile(Parameters):
    """How an attribute was distributed in the file that a recipe was made for, rounded so that nobody is told of."""

    scale: Literal["nominal", "ordinal", "numeric"] = Field(description="as the schema has it")
    percent: dict[str, float] = Field(default_factory=dict, description="per cent of the records by category, rounded")
    deciles: tuple[float, ...] = Field((), description="of numbers, rounded")


class MadeFor(Parameters):
    """The file that a recipe was made for."""

    records: int = Field(ge=1, description="how many it had")
    protect: tuple[str, ...] = Field(min_length=1, description="attributes that the recipe masks")
    attributes: dict[str, AttributeProfile] = Field(description="how each of them was distributed")
