"""A measure on some of the protected attributes: what ``il of education`` asks for."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.tracked import as_incremental, tracks
from evosdc.model import Batched, Changes, Expected, Fitted, Incremental, Measure, Microdata
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Rows, Table

Scores = NDArray[np.float64]


class MeasureOnSubset(Fitted):
    """A fitted measure that sees some attributes only.

    Parameters
    ----------
    fitted : Fitted
        On those attributes of the original.
    names : tuple of str
    positions : tuple of int
        Of the attributes among the protected ones.
    """

    def __init__(self, fitted: Any, names: tuple[str, ...], positions: tuple[int, ...]) -> None:
        self.fitted = fitted
        self.names = names
        self.positions = positions

    def score(self, masked: Table) -> float:
        """Return the score of the attributes of a masked table."""
        return float(self.fitted.score(masked.select(self.names)))


class ExpectedOnSubset(MeasureOnSubset, Expected):
    """A projection that can also be judged by transition matrices."""

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expectation under the attributes' own matrices."""
        return float(self.fitted.expected([transitions[position] for position in self.positions]))


class IncrementalOnSubset(MeasureOnSubset, Batched[Any]):
    """A projection that follows a table through small changes."""

    @cached_property
    def followed(self) -> Any:
        """The measure as the engine asks it."""
        return as_incremental(self.fitted)

    def start(self, masked: Table) -> Any:
        """Return the state of the attributes of a table."""
        return self.followed.start(masked.select(self.names))

    def update(self, state: Any, masked: Table, rows: Rows) -> Any:
        """Return the state after a change in `rows`."""
        return self.followed.update(state, masked.select(self.names), rows)

    def follow(self, state: Any, masked: Table, rows: Rows) -> Any:
        """Return the state after a change in `rows`; the old one may be altered."""
        return self.followed.follow(state, masked.select(self.names), rows)

    def value(self, state: Any) -> float:
        """Return the score that a state stands for."""
        return float(self.followed.value(state))

    @property
    def together(self) -> bool:
        """Whether the measure judges children together."""
        return isinstance(self.followed, Batched) and self.followed.together

    def values(self, state: Any, changes: Changes) -> Scores:
        """Return the scores of several children."""
        found: Scores = self.followed.values(state, self._seen(changes))
        return found

    def _seen(self, changes: Changes) -> Changes:
        return changes._replace(before=changes.before.select(self.names), after=changes.after.select(self.names))

    def read_from(self, other: Fitted) -> Callable[[Any], float] | None:
        """Return how the score is read from the states of another measure of the same attributes."""
        if not isinstance(other, IncrementalOnSubset) or other.names != self.names:
            return None
        found: Callable[[Any], float] | None = self.followed.read_from(other.followed)
        return found

    def read_together_from(self, other: Fitted) -> Callable[[Any, Changes], tuple[Scores, Scores]] | None:
        """Return how children are judged by another measure of the same attributes and by this at once."""
        if not isinstance(other, IncrementalOnSubset) or other.names != self.names:
            return None
        found = self.followed.read_together_from(other.followed)
        return None if found is None else lambda state, changes: found(state, self._seen(changes))


class IncrementalExpectedOnSubset(IncrementalOnSubset, ExpectedOnSubset):
    """A projection that can do both."""


def measure_on_subset(measure: Measure, microdata: Microdata, names: tuple[str, ...]) -> MeasureOnSubset:
    """Fit a measure on some of the protected attributes, and return it as a measure of whole masked tables."""
    # The other protected attributes are none that stay as they are; a measure that wants one of them names it.
    apart = set(microdata.protect) - {*names, *measure.auxiliary_names()}
    rest = microdata.table.select([name for name in microdata.table.schema.names if name not in apart])
    fitted = measure.fit_in(Microdata(rest, names))
    order = [attribute.name for attribute in microdata.original.schema.attributes]
    kinds = {
        (True, True): IncrementalExpectedOnSubset,
        (True, False): IncrementalOnSubset,
        (False, True): ExpectedOnSubset,
        (False, False): MeasureOnSubset,
    }
    kind = kinds[isinstance(fitted, Incremental) or tracks(fitted), isinstance(fitted, Expected)]
    return kind(fitted, names, tuple(order.index(name) for name in names))
