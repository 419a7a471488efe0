"""What intruders know, and how they link: scenarios, the direction, and all records at once."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from evosdc.errors import Fault, ParameterError
from evosdc.model import Changes, Fitted, Tracker
from evosdc.model.parameters import Parameters
from evosdc.model.tracker import CombinedTracker
from evosdc.table.table import Numbers, Table


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


MOST_ASSIGNED = 3000  # Greatest number of records: time grows with their cube, memory with their square
BONUS = 1e-12  # share of the greatest cost by which a correct link is preferred: it decides between equal sums
ROUNDING = 1e-14  # Share of the greatest cost below which differences are rounding
Costs = Callable[[Table], Numbers]  # the cost of linking each masked record (row) to each original (column)


class FittedAssignment(Fitted):
    """One-to-one linkage of one original: the expected share of correct links, times 100."""

    # The assignment with the least sum of costs is found (Jonker and Volgenant's algorithm).

    def __init__(self, original: Table, costs: Costs, where: str) -> None:
        if len(original) > MOST_ASSIGNED:
            wanted = f"at most {MOST_ASSIGNED}, since time grows with their cube"
            advice = "Leave one_to_one out: linking record by record has no such limit."
            raise ParameterError(Fault(where, f"{len(original)} records", wanted, advice))
        self._costs = costs

    def score(self, masked: Table) -> float:
        """Return the risk of a table, 0..100; O(n**3). A change may assign any record elsewhere."""
        costs = np.array(self._costs(masked), dtype=np.float64)
        # Costs that differ by rounding alone are made equal.
        steps = np.rint(costs / (ROUNDING * max(float(np.abs(costs).max()), 1.0)))
        rows, columns = alike(steps), alike(steps.T)
        together = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
        np.add.at(together, (rows, columns), 1.0)
        credits = together / np.bincount(rows)[:, None] / np.bincount(columns)[None, :]
        costs -= BONUS * max(float(np.abs(costs).max()), 1.0) * credits[rows[:, None], columns[None, :]]
        # Late: it takes as long to import as all else that a run needs.
        from scipy.optimize import linear_sum_assignment

        records, linked = linear_sum_assignment(costs)
        return min(100.0 * float(credits[rows[records], columns[linked]].sum()) / len(costs), 100.0)


def alike(costs: Numbers) -> NDArray[np.intp]:
    """Return for each row the number of its class of equal rows."""
    _, classes = np.unique(costs, axis=0, return_inverse=True)
    return np.asarray(classes.reshape(-1), dtype=np.intp)
