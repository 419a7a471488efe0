"""The fitness that puts a price on matrices that are not invariant."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from evosdc.model import Fitness, Parameters


class Penalised(Fitness):
    """``F + weight * shift``, F the mean or the maximum of IL and DR, shift that of the marginals, 0..100.

    The shift is measure ``marginal-shift``, ``100 ||T P - T||_1 / (2 N)`` averaged over attributes, which must be among
    the measures. One of three ways to invariant matrices; all of them are a reconstruction.
    """

    class Params(Parameters):
        """What is penalised, and how much."""

        base: Literal["mean", "max"] = Field("mean", description="how IL and DR are combined")
        weight: float = Field(1.0, ge=0, description="price of a shift of one per cent of the records")

    params: Params
    needs: tuple[str, ...] = ("il", "dr", "marginal-shift")

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the one objective."""
        il, dr = scores["il"], scores["dr"]
        base = max(il, dr) if self.params.base == "max" else (il + dr) / 2.0
        return (base + self.params.weight * scores["marginal-shift"],)
