"""delta-presence: how sure an intruder can be that a member of the population is in the file."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from evosdc.model import IntruderView, PrivacyModel
from evosdc.table.table import Numbers
from evosdc_privacy.population import matched


class DeltaPresence(PrivacyModel):
    """delta-presence (Nergiz, Atzori and Clifton 2007): bounds on the probability that a person is in the file.

    A member of the population whose key f records of the file and F members of the population have is in the file with
    probability f / F; ``delta_min`` and ``delta`` are the least and greatest of these over the population. Records
    whose key is rarer in the population than in the file, so that the file cannot be a part of it, count in
    ``records_unexplained``; f / F is then 1. Records that are suppressed whole point to nobody and count nowhere.
    """

    headline: ClassVar[str] = "delta"
    larger_is_safer: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def lacking(self, view: IntruderView) -> str:
        """Return that a population is needed where there is none."""
        return "" if view.population is not None else "a file of the population"

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return least, greatest and mean probability, and the size of the population."""
        _, found, everyone, inside, own = matched(view)
        known = own > 0
        probability = np.minimum(found[known] / everyone[known], 1.0)
        return {
            "delta": float(probability.max()),
            "delta_min": float(probability.min()),
            "mean": float(probability @ own[known] / own.sum()),
            "population_records": int(own.sum()),
            "members_surely_present": int(own[known][probability == 1.0].sum()),
            "records_unexplained": int(inside[found > everyone].sum()),
        }

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records whose key tells more than the bound that a person with it is in the file."""
        _, found, everyone, inside, _ = matched(view)
        present = everyone > 0
        short = np.zeros(found.size, dtype=np.bool_)
        short[present] = np.minimum(found[present] / everyone[present], 1.0) > bound
        return float(inside[short].sum() / len(view.table))

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the probability that a person with each record's key is in the file, shape (n,).

        0 for a suppressed record, infinite for one with a key that nobody of the population has.
        """
        classes, found, everyone, inside, _ = matched(view)
        chance = np.full(found.size, np.inf)
        np.divide(found, everyone, out=chance, where=everyone > 0)
        chance = np.where(everyone > 0, np.minimum(chance, 1.0), np.where(inside > 0, np.inf, 0.0))
        by_record: Numbers = chance[classes.of[: len(view.table)]]
        return by_record

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the bounds in a sentence."""
        text = f"members of the population are in the file with probability {figures['delta_min']:.3f} to "
        text += f"{figures['delta']:.3f}"
        if figures["records_unexplained"]:
            text += f"; {figures['records_unexplained']} records are not in the population file"
        return text
