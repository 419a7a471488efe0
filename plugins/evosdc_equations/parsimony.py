"""Parsimony as a second objective: the better protection first, the shorter equation too."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from evosdc.model import Fitness, Parameters


class Parsimony(Fitness):
    """Mean or greater of IL and DR, then the number of nodes of the genome's trees.

    Algorithms that compare objectives in order (tournaments) take it as a tie-break; those that compare by dominance
    keep a front of short and good equations. A file without equation counts 0 nodes.
    """

    class Params(Parameters):
        """Parameters of the fitness."""

        of: Literal["mean", "max"] = Field("mean", description="how IL and DR are combined")
        digits: int | None = Field(
            None, ge=0, le=12, description="round the first objective, so that nearly equal files count as equal"
        )

    params: Params

    @property
    def objectives(self) -> int:
        """Two."""
        return 2

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the combined score, 0..100, and the number of nodes."""
        il, dr = scores["il"], scores["dr"]
        value = (il + dr) / 2.0 if self.params.of == "mean" else max(il, dr)
        rounded = value if self.params.digits is None else round(value, self.params.digits)
        return (rounded, float(scores.get("nodes", 0.0)))
