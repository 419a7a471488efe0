"""From the scores of many measures to one information loss and one disclosure risk."""

from collections.abc import Mapping
from dataclasses import dataclass
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
        combined = dict(scores)
        if self.il:
            combined["il"] = _mean(scores, self.il)
        risks = []
        if self.disclosure:
            figures = [scores[name] for name in self.disclosure]
            risks.append(max(figures) if self.risks == "max" else _mean(scores, self.disclosure))
        if self.linkage:
            greatest = self.rule == "max"
            risks.append(max(map(scores.__getitem__, self.linkage)) if greatest else _mean(scores, self.linkage))
        if risks:
            combined["dr"] = max(risks) if self.risks == "max" else sum(risks) / len(risks)
        return combined


def _mean(scores: Mapping[str, float], names: tuple[str, ...]) -> float:
    return sum(map(scores.__getitem__, names)) / len(names)
