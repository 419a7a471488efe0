"""Frequencies of the keys that some of the quasi-identifiers make."""

from collections.abc import Mapping
from math import comb
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import IntruderView, Parameters, PrivacyModel
from evosdc.table.table import Numbers
from evosdc_privacy.key_sets import KeySets, key_sets


class SubsetAnonymity(PrivacyModel):
    """k-anonymity of every subset of a size of the quasi-identifiers: for intruders who know some of them only.

    ``k`` is the smallest frequency over all sets of `size` quasi-identifiers (of all of them, where
    there are fewer), as sdcMicro's ``combs`` and mu-Argus's tables ask for; ``worst`` names the set.
    """

    class Params(Parameters):
        """How many attributes an intruder knows."""

        size: int | None = Field(
            None, ge=1, description="attributes of a set; default: 3, or as many as make at most 6000 sets"
        )

    headline: ClassVar[str] = "k"

    def attainable(self, view: IntruderView) -> tuple[float, float]:
        """Return that nobody shares a key with more records than there are."""
        return 1.0, float(len(view.table))

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the smallest frequency of all sets, the set that has it, and each set's.

        Raises
        ------
        ParameterError
            More than 100 000 sets.
        """
        found = self._sets(view)
        least = {one.names: int(one.frequencies[0]) for one in found.sets}
        worst = min(least, key=lambda names: (least[names], names))
        return {
            "k": least[worst],
            "worst": list(worst),
            "sets": len(least),
            "unique_records": int(np.count_nonzero(found.least == 1)),
            "by_set": {" x ".join(names): k for names, k in least.items()},
        }

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the smallest frequency of each record over all sets, shape (n,)."""
        return self._sets(view).least.astype(np.float64)

    def _sets(self, view: IntruderView) -> KeySets:
        names = view.quasi_identifiers
        size = min(self.params.size or _usual_size(len(names)), len(names))
        if comb(len(names), size) > 100_000:
            where, given = "privacy-model subset-anonymity: size", f"{comb(len(names), size):,} sets"
            raise ParameterError(Fault(where, given, "at most 100,000", "Take a smaller size or fewer attributes."))
        return key_sets(view, size)

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records of a frequency below the bound in some set."""
        return float(np.mean(self._sets(view).least < bound))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the smallest frequency in a sentence."""
        return f"k = {figures['k']} on {', '.join(figures['worst'])}, the worst of {figures['sets']} sets"


def _usual_size(columns: int) -> int:
    """Return 3, or less where there would be more than 6000 sets."""
    return next((size for size in (3, 2) if comb(columns, size) <= 6_000), 1)
