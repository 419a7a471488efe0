"""Fitnesses: from information loss and disclosure risk to the figures that are minimised."""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evosdc.errors import Fault, ParameterError
from evosdc.model import Fitness, Parameters
from evosdc.model.aggregation import greatest, total

Column = NDArray[np.float64]


class _Formula(Fitness):
    """A fitness whose formula reads numbers, or columns of several candidates, and reads all that it needs."""

    @property
    def reads(self) -> Collection[str]:
        """All scores that it needs."""
        return self.needs

    @abstractmethod
    def formula(self, scores: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the objectives of one candidate, or of several."""

    def combine(self, scores: Mapping[str, float]) -> tuple[float, ...]:
        """Return the objectives."""
        return self.formula(scores)

    def combine_columns(self, scores: Mapping[str, Column]) -> tuple[Column, ...]:
        """Return the objectives of several candidates."""
        return self.formula(scores)


class Mean(_Formula):
    """Mean of information loss and disclosure risk, ``(il + dr) / 2`` in 0..100 (thesis, Eq. 3.2)."""

    def formula(self, scores: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the mean of both."""
        return ((scores["il"] + scores["dr"]) / 2.0,)


class Max(_Formula):
    """Greater of information loss and disclosure risk, ``max(il, dr)`` in 0..100 (thesis, Eq. 3.4).

    A file that is good in one respect only gains nothing, so the search is drawn to balanced files.
    """

    def formula(self, scores: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the greater one."""
        both = scores["il"], scores["dr"]
        return (greatest(both) if isinstance(both[0], np.ndarray) else max(both),)


class Loss(_Formula):
    """Information loss alone, in 0..100: what is left to minimise where bounds keep the risk.

    Without a constraint on the risk the original itself is the best file.
    """

    needs: tuple[str, ...] = ("il",)

    def formula(self, scores: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the loss."""
        return (scores["il"],)


Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Weighted(_Formula):
    """Weighted mean of information loss and disclosure risk, or of single measures; 0..100 where they are.

    The weights are divided by their sum, so equal ones for il and dr give `Mean`.
    """

    class Params(Parameters):
        """Parameters of the fitness."""

        il: Weight | None = Field(None, description="weight of information loss; default: 1, or 0 beside `measures`")
        dr: Weight | None = Field(None, description="weight of disclosure risk; default: 1, or 0 beside `measures`")
        measures: dict[str, Weight] = Field(
            default_factory=dict, description="weights of single measures: { dbil = 1, prl = 2 }"
        )

        @model_validator(mode="after")
        def _something(self) -> Self:
            if not sum(self.weights.values()) > 0:
                raise ValueError("at least one weight above 0")
            return self

        @property
        def weights(self) -> dict[str, float]:
            """All weights by score, those of 0 left out."""
            usual = 0.0 if self.measures else 1.0
            both = {"il": usual if self.il is None else self.il, "dr": usual if self.dr is None else self.dr}
            return {name: weight for name, weight in {**both, **self.measures}.items() if weight > 0}

    def __init__(self, params: Any) -> None:
        super().__init__(params)
        weights = params.weights
        whole = sum(weights.values())
        # In one order, whatever the one they are given in: workers read them by the alphabet.
        self._shares = {name: weights[name] / whole for name in sorted(weights)}
        self.needs = tuple(self._shares)
        self._signs = dict.fromkeys(self._shares, 1.0)

    def bound(self, directions: Mapping[str, str]) -> Fitness:
        """Return the fitness with the sign of measures that are better when greater turned round."""
        other = type(self)(self.params)
        other._signs = {name: _sign(directions.get(name)) for name in self._shares}
        return other

    def formula(self, scores: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the weighted mean."""
        return (total([self._signs[name] * share * scores[name] for name, share in self._shares.items()]),)


class Pareto(_Formula):
    """Several objectives at once, none of which is traded for another: the search is for a whole front.

    Measures that are better when greater have their sign changed.
    """

    class Params(Parameters):
        """Parameters of the fitness."""

        objectives: Literal["il-dr", "measures"] | tuple[str, ...] = Field(
            "il-dr", description='information loss and disclosure risk, every measure ("measures"), or a list of scores'
        )

    def __init__(self, params: Any) -> None:
        super().__init__(params)
        chosen = params.objectives
        if isinstance(chosen, tuple) and (not chosen or len(set(chosen)) < len(chosen)):
            wanted = "at least one score, each once"
            raise ParameterError(Fault("fitness pareto: objectives", repr(list(chosen)), wanted))
        self._names: tuple[str, ...] = ("il", "dr") if isinstance(chosen, str) else tuple(chosen)
        self._signs = dict.fromkeys(self._names, 1.0)
        self.needs = self._names

    def bound(self, directions: Mapping[str, str]) -> Fitness:
        """Return the fitness of the measures of an experiment."""
        other = type(self)(self.params)
        if self.params.objectives == "measures":
            other._names = other.needs = tuple(directions)
        other._signs = {name: _sign(directions.get(name)) for name in other._names}
        return other

    @property
    def objectives(self) -> int:
        """How many objectives there are."""
        return len(self._names)

    def formula(self, scores: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the objectives in the order of their names."""
        return tuple(self._signs[name] * scores[name] for name in self._names)


def _sign(direction: str | None) -> float:
    return -1.0 if direction == "maximise" else 1.0
