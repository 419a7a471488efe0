"""The headline of a privacy model, and the records short of its bound, followed through small changes of a file."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.class_following import (
    ClassState,
    copied_classes,
    followed_classes,
    full,
    started_classes,
)
from evosdc.engine.class_keys import ClassKeys, countable
from evosdc.engine.class_values import (
    ValueCounts,
    copied_values,
    counted_values,
    follow_values,
    values_in_classes,
)
from evosdc.engine.headline import Headline
from evosdc.engine.worst_figure import renew_worst, worst_of
from evosdc.model import ByClass, ClassContents, ClassValues, Fitted, FollowedInPlace
from evosdc.model.constraint import GREATEST
from evosdc.table.distinct_values import placed_values
from evosdc.table.equivalence import ranks
from evosdc.table.schema import Attribute
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table


class Ranked(NamedTuple):
    """A sensitive attribute that masking leaves alone, or the values that a masked one may have.

    Parameters
    ----------
    attribute : Attribute
    ranks : ndarray of int32, shape (n,)
        Rank of each record's value among those that occur; a missing value is the last. Empty of a masked one.
    present : ndarray of int32
        Code of each rank.
    overall : ndarray of int64
        Records of each; zeros of a masked one.
    """

    attribute: Attribute
    ranks: NDArray[np.int32]
    present: Codes
    overall: NDArray[np.int64]


class HeadlineState(NamedTuple):
    """The classes of one file with their figures.

    Parameters
    ----------
    classes : ClassState
    values : tuple of ValueCounts
        By sensitive attribute.
    worst : ndarray of float64
        See `evosdc.engine.worst_figure`.
    short : int
        Records of classes whose figure is beyond a bound; 0 where there is none.
    """

    classes: ClassState
    values: tuple[ValueCounts, ...]
    worst: Numbers
    short: int


class FollowedHeadline(FollowedInPlace[HeadlineState]):
    """`Headline` of a model that judges class by class.

    Parameters
    ----------
    headline : Headline
        For which `follows` holds.
    """

    def __init__(self, headline: Headline) -> None:
        assert isinstance(headline.model, ByClass)
        self.headline = headline
        self.model: ByClass = headline.model
        microdata = headline.microdata
        schema = microdata.original.schema
        place = {attribute.name: position for position, attribute in enumerate(schema.categorical)}
        self._keys = ClassKeys(headline)
        kept = [name for name in headline.sensitive if name not in microdata.protect]
        self._masked = [place[name] for name in headline.sensitive if name in microdata.protect]
        self._ranked = [self._rank(name) for name in kept] + [_masked(schema.categorical[v]) for v in self._masked]

    def _rank(self, name: str) -> Ranked:
        table = self.headline.microdata.table
        attribute, column = table.schema[name], table.column(name)
        codes = np.array(column if attribute.categorical else ranks(column), dtype=np.int64)
        size = int(codes.max(initial=0)) + 1
        codes[codes == MISSING] = size
        present, values, overall = placed_values(codes)
        labels = np.where(present == size, MISSING, present).astype(np.int32)
        return Ranked(attribute, values.reshape(-1).astype(np.int32), labels, overall.astype(np.int64))

    def start(self, masked: Table) -> HeadlineState:
        """Return the classes of a table, with the figure of each."""
        classes = started_classes(self._keys.of(masked.codes, slice(None)), bool(self.headline.sensitive))
        values = tuple(
            counted_values(own, len(ranked.overall), classes)
            for own, ranked in zip(self._values(masked, slice(None)), self._ranked, strict=True)
        )
        self._judge(classes, values, np.flatnonzero(classes.sizes))
        worst = worst_of(classes.figures, self.model.larger_is_safer)
        return HeadlineState(classes, values, worst, self._short(classes.figures, classes.sizes))

    def copied(self, state: HeadlineState) -> HeadlineState:
        """Return a copy of a state; O(n)."""
        values = tuple(copied_values(known) for known in state.values)
        return HeadlineState(copied_classes(state.classes), values, state.worst.copy(), state.short)

    def follow(self, state: HeadlineState, masked: Table, rows: Rows) -> HeadlineState:
        """Return the classes after a change; only those are judged whose records changed."""
        classes, values, worst, short = state
        if full(classes):
            return self.start(masked)
        keys, before = self._keys.of(masked.codes, rows), classes.places[rows]
        figures = classes.figures
        classes, changed, gone = followed_classes(classes, keys, rows, bool(self._masked))
        short -= self._short(figures[changed], gone)
        for own, known in zip(self._values(masked, rows), values, strict=True):
            follow_values(rows, own, before, changed, classes, known)
        self._judge(classes, values, changed)
        renew_worst(classes.figures, worst, changed, self.model.larger_is_safer)
        return HeadlineState(
            classes, values, worst, short + self._short(classes.figures[changed], classes.sizes[changed])
        )

    def _values(self, masked: Table, rows: Rows | slice) -> list[NDArray[np.int32]]:
        """Return the values of some records, by sensitive attribute."""
        kept = len(self._ranked) - len(self._masked)
        listed = [ranked.ranks[rows] for ranked in self._ranked[:kept]]
        for v, ranked in zip(self._masked, self._ranked[kept:], strict=True):
            codes = masked.codes[rows, v]
            listed.append(np.where(codes == MISSING, len(ranked.overall) - 1, codes).astype(np.int32))
        return [own.copy() for own in listed]

    def _judge(self, classes: ClassState, values: tuple[ValueCounts, ...], chosen: NDArray[np.int64]) -> None:
        """Write the figures of some classes."""
        classes.figures[chosen] = np.nan
        chosen = chosen[classes.sizes[chosen] > 0]
        if len(chosen):
            lists = classes.heads, classes.sizes, classes.following
            found = tuple(
                ClassValues(
                    ranked.attribute,
                    ranked.present,
                    *values_in_classes(chosen, len(ranked.overall), *lists, known),
                    ranked.overall,
                )
                for ranked, known in zip(self._ranked, values, strict=True)
            )
            contents = ClassContents(classes.sizes[chosen].astype(np.int64), found)
            classes.figures[chosen] = self.model.class_figures(contents)

    def _short(self, figures: Numbers, sizes: NDArray[np.int32]) -> int:
        """Return the records of classes with these figures and sizes that are beyond a bound; 0 where there is none."""
        return 0

    def value(self, state: HeadlineState) -> float:
        """Return the headline; finite, a figure without bound is cut."""
        return min(max(self.model.headline_of(float(state.worst[-1])), -GREATEST), GREATEST)

    def read_from(self, other: Fitted) -> Callable[[HeadlineState], float] | None:
        """Return how the headline is read from the states of the shortfall of the same one."""
        known = isinstance(other, FollowedShortfall) and other.headline is self.headline
        return self.value if known and type(self) is FollowedHeadline else None


class FollowedShortfall(FollowedHeadline):
    """The percentage of records in classes whose figure keeps the headline from a bound, 0..100.

    Parameters
    ----------
    headline : Headline
        Of a model whose shortfall is that.
    bound : float
    """

    def __init__(self, headline: Headline, bound: float) -> None:
        super().__init__(headline)
        self.bound = bound

    def _short(self, figures: Numbers, sizes: NDArray[np.int32]) -> int:
        """Return the records of classes with these figures and sizes that are beyond the bound."""
        short = figures < self.bound if self.model.larger_is_safer else figures > self.bound
        return int(sizes[short].sum())

    def value(self, state: HeadlineState) -> float:
        """Return the percentage; 0 where the bound is kept."""
        return 100.0 * float(state.short / len(state.classes.places))


def _masked(attribute: Attribute) -> Ranked:
    """Return the values that a masked sensitive attribute may have."""
    size = len(attribute.categories)
    shown = np.append(np.arange(size), MISSING).astype(np.int32)
    return Ranked(attribute, np.zeros(0, dtype=np.int32), shown, np.zeros(size + 1, dtype=np.int64))


def follows(headline: Headline) -> bool:
    """Whether a headline can be followed.

    Its model has to judge class by class, and keys have to be numbers (`evosdc.engine.class_keys.countable`). Where the
    model compares with the whole file, the sensitive attributes must not be masked.
    """
    model, protect = headline.model, headline.microdata.protect
    if not isinstance(model, ByClass) or not model.by_class or not countable(headline):
        return False
    return not (model.of_whole_file and any(name in protect for name in headline.sensitive))
