"""Sensitive values class by class: what the models of them share."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import ByClass, ClassContents, ClassValues, IntruderView
from evosdc.model.privacy import contents_of
from evosdc.table.table import MISSING, Numbers


class OfSensitiveValues(ByClass):
    """A model whose figure of a class is the worst over the sensitive attributes."""

    def lacking(self, view: IntruderView) -> str:
        """Return that a sensitive attribute is needed where there is none."""
        return "" if view.sensitive else "a sensitive attribute"

    @abstractmethod
    def figures(self, values: ClassValues) -> Numbers:
        """Return the figure of each class for one sensitive attribute, shape (c,)."""

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return the worst figure of each class over all sensitive attributes, shape (c,)."""
        worst = np.minimum if self.larger_is_safer else np.maximum
        figures: Numbers = worst.reduce([self.figures(self.counted_values(values)) for values in contents.sensitive])
        return figures

    def counted_values(self, values: ClassValues) -> ClassValues:
        """Return the values that the model counts: all, or without the missing ones where a parameter says so."""
        if getattr(self.params, "missing", "value") == "value":
            return values
        present = values.present[values.values] != MISSING
        starts = np.concatenate(([0], np.cumsum(present)))[values.starts]
        overall = np.where(values.present == MISSING, 0, values.overall)
        counted, counts = values.values[present], values.counts[present]
        return replace(values, starts=starts, values=counted, counts=counts, overall=overall)

    def by_attribute(
        self, view: IntruderView, figures: Callable[[ClassValues], NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """Return figures of all classes by sensitive attribute, of the values that the model counts."""
        return by_attribute(view, lambda values: figures(self.counted_values(values)))


def by_attribute(view: IntruderView, figures: Callable[[ClassValues], NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return figures of all classes of a file by sensitive attribute, the classes along the last axis."""
    parts = [[figures(values) for values in contents.sensitive] for contents in contents_of(view)]
    joined = [np.concatenate(found, axis=-1) for found in zip(*parts, strict=True)]
    return dict(zip(view.sensitive, joined, strict=True))
