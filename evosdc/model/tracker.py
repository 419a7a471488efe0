"""The contract of trackers: the score of one masked table, kept while the table changes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evosdc.model.changes import Changes
from evosdc.table.table import Table

if TYPE_CHECKING:
    from evosdc.model.measure import Fitted


class Tracker(ABC):
    """Incremental score of one masked table: it scores children of the table, and can update to one of them.

    A tracker owns its state, which changes in place. What depends on the original alone belongs to the fitted measure:
    several trackers share it.

    The score depends on the table alone, and not on the way to it: within 1e-9 it is that of `Fitted.score`. So counts
    are best kept as whole numbers, and sums of fractions taken in one fixed order.
    """

    @property
    @abstractmethod
    def score(self) -> float:
        """The score of the table as it is now."""

    @abstractmethod
    def take(self, change: Changes) -> None:
        """Go on to a child: what one child changes stays.

        Parameters
        ----------
        change : Changes
            Of one child. ``change.before`` holds the records as they are now. A record may turn out not to differ.
        """

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children, shape (k,); the table stays as it is.

        Parameters
        ----------
        changes : Changes
            Of k children, each given by what it changes in the table.

        Notes
        -----
        By default each change is taken, and taken back. Most measures can do less: a search throws nearly all children
        away at once.
        """
        scores = np.empty(len(changes.ends))
        for child in range(len(scores)):
            change = changes.part(child, child + 1)
            self.take(change)
            scores[child] = self.score
            self.take(change.reversed())
        return scores

    def estimates(self, changes: Changes) -> NDArray[np.float64] | None:
        """Return approximate results of `tries`, much faster; None where `tries` is fast.

        A local search throws nearly all children away by their estimates, and judges the one that it keeps by `tries`.
        """
        return None

    def contributions(self) -> NDArray[np.float64] | None:
        """Return each record's contribution to the score, shape (n,), not negative; None where there is none by record.

        They sum to the score, up to rounding and where it is not cut off at 100. A local search looks first where they
        are great.
        """
        return None


class Rescoring(Tracker):
    """The tracker of a measure that has none of its own: each table is scored from scratch.

    Parameters
    ----------
    fitted : Fitted
    masked : Table
    """

    def __init__(self, fitted: "Fitted", masked: Table) -> None:
        self.fitted, self.masked = fitted, masked
        self._score: float | None = None

    @property
    def score(self) -> float:
        """The score of the table; computed at first use."""
        if self._score is None:
            self._score = float(self.fitted.score(self.masked))
        return self._score

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        self.masked, self._score = change.applied_to(self.masked), None

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children, each from scratch."""
        children = (changes.part(child, child + 1) for child in range(len(changes.ends)))
        return np.array([self.fitted.score(change.applied_to(self.masked)) for change in children], dtype=np.float64)


class CombinedTracker(Tracker):
    """The mean, or the greatest, of trackers that see a part of the table each, or see it in another coding.

    Parameters
    ----------
    parts : sequence of (Tracker, callable)
        Each with a function that returns the changes of its part, from the changes of the table.
    greatest : bool
        Whether the maximum counts, else the mean.
    """

    def __init__(self, parts: Sequence[tuple[Tracker, Callable[[Changes], Changes]]], greatest: bool = False) -> None:
        self._parts, self._greatest = list(parts), greatest

    @property
    def score(self) -> float:
        """The mean or the greatest score."""
        scores = [tracker.score for tracker, _ in self._parts]
        return max(scores) if self._greatest else sum(scores) / len(scores)

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        for tracker, seen in self._parts:
            tracker.take(seen(change))

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children."""
        return self._combined([tracker.tries(seen(changes)) for tracker, seen in self._parts])

    def estimates(self, changes: Changes) -> NDArray[np.float64] | None:
        """Return approximate scores of children, where all parts can estimate them."""
        about = [tracker.estimates(seen(changes)) for tracker, seen in self._parts]
        known = [scores for scores in about if scores is not None]
        return self._combined(known) if len(known) == len(about) else None

    def _combined(self, scores: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        combined: NDArray[np.float64] = np.max(scores, axis=0) if self._greatest else np.mean(scores, axis=0)
        return combined

    def contributions(self) -> NDArray[np.float64] | None:
        """Return each record's contribution to the mean, or to the greatest score; None where a part has none."""
        if self._greatest:
            return max((tracker for tracker, _ in self._parts), key=lambda tracker: tracker.score).contributions()
        known = [found for tracker, _ in self._parts if (found := tracker.contributions()) is not None]
        return np.sum(known, axis=0) / len(known) if len(known) == len(self._parts) else None
