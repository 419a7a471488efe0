"""Privacy models over the classes of one file: only those are judged whose records change."""

from abc import abstractmethod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.headline import Headline, RecordKeys, Shortfall, cut
from evosdc.model import ByClass, BySizes, Changes, ClassContents, ClassValues, Fitted, Tracker
from evosdc.table.class_table import ChangedClasses, ClassTable, least_of_children, least_tree
from evosdc.table.table import Numbers, Table

Integers = NDArray[np.int64]

MOST_CHANGED = 0.1
"""A child that changes a greater share of the records is scored from scratch, which then takes less time."""


class _OverClasses(Tracker):
    """A tracker with the classes of a table.

    Parameters
    ----------
    fitted : Fitted
        What is tracked.
    keys : RecordKeys
        See `Headline.keys`.
    masked : Table
    """

    def __init__(self, fitted: Fitted, keys: RecordKeys | None, masked: Table) -> None:
        assert keys is not None
        self._fitted, self._keys = fitted, keys
        self._classes = ClassTable(*keys.of(masked, slice(None)), keys.spans)
        # All masked attributes are categories, else there were no keys.
        self._schema, self._codes = masked.schema, masked.codes.copy()

    def copy(self) -> Self:
        """Return a tracker of the same table that shares nothing with this one which changes."""
        other = super().copy()
        other._classes = self._classes.copy()
        return other

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children, shape (k,)."""
        sizes = np.diff(changes.ends, prepend=0)
        if sizes.max(initial=0) <= MOST_CHANGED * len(self._codes):
            return self._scores_of(self._changed(changes, False))
        if len(sizes) > 1:
            return np.concatenate([self.tries(changes.part(child, child + 1)) for child in range(len(sizes))])
        table = Table(self._schema, self._codes, np.empty((len(self._codes), 0)))
        return np.array([self._fitted.score(changes.applied_to(table))])

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        self._codes[change.rows] = change.after.codes
        self._kept(self._changed(change, True))

    @abstractmethod
    def _scores_of(self, changed: ChangedClasses) -> Numbers:
        """Return the scores of children that change some classes, shape (k,)."""

    @abstractmethod
    def _kept(self, changed: ChangedClasses) -> None:
        """Go on to a child that changes some classes."""

    def _changed(self, changes: Changes, keep: bool) -> ChangedClasses:
        keys, values = self._keys.of(changes.after, changes.rows)
        return self._classes.changed(changes.ends, changes.rows.astype(np.int64), keys, values, keep)


class WorstClass(_OverClasses):
    """The headline of a model that judges class by class: that of the worst class.

    Parameters
    ----------
    headline : Headline
        For which `Headline.by_class` holds.
    masked : Table
    """

    def __init__(self, headline: Headline, masked: Table) -> None:
        assert isinstance(headline.model, ByClass)
        super().__init__(headline, headline.keys, masked)
        self._model: ByClass = headline.model
        # Figures are turned so that the least is the worst.
        self._sign = 1.0 if headline.model.larger_is_safer else -1.0
        figures, classes = np.full(len(masked), np.inf), self._classes.contents()
        figures[classes.classes] = self._figures(classes)
        self._worst = least_tree(figures)

    @property
    def score(self) -> float:
        """The headline of the table as it is now."""
        return self._headline_of(float(self._worst[1]))

    def _kept(self, changed: ChangedClasses) -> None:
        self._worst_of(changed, self._figures(changed), True)

    def _scores_of(self, changed: ChangedClasses) -> Numbers:
        worst = self._worst_of(changed, self._figures(changed), False)
        return np.array([self._headline_of(figure) for figure in worst.tolist()])

    def _headline_of(self, worst: float) -> float:
        return cut(self._model.headline_of(self._sign * worst))

    def _worst_of(self, changed: ChangedClasses, figures: Numbers, keep: bool) -> Numbers:
        worst: Numbers = least_of_children(self._worst, changed.ends, changed.classes, figures, keep)
        return worst

    def _figures(self, changed: ChangedClasses) -> Numbers:
        """Return the figures of classes as children have them, infinite where they have no records there."""
        there = changed.after > 0
        figures = np.full(len(there), np.inf)
        if there.any():
            contents = ClassContents(changed.after[there], tuple(_values(self._keys, changed, there)))
            figures[there] = self._sign * self._model.class_figures(contents)
        return figures


class ShortClasses(WorstClass):
    """The percentage of records in classes whose figure keeps the headline from a bound, 0..100.

    Parameters
    ----------
    shortfall : Shortfall
        Of a headline for which `Headline.by_class` holds.
    masked : Table
    """

    def __init__(self, shortfall: Shortfall, masked: Table) -> None:
        super().__init__(shortfall.headline, masked)
        self._fitted = shortfall
        self._bound, self._records = self._sign * shortfall.bound, len(masked)
        self._short = int(self._classes.sizes[self._worst[self._records :] < self._bound].sum())

    @property
    def score(self) -> float:
        """The percentage of the table as it is now."""
        return 100.0 * (self._short / self._records)

    def _kept(self, changed: ChangedClasses) -> None:
        figures = self._figures(changed)
        self._short += int(self._shifts(changed, figures).sum())
        self._worst_of(changed, figures, True)

    def _scores_of(self, changed: ChangedClasses) -> Numbers:
        shifts = np.append(0, np.cumsum(self._shifts(changed, self._figures(changed))))[changed.ends]
        scores: Numbers = 100.0 * ((self._short + np.diff(shifts, prepend=0)) / self._records)
        return scores

    def _shifts(self, changed: ChangedClasses, figures: Numbers) -> Integers:
        """Return how many more records fall short by each changed class."""
        before = self._worst[self._records + changed.classes] < self._bound
        shifts: Integers = changed.after * (figures < self._bound) - changed.before * before
        return shifts


class ClassSizes(_OverClasses):
    """The headline of a model that looks at nothing but how many classes there are of each size.

    Parameters
    ----------
    headline : Headline
        Of such a model.
    masked : Table
    """

    def __init__(self, headline: Headline, masked: Table) -> None:
        assert isinstance(headline.model, BySizes)
        super().__init__(headline, headline.keys, masked)
        self._model: BySizes = headline.model
        self._original = headline.view(headline.microdata.original)
        self._sizes, self._times = _counted(self._classes.sizes[self._classes.sizes > 0].astype(np.int64))
        self._scores: dict[bytes, float] = {}

    @property
    def score(self) -> float:
        """The headline of the table as it is now."""
        return self._score_of(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def _kept(self, changed: ChangedClasses) -> None:
        self._sizes, self._times = self._shifted(changed.before, changed.after)
        self._scores = {}

    def _scores_of(self, changed: ChangedClasses) -> Numbers:
        begins = np.append(0, changed.ends[:-1])
        parts = [slice(begin, end) for begin, end in zip(begins.tolist(), changed.ends.tolist(), strict=True)]
        return np.array([self._score_of(changed.before[part], changed.after[part]) for part in parts])

    def _score_of(self, before: Integers, after: Integers) -> float:
        """Return the headline where some classes have other sizes.

        Estimates of a population take long, and many children change classes of the same sizes.
        """
        asked = np.sort(before).tobytes() + np.sort(after).tobytes()
        if asked not in self._scores:
            self._scores[asked] = cut(self._model.headline_of_sizes(*self._shifted(before, after), self._original))
        return self._scores[asked]

    def _shifted(self, before: Integers, after: Integers) -> tuple[Integers, Integers]:
        """Return the sizes that occur, and how many classes have each, where some classes have other sizes."""
        signs = np.repeat([1, -1], [len(after), len(before)])
        sizes, times = np.concatenate([self._sizes, after, before]), np.concatenate([self._times, signs])
        return _counted(sizes, times)


def _counted(sizes: Integers, times: Integers | None = None) -> tuple[Integers, Integers]:
    """Return the positive sizes that occur, ascending, and how often."""
    distinct, place = np.unique(sizes, return_inverse=True)
    weights = None if times is None else times.astype(np.float64)
    counts = np.bincount(place.reshape(-1), weights=weights).astype(np.int64)
    there = (counts > 0) & (distinct > 0)
    return distinct[there], counts[there]


def _values(keys: RecordKeys, changed: ChangedClasses, there: NDArray[np.bool_]) -> list[ClassValues]:
    """Return what is in classes of each sensitive attribute, without those that have no records."""
    found, kept = [], np.append(there, True)
    for a, (attribute, present, overall) in enumerate(zip(keys.attributes, keys.present, keys.overall, strict=True)):
        starts, values, counts = changed.of_attribute(a, len(keys.spans), int(keys.spans[a]))
        found.append(ClassValues(attribute, present, starts[kept], values, counts, overall))
    return found
