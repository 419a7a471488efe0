"""From the scores of many measures to one information loss and one disclosure risk."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add, itemgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Aggregation:
    """How measures are combined into ``il`` and ``dr``.

    IL is the arithmetic mean of its measures. DR is the mean of the interval disclosure figures and of *one* figure for
    record linkage. That one is the greatest of the linkage measures, since an intruder uses the best linkage there is,
    or their mean. The source of the thesis does not show its weights. The maximum is that of Nin, Herranz and Torra
    (2008), as cited in the handbook chapter on privacy in data mining. The mean is the older rule of Domingo-Ferrer and
    Torra (2001).

    Parameters
    ----------
    il : tuple of str
        Measures of information loss.
    linkage : tuple of str
        Measures of disclosure risk by record linkage.
    disclosure : tuple of str
        The other measures of disclosure risk.
    rule : {"max", "mean"}
        How the linkage measures are combined.
    risks : {"mean", "max"}
        How the figure for linkage and those of the other risks are combined. The maximum is for risks of different
        attributes, of which an intruder takes the greatest: linkage by some and inference of others.
    """

    il: tuple[str, ...]
    linkage: tuple[str, ...] = ()
    disclosure: tuple[str, ...] = ()
    rule: Literal["max", "mean"] = "max"
    risks: Literal["mean", "max"] = "mean"

    def combine(self, scores: Mapping[str, float]) -> dict[str, float]:
        """Return `scores` with ``il`` and ``dr`` added where there are measures of that kind."""
        return self._combined(scores, max)

    def combine_columns(self, scores: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
        """Return `combine` of many candidates at once, equal to the last bit; shape (k,) each."""
        return self._combined(scores, greatest)

    def _combined(self, scores: Mapping[str, Any], highest: Callable[[Sequence[Any]], Any]) -> dict[str, Any]:
        il, disclosure, linkage = self._readers
        combined = dict(scores)
        if il is not None:
            values = il(scores)
            combined["il"] = total(values) / len(values)
        risks = []
        if disclosure is not None:
            values = disclosure(scores)
            risks.append(highest(values) if self.risks == "max" else total(values) / len(values))
        if linkage is not None:
            values = linkage(scores)
            risks.append(highest(values) if self.rule == "max" else total(values) / len(values))
        if risks:
            combined["dr"] = highest(risks) if self.risks == "max" else total(risks) / len(risks)
        return combined

    @cached_property
    def _readers(self) -> tuple["Reader | None", "Reader | None", "Reader | None"]:
        """Readers of the scores of each kind at once, None where there are none; used for every candidate."""
        return _reader(self.il), _reader(self.disclosure), _reader(self.linkage)


Reader = Callable[[Mapping[str, Any]], tuple[Any, ...]]


def total(values: Sequence[Any]) -> Any:
    """Return the sum of numbers, or of columns of them, added one after the other."""
    # Some versions of Python make up for what `sum` rounds, of numbers alone: many candidates at once then differ.
    return reduce(add, values, 0.0)


def greatest(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the greatest of each candidate's numbers, the first of equal ones as `max` does."""
    return reduce(lambda first, other: np.where(other > first, other, first), columns)


def _reader(names: tuple[str, ...]) -> Reader | None:
    if len(names) == 1:
        (name,) = names
        return lambda scores: (scores[name],)
    return itemgetter(*names) if names else None
