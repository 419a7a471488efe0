"""From the scores of many measures to one information loss and one disclosure risk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Literal


@dataclass(frozen=True)
class Aggregation:
    """How measures are combined into ``il`` and ``dr``.

    IL is the arithmetic mean of its measures. DR is the mean of the interval disclosure figures and of *one* figure for
    record linkage. That one is the greatest of the linkage measures, since an intruder uses the best linkage there is,
    or their mean. The source of the thesis does not show its weights. The maximum is that of Nin, Herranz and Torra
    (2008), as told in the handbook chapter on privacy in data mining. The mean is the older rule of Domingo-Ferrer and
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
        il, disclosure, linkage = self._readers
        combined = dict(scores)
        if il is not None:
            values = il(scores)
            combined["il"] = sum(values) / len(values)
        risks = []
        if disclosure is not None:
            values = disclosure(scores)
            risks.append(max(values) if self.risks == "max" else sum(values) / len(values))
        if linkage is not None:
            values = linkage(scores)
            risks.append(max(values) if self.rule == "max" else sum(values) / len(values))
        if risks:
            combined["dr"] = max(risks) if self.risks == "max" else sum(risks) / len(risks)
        return combined

    @cached_property
    def _readers(self) -> tuple["Reader | None", "Reader | None", "Reader | None"]:
        """What reads the scores of each kind at once, None where there are none: asked for every candidate."""
        return _reader(self.il), _reader(self.disclosure), _reader(self.linkage)


Reader = Callable[[Mapping[str, float]], tuple[float, ...]]


def _reader(names: tuple[str, ...]) -> Reader | None:
    if len(names) == 1:
        (name,) = names
        return lambda scores: (scores[name],)
    return itemgetter(*names) if names else None
