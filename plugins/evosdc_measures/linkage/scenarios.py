"""Intruders who know different attributes: a linkage measure over several subsets of attributes."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from evosdc.model import Incremental
from evosdc.model.parameters import Parameters
from evosdc.table.table import Numbers, Rows, Table

States = tuple[Any, ...]
"""The state of each scenario."""


class ScenarioParameters(Parameters):
    """What intruders know; common to all measures of record linkage."""

    scenarios: tuple[tuple[str, ...], ...] = Field(
        (), description="Lists of attributes that intruders know; none: one intruder who knows all."
    )
    combine: Literal["mean", "max"] = Field("mean", description="How the risks of several scenarios are combined.")

    @field_validator("scenarios")
    @classmethod
    def _something_once(cls, scenarios: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        if any(not names or len(set(names)) < len(names) for names in scenarios):
            raise ValueError("lists of at least one attribute, each named once")
        return scenarios


class LinkageParameters(ScenarioParameters):
    """What intruders know and how they link; common to the measures of linkage by distance and by agreement."""

    direction: Literal["masked-to-original", "original-to-masked"] = Field(
        "masked-to-original", description="Which file's records are looked up in the other."
    )
    one_to_one: bool = Field(False, description="Assign all records to each other at once; up to 3000 records.")


def fitted_by_scenarios(
    original: Table, params: ScenarioParameters, fit: Callable[[Table], Incremental[Any]]
) -> Incremental[Any]:
    """Return a measure fitted on the whole original, or over the scenarios where there are any.

    Raises
    ------
    SchemaError
        Attributes that the table lacks, all at once.
    """
    if not params.scenarios:
        return fit(original)
    original.schema.require(dict.fromkeys(name for names in params.scenarios for name in names), "scenarios")
    return FittedByScenarios(original, params, fit)


class FittedByScenarios(Incremental[States]):
    """A linkage measure of one original, once for each scenario."""

    def __init__(self, original: Table, params: ScenarioParameters, fit: Callable[[Table], Incremental[Any]]) -> None:
        self._scenarios = params.scenarios
        self._greatest = params.combine == "max"
        self._fitted = [fit(original.select(names)) for names in self._scenarios]

    def start(self, masked: Table) -> States:
        """Return the states of a table."""
        return tuple(
            fitted.start(masked.select(names)) for fitted, names in zip(self._fitted, self._scenarios, strict=True)
        )

    def update(self, state: States, masked: Table, rows: Rows) -> States:
        """Return the states after a change."""
        return tuple(
            fitted.update(old, masked.select(names), rows)
            for fitted, old, names in zip(self._fitted, state, self._scenarios, strict=True)
        )

    def follow(self, state: States, masked: Table, rows: Rows) -> States:
        """Return the states after a change; the old ones may be altered."""
        return tuple(
            fitted.follow(old, masked.select(names), rows)
            for fitted, old, names in zip(self._fitted, state, self._scenarios, strict=True)
        )

    def burdens(self, masked: Table) -> Numbers | None:
        """Return what each record adds to the risk: on the mean over scenarios, or in the one of greatest risk."""
        parts = [masked.select(names) for names in self._scenarios]
        if self._greatest:
            risks = [fitted.score(part) for fitted, part in zip(self._fitted, parts, strict=True)]
            first = risks.index(max(risks))
            return self._fitted[first].burdens(parts[first])
        total = np.zeros(len(masked))
        for fitted, part in zip(self._fitted, parts, strict=True):
            burdens = fitted.burdens(part)
            if burdens is None:
                return None
            total += burdens
        return total / len(parts)

    def value(self, state: States) -> float:
        """Return the mean or the greatest risk over the scenarios, 0..100."""
        risks = [fitted.value(part) for fitted, part in zip(self._fitted, state, strict=True)]
        return max(risks) if self._greatest else sum(risks) / len(risks)
