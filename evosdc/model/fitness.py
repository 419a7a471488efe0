"""The contract of fitnesses: from scores to objectives, all minimised."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model.parameters import Parameters


class Fitness(ABC):
    """A way of combining the scores of a candidate into one or more objectives.

    `combine` is given the score of each measure by name, and besides, where measures of both kinds are present, the
    aggregates ``"il"`` and ``"dr"`` (`evosdc.model.Aggregation`).
    """

    class Params(Parameters):
        """No parameters."""

    needs: tuple[str, ...] = ("il", "dr")  # Scores without which `combine` cannot work

    def __init__(self, params: Any) -> None:
        self.params = params

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        first, together, reading = (
            next(place for place, parent in enumerate(cls.__mro__) if name in vars(parent))
            for name in ("combine", "combine_columns", "reads")
        )
        # What is behind its `combine` says what another one does.
        if first < together:
            cls.combine_columns = Fitness.combine_columns  # type: ignore[method-assign]
        if first < reading:
            cls.reads = Fitness.reads  # type: ignore[method-assign]

    def bound(self, directions: Mapping[str, str]) -> "Fitness":
        """Return the fitness for the measures of an experiment; itself, where it needs to know nothing of them.

        Parameters
        ----------
        directions : mapping of str to str
            ``"minimise"`` or ``"maximise"`` by the name of each measure, in the order of the experiment.
        """
        return self

    @property
    def objectives(self) -> int:
        """How many objectives `combine` returns."""
        return 1

    @property
    def reads(self) -> Collection[str] | None:
        """Scores that `combine` looks at, and no other; None, the default, where it may look at any."""
        return None

    @abstractmethod
    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the objectives, all finite, all to be minimised."""

    def combine_columns(self, scores: Mapping[str, NDArray[np.float64]]) -> tuple[NDArray[np.float64], ...]:
        """Return the objectives of several candidates, shape (k,) each; by default `combine` of each.

        An implementation for all at once must return the same to the last bit.
        """
        rows = zip(*(column.tolist() for column in scores.values()), strict=True)
        found = [self.combine(MappingProxyType(dict(zip(scores, row, strict=True)))) for row in rows]
        return tuple(np.array(objective, dtype=np.float64) for objective in zip(*found, strict=True))


class SingleMeasure(Fitness):
    """One measure alone: what ``fitness = { name = "<a measure>" }`` means."""

    needs: tuple[str, ...] = ()

    def __init__(self, measure: str, direction: str = "minimise") -> None:
        super().__init__(self.Params())
        self.measure = measure
        self._sign = -1.0 if direction == "maximise" else 1.0

    @property
    def reads(self) -> Collection[str]:
        """The measure."""
        return (self.measure,)

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the measure's score, its sign changed where more is better."""
        return (self._sign * scores[self.measure],)

    def combine_columns(self, scores: Mapping[str, NDArray[np.float64]]) -> tuple[NDArray[np.float64], ...]:
        """Return the scores of several candidates."""
        return (self._sign * scores[self.measure],)


def single_measure(measure: str, params: Mapping[str, Any], direction: str) -> SingleMeasure:
    """Return the fitness of one measure."""
    if params:
        wanted = "no parameters: those of a measure stand where it is listed"
        raise ParameterError(Fault(f"fitness {measure}", ", ".join(params), wanted))
    return SingleMeasure(measure, direction)
