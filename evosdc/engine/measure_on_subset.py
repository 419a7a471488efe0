"""A measure on some of the protected attributes: what ``il of education`` asks for."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from evosdc.model import Changes, Expected, Fitted, Measure, Microdata, Tracker
from evosdc.model.tracker import CombinedTracker
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
        tracker = self.fitted.track(masked.select(self.names))
        return CombinedTracker([(tracker, partial(Changes.select, names=self.names))])


class ExpectedOnSubset(MeasureOnSubset, Expected):
    """A projection that can also be judged by transition matrices."""

    @property
    def of_matrices(self) -> bool:  # type: ignore[override]
        """Whether the figure is one of the matrices rather than of a table."""
        return bool(self.fitted.of_matrices)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expectation under the attributes' own matrices."""
        return float(self.fitted.expected([transitions[position] for position in self.positions]))


def measure_on_subset(measure: Measure, microdata: Microdata, names: tuple[str, ...]) -> MeasureOnSubset:
    """Fit a measure on some of the protected attributes, and return it as a measure of whole masked tables."""
    # The other protected attributes are none that stay as they are; a measure that wants one of them names it.
    apart = set(microdata.protect) - {*names, *measure.auxiliary_names()}
    rest = microdata.table.select([name for name in microdata.table.schema.names if name not in apart])
    fitted = measure.fit_in(Microdata(rest, names))
    order = [attribute.name for attribute in microdata.original.schema.attributes]
    kind = ExpectedOnSubset if isinstance(fitted, Expected) else MeasureOnSubset
    return kind(fitted, names, tuple(order.index(name) for name in names))
