"""The headline of a privacy model, and the records short of its bound, followed through small changes of a file."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.class_following import (
    ClassState,
    copied_classes,
    followed_classes,
    full,
    started_classes,
    values_in_classes,
)
from evosdc.engine.class_keys import ClassKeys, countable
from evosdc.engine.headline import Headline
from evosdc.model import ByClass, ClassContents, ClassValues, FollowedInPlace
from evosdc.model.constraint import GREATEST
from evosdc.table.equivalence import ranks
from evosdc.table.schema import Attribute
from evosdc.table.table import MISSING, Codes, Rows, Table


class Ranked(NamedTuple):
    """A sensitive attribute that masking leaves alone.

    Parameters
    ----------
    attribute : Attribute
    ranks : ndarray of int64, shape (n,)
        Rank of each record's value among those that occur; a missing value is the last.
    present : ndarray of int32
        Code of each rank.
    overall : ndarray of int64
        Records of each.
    """

    attribute: Attribute
    ranks: NDArray[np.int64]
    present: Codes
    overall: NDArray[np.int64]


class FollowedHeadline(FollowedInPlace[ClassState]):
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
        place = {attribute.name: position for position, attribute in enumerate(microdata.original.schema.categorical)}
        self._keys = ClassKeys(headline)
        self._ranked = {name: self._rank(name) for name in headline.sensitive if name not in microdata.protect}
        self._masked = [place[name] for name in headline.sensitive if name in microdata.protect]

    def _rank(self, name: str) -> Ranked:
        table = self.headline.microdata.table
        attribute, column = table.schema[name], table.column(name)
        codes = np.array(column if attribute.categorical else ranks(column), dtype=np.int64)
        size = int(codes.max(initial=0)) + 1
        codes[codes == MISSING] = size
        present, values, overall = np.unique(codes, return_inverse=True, return_counts=True)
        labels = np.where(present == size, MISSING, present).astype(np.int32)
        return Ranked(attribute, values.reshape(-1).astype(np.int64), labels, overall.astype(np.int64))

    def start(self, masked: Table) -> ClassState:
        """Return the classes of a table, with the figure of each."""
        state = started_classes(self._keys.of(masked.codes, slice(None)), bool(self.headline.sensitive))
        self._judge(state, np.flatnonzero(state.sizes), masked)
        return state

    def copied(self, state: ClassState) -> ClassState:
        """Return a copy of a state; O(n)."""
        return copied_classes(state)

    def follow(self, state: ClassState, masked: Table, rows: Rows) -> ClassState:
        """Return the classes after a change; only those are judged whose records changed."""
        if full(state):
            return self.start(masked)
        after, changed, _ = followed_classes(state, self._keys.of(masked.codes, rows), rows, bool(self._masked))
        self._judge(after, changed, masked)
        return after

    def _judge(self, state: ClassState, chosen: NDArray[np.int64], masked: Table) -> None:
        """Write the figures of some classes."""
        state.figures[chosen] = np.nan
        chosen = chosen[state.sizes[chosen] > 0]
        if len(chosen):
            values = tuple(self._values(state, chosen, *self._ranked[name]) for name in self._ranked)
            values += tuple(self._values(state, chosen, *self._rank_masked(masked, v)) for v in self._masked)
            contents = ClassContents(state.sizes[chosen].astype(np.int64), values)
            state.figures[chosen] = self.model.class_figures(contents)

    def _rank_masked(self, masked: Table, v: int) -> Ranked:
        attribute, codes = masked.schema.categorical[v], masked.codes[:, v].astype(np.int64)
        size = len(attribute.categories)
        shown = np.append(np.arange(size), MISSING).astype(np.int32)
        return Ranked(attribute, np.where(codes == MISSING, size, codes), shown, np.zeros(size + 1, dtype=np.int64))

    def _values(
        self,
        state: ClassState,
        chosen: NDArray[np.int64],
        attribute: Attribute,
        ranked: NDArray[np.int64],
        present: Codes,
        overall: NDArray[np.int64],
    ) -> ClassValues:
        found = values_in_classes(chosen, state.heads, state.sizes, state.following, ranked, len(overall))
        return ClassValues(attribute, present, *found, overall)

    def value(self, state: ClassState) -> float:
        """Return the headline; finite, a figure without bound is cut."""
        figures = state.figures
        worst = np.nanmin(figures) if self.model.larger_is_safer else np.nanmax(figures)
        return min(max(self.model.headline_of(float(worst)), -GREATEST), GREATEST)


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

    def value(self, state: ClassState) -> float:
        """Return the percentage; 0 where the bound is kept."""
        short = state.figures < self.bound if self.model.larger_is_safer else state.figures > self.bound
        return 100.0 * float(state.sizes[short].sum() / len(state.places))


def follows(headline: Headline) -> bool:
    """Whether a headline can be followed.

    Its model has to judge class by class, and keys have to be numbers (`evosdc.engine.class_keys.countable`). Where the
    model compares with the whole file, the sensitive attributes must not be masked.
    """
    model, protect = headline.model, headline.microdata.protect
    if not isinstance(model, ByClass) or not model.by_class or not countable(headline):
        return False
    return not (model.of_whole_file and any(name in protect for name in headline.sensitive))
