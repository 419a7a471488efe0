"""The limit of a file: the bound that no masked file can beat, by plugins, for the measures of a search."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from evosdc.model.aggregation import Aggregation
from evosdc.table.table import Table


@dataclass(frozen=True)
class Judgement:
    """How files are judged: the input of a limit.

    Parameters
    ----------
    original : Table
        The protected attributes.
    aggregation : Aggregation
        Which measures make information loss (IL) and disclosure risk (DR), and how.
    params : mapping of str to mapping
        The parameters in force of each of these measures.
    partial : frozenset of str
        Measures that judge some of the attributes only.
    """

    original: Table
    aggregation: Aggregation
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    partial: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Limit:
    """Lower bounds of IL and DR that hold for every masked file of one original.

    Parameters
    ----------
    least : mapping of str to float
        By fitness: its value below which no file lies.
    curve : tuple of (float, float)
        Corners (IL, DR), from IL = 0 to IL = 100, of a convex falling curve below which no file lies.
    il, dr : tuple of str
        The measures that it holds for.
    attributes : tuple of str
    """

    least: Mapping[str, float]
    curve: tuple[tuple[float, float], ...]
    il: tuple[str, ...]
    dr: tuple[str, ...]
    attributes: tuple[str, ...]

    def least_dr(self, il: float) -> float:
        """Return the DR below which no file with an IL, or a lower one, lies."""
        for (left, high), (right, low) in pairwise(self.curve):
            if left <= il <= right and left < right:
                return high + (low - high) * (il - left) / (right - left)
        return self.curve[-1][1]

    def above(self, value: float, fitness: str) -> float | None:
        """Return by how many per cent a fitness lies above its limit; None where it has none, or one of 0."""
        least = self.least.get(fitness, 0.0)
        return 100.0 * (value / least - 1.0) if least > 0.0 else None

    def to_json(self) -> dict[str, Any]:
        """Return the limit as JSON-able data."""
        return {
            "least": dict(self.least),
            "curve": [{"il": il, "dr": dr} for il, dr in self.curve],
            "il": list(self.il),
            "dr": list(self.dr),
            "attributes": list(self.attributes),
        }
