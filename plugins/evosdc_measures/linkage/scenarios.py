"""Intruders who know different attributes: a linkage measure over several subsets of attributes."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from pydantic import Field, field_validator

from evosdc.model import Changes, Fitted, Tracker
from evosdc.model.parameters import Parameters
from evosdc.model.tracker import CombinedTracker
from evosdc.table.table import Table


class ScenarioParameters(Parameters):
    """What intruders know; common to all measures of record linkage."""

    scenarios: Literal["first-half"] | tuple[tuple[str, ...], ...] = Field(
        (),
        description="Lists of attributes that intruders know; none: one intruder who knows all; first-half: of V "
        "attributes one intruder knows the first, one the first two, and so on up to V / 2, rounded up.",
    )
    combine: Literal["mean", "max"] = Field("mean", description="How the risks of several scenarios are combined.")

    @field_validator("scenarios")
    @classmethod
    def _something_once(cls, scenarios: str | tuple[tuple[str, ...], ...]) -> str | tuple[tuple[str, ...], ...]:
        if not isinstance(scenarios, str) and any(not names or len(set(names)) < len(names) for names in scenarios):
            raise ValueError("lists of at least one attribute, each named once")
        return scenarios


class LinkageParameters(ScenarioParameters):
    """What intruders know and how they link; common to the measures of linkage by distance and by agreement."""

    direction: Literal["masked-to-original", "original-to-masked"] = Field(
        "masked-to-original", description="Which file's records are looked up in the other."
    )
    one_to_one: bool = Field(False, description="Assign all records to each other at once; up to 3000 records.")


def fitted_by_scenarios(original: Table, params: ScenarioParameters, fit: Callable[[Table], Fitted]) -> Fitted:
    """Return a measure fitted on the whole original, or over the scenarios where there are any."""
    if not params.scenarios:
        return fit(original)
    names = original.schema.names
    if params.scenarios == "first-half":
        known = tuple(tuple(names[:count]) for count in range(1, (len(names) + 1) // 2 + 1))
    else:
        known = tuple(tuple(own) for own in params.scenarios)
        original.schema.require(dict.fromkeys(name for own in known for name in own), "scenarios")
    return FittedByScenarios(original, known, params.combine == "max", fit)


class FittedByScenarios(Fitted):
    """A linkage measure of one original, once for each scenario."""

    def __init__(
        self, original: Table, scenarios: Sequence[Sequence[str]], greatest: bool, fit: Callable[[Table], Fitted]
    ) -> None:
        self._scenarios, self._greatest = scenarios, greatest
        self._fitted = [fit(original.select(names)) for names in self._scenarios]

    def score(self, masked: Table) -> float:
        """Return the mean or the greatest risk over the scenarios, 0..100."""
        pairs = zip(self._fitted, self._scenarios, strict=True)
        risks = [fitted.score(masked.select(names)) for fitted, names in pairs]
        return max(risks) if self._greatest else sum(risks) / len(risks)

    def track(self, masked: Table) -> Tracker:
        """Return a tracker with one of each scenario."""
        pairs = zip(self._fitted, self._scenarios, strict=True)
        parts = [(fitted.track(masked.select(own)), partial(Changes.select, names=own)) for fitted, own in pairs]
        return CombinedTracker(parts, self._greatest)
