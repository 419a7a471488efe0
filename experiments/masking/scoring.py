"""The score of Table 35.1: half information loss, a quarter interval disclosure, a quarter record linkage.

Information loss is apil of numeric files, and of categorical ones the mean of dbil, ctbil and ebil. Linkage is the
mean of dbrl and prl, as in Domingo-Ferrer and Torra (2001): score = 0.5 IL + 0.25 ID + 0.125 DBRL + 0.125 PRL. The
greater of the two, as the handbook's table has it, stands in a column of its own. A measure that is not registered, or
cannot judge a file's scale, is left out: the others of its group carry its weight, and without any loss the risk alone
is the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evosdc.errors import InputError
from evosdc.model import Fitted, Measure
from evosdc.plugins.registry import Registry
from evosdc.table.table import Table

LOSSES = {True: ("apil",), False: ("dbil", "ctbil", "ebil")}
"""By whether a file is numeric."""

INTERVAL = ("id",)
LINKAGE = ("dbrl", "prl")


@dataclass(frozen=True)
class Scale:
    """What a file's masked versions are judged by, fitted to the original.

    Parameters
    ----------
    measures : mapping of str to Fitted
        In the order of the columns.
    left_out : tuple of str
        Measures that are not at hand for this file.
    """

    measures: Mapping[str, Fitted]
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, original: Table, registry: Registry) -> Scale:
        """Fit all measures that there are for a file."""
        fitted: dict[str, Fitted] = {}
        left_out = []
        for name in (*LOSSES[not original.schema.categorical], *INTERVAL, *LINKAGE):
            try:
                measure: Measure = registry.build("measure", name, {})
                measure.require_support(original, f"measure {name}")
            except InputError:
                left_out.append(name)
                continue
            fitted[name] = measure.fit(original)
        return cls(fitted, tuple(left_out))

    def scores(self, masked: Table) -> dict[str, float]:
        """Return every measure, then il, dr, score, and score-max with the greatest linkage, all on 0..100."""
        found = {name: float(fitted.score(masked)) for name, fitted in self.measures.items()}
        loss = _mean([found[name] for names in LOSSES.values() for name in names if name in found])
        interval = _mean([found[name] for name in INTERVAL if name in found])
        linked = [found[name] for name in LINKAGE if name in found]
        risk = _mean([interval, _mean(linked)])
        greatest = _mean([interval, max(linked, default=None)])
        assert risk is not None, "no measure of risk"
        assert greatest is not None
        found |= {"il": float("nan") if loss is None else loss, "dr": risk}
        found["score"] = risk if loss is None else (loss + risk) / 2
        found["score-max"] = greatest if loss is None else (loss + greatest) / 2
        return found


def _mean(values: list[float | None] | list[float]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
