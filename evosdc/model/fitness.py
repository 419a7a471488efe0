"""The contract of fitnesses: from scores to objectives, all minimised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from evosdc.model.parameters import Parameters


class Fitness(ABC):
    """A way of combining the scores of a candidate into one or more objectives.

    `combine` is given the score of each measure by name, and besides, where measures of both kinds are present, the
    aggregates ``"il"`` and ``"dr"`` (`evosdc.model.Aggregation`).
    """

    class Params(Parameters):
        """No parameters."""

    needs: ClassVar[tuple[str, ...]] = ("il", "dr")
    """Scores without which `combine` cannot work."""

    def __init__(self, params: Any) -> None:
        self.params = params

    @property
    def objectives(self) -> int:
        """How many objectives `combine` returns."""
        return 1

    @abstractmethod
    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the objectives, all finite, all to be minimised."""
