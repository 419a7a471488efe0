"""A measure on some of the protected attributes: what ``il of education`` asks for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes, Expected, Fitted, Measure, Microdata, Tracker
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Table


class MeasureOnSubset(Fitted):
    """A fitted measure that sees some attributes only."""

    def __init__(self, fitted: Any, names: tuple[str, ...], positions: tuple[int, ...]) -> None:
        self.fitted = fitted
        self.names = names
        self.positions = positions

    def score(self, masked: Table) -> float:
        """Return the score of the attributes of a masked table."""
        return float(self.fitted.score(masked.select(self.names)))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker of the attributes of a masked table."""
        return SubsetTracker(self.fitted.track(masked.select(self.names)), self.names)


class ExpectedOnSubset(MeasureOnSubset, Expected):
    """A projection that can also be judged by transition matrices."""

    @property
    def of_matrices(self) -> bool:  # type: ignore[override]
        """Whether the figure is one of the matrices rather than of a table."""
        return bool(self.fitted.of_matrices)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expectation under the attributes' own matrices."""
        return float(self.fitted.expected([transitions[position] for position in self.positions]))


class SubsetTracker(Tracker):
    """A tracker that is told of some attributes only."""

    def __init__(self, tracker: Tracker, names: tuple[str, ...]) -> None:
        self.tracker, self.names = tracker, names

    @property
    def score(self) -> float:
        """The score of the attributes."""
        return self.tracker.score

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        self.tracker.take(change.select(self.names))

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children."""
        return self.tracker.tries(changes.select(self.names))

    def estimates(self, changes: Changes) -> NDArray[np.float64] | None:
        """Return about what the scores of children are, where that is faster."""
        return self.tracker.estimates(changes.select(self.names))

    def contributions(self) -> NDArray[np.float64] | None:
        """Return what each record adds to the score."""
        return self.tracker.contributions()


def measure_on_subset(measure: Measure, microdata: Microdata, names: tuple[str, ...]) -> MeasureOnSubset:
    """Fit a measure on some of the protected attributes, and return it as a measure of whole masked tables."""
    # The other protected attributes are none that stay as they are; a measure that wants one of them names it.
    apart = set(microdata.protect) - {*names, *measure.auxiliary_names()}
    rest = microdata.table.select([name for name in microdata.table.schema.names if name not in apart])
    fitted = measure.fit_in(Microdata(rest, names))
    order = [attribute.name for attribute in microdata.original.schema.attributes]
    kind = ExpectedOnSubset if isinstance(fitted, Expected) else MeasureOnSubset
    return kind(fitted, names, tuple(order.index(name) for name in names))
