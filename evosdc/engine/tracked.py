"""Measures of contract 2.0 as the engine asks them until it asks trackers itself."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Batched, Changes, Fitted, Tracker
from evosdc.table.table import Rows, Table


class Tracked(NamedTuple):
    """A tracker, and the table that it is about."""

    tracker: Tracker
    table: Table


class AsBatched(Batched[Tracked]):
    """A fitted measure with trackers of its own, as one with states."""

    def __init__(self, fitted: Fitted) -> None:
        self.fitted = fitted

    def score(self, masked: Table) -> float:
        """Return the score from scratch."""
        return self.fitted.score(masked)

    def start(self, masked: Table) -> Tracked:
        """Return a tracker of a table."""
        return Tracked(self.fitted.track(masked), masked)

    def update(self, state: Tracked, masked: Table, rows: Rows) -> Tracked:
        """Return a tracker of a changed table, and leave that of the old one as it is."""
        return self.follow(Tracked(state.tracker.copy(), state.table), masked, rows)

    def follow(self, state: Tracked, masked: Table, rows: Rows) -> Tracked:
        """Take a change."""
        rows = np.sort(rows)
        state.tracker.take(Changes.of_one(rows, state.table.take(rows), masked.take(rows)))
        return Tracked(state.tracker, masked)

    def value(self, state: Tracked) -> float:
        """Return the score of a table."""
        return float(state.tracker.score)

    def values(self, state: Tracked, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children."""
        scores: NDArray[np.float64] = state.tracker.tries(changes)
        return scores

    def burdens_of_state(self, state: Tracked) -> NDArray[np.float64] | None:
        """Return what records add to the score."""
        contributions: NDArray[np.float64] | None = state.tracker.contributions()
        return contributions


def tracks(fitted: Fitted) -> bool:
    """Whether a measure has trackers of its own."""
    return type(fitted).track is not Fitted.track


def as_incremental(fitted: Fitted) -> Fitted:
    """Return a measure as the engine asks it."""
    return AsBatched(fitted) if tracks(fitted) else fitted
