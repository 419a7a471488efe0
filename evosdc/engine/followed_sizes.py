"""The headline of a privacy model that looks at sizes of classes alone, followed through small changes of a file."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.engine.class_following import ClassState, copied_classes, followed_classes, full, started_classes
from evosdc.engine.class_keys import ClassKeys, countable
from evosdc.engine.headline import Headline
from evosdc.model import BySizes, FollowedInPlace
from evosdc.model.constraint import GREATEST
from evosdc.table.table import Rows, Table

Sizes = NDArray[np.int64]

REMEMBERED = 4096
"""Figures that are known by the sizes of classes they belong to, at most."""


class SizesState(NamedTuple):
    """The classes of one file, and how many there are of each size that occurs, ascending."""

    classes: ClassState
    sizes: Sizes
    times: Sizes


class FollowedSizes(FollowedInPlace[SizesState]):
    """`Headline` of a model that looks at the sizes of classes alone.

    Parameters
    ----------
    headline : Headline
        For which `follows_sizes` holds.
    """

    def __init__(self, headline: Headline) -> None:
        assert isinstance(headline.model, BySizes)
        self.headline = headline
        self.model: BySizes = headline.model
        self._original = headline.view(headline.microdata.original)
        self._keys = ClassKeys(headline)
        self._known: dict[tuple[bytes, bytes], float] = {}

    def start(self, masked: Table) -> SizesState:
        """Return the classes of a table, and their sizes."""
        classes = started_classes(self._keys.of(masked.codes, slice(None)), False)
        sizes, times = np.unique(classes.sizes[classes.sizes > 0], return_counts=True)
        return SizesState(classes, sizes.astype(np.int64), times.astype(np.int64))

    def copied(self, state: SizesState) -> SizesState:
        """Return a copy of a state; O(n)."""
        return state._replace(classes=copied_classes(state.classes))

    def follow(self, state: SizesState, masked: Table, rows: Rows) -> SizesState:
        """Return the classes after a change; only those are counted whose records changed."""
        if full(state.classes):
            return self.start(masked)
        after, changed, gone = followed_classes(state.classes, self._keys.of(masked.codes, rows), rows, False)
        come = after.sizes[changed]
        sizes, place = np.unique(np.concatenate([state.sizes, gone, come]), return_inverse=True)
        times = np.zeros(len(sizes), dtype=np.int64)
        each = len(state.sizes), len(gone)
        np.add.at(times, place[: each[0]], state.times)
        np.subtract.at(times, place[each[0] : sum(each)], 1)
        np.add.at(times, place[sum(each) :], 1)
        there = (times > 0) & (sizes > 0)
        return SizesState(after, sizes[there].astype(np.int64), times[there])

    def value(self, state: SizesState) -> float:
        """Return the headline; finite, a figure without bound is cut.

        Estimates of a population take long, and many children have classes of the same sizes.
        """
        asked = state.sizes.tobytes(), state.times.tobytes()
        figure = self._known.get(asked)
        if figure is None:
            figure = self._known[asked] = self.model.headline_of_sizes(state.sizes, state.times, self._original)
            if len(self._known) > REMEMBERED:
                del self._known[next(iter(self._known))]
        return min(max(figure, -GREATEST), GREATEST)


def follows_sizes(headline: Headline) -> bool:
    """Whether a headline can be followed by the sizes of classes."""
    return isinstance(headline.model, BySizes) and countable(headline)
