"""Frequencies of the keys that some of the quasi-identifiers make."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import IntruderView, Parameters, PrivacyModel
from evosdc.table.table import Numbers
from evosdc_privacy.distinct_keys import distinct_keys, part_of


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
        view, of = distinct_keys(view)
        least, smallest = {}, np.full(len(view.table), np.iinfo(np.int64).max)
        for names, found in self._frequencies(view):
            least[names] = int(found.min())
            np.minimum(smallest, found, out=smallest)
        worst = min(least, key=lambda names: (least[names], names))
        return {
            "k": least[worst],
            "worst": list(worst),
            "sets": len(least),
            "unique_records": int(np.count_nonzero(smallest[of] == 1)),
            "by_set": {" x ".join(names): k for names, k in least.items()},
        }

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the smallest frequency of each record over all sets, shape (n,)."""
        return self._least(view).astype(np.float64)

    def _least(self, view: IntruderView) -> NDArray[np.int64]:
        """Return the smallest frequency of each record over all sets, shape (n,)."""
        view, of = distinct_keys(view)
        least = np.full(len(view.table), np.iinfo(np.int64).max)
        for _, found in self._frequencies(view):
            np.minimum(least, found, out=least)
        return least[of]

    def _frequencies(self, view: IntruderView) -> Iterator[tuple[tuple[str, ...], NDArray[np.int64]]]:
        names = view.quasi_identifiers
        size = min(self.params.size or _usual_size(len(names)), len(names))
        if comb(len(names), size) > 100_000:
            where, given = "privacy-model subset-anonymity: size", f"{comb(len(names), size):,} sets"
            raise ParameterError(Fault(where, given, "at most 100,000", "Take a smaller size or fewer attributes."))
        for chosen in combinations(names, size):
            part = part_of(view, chosen)
            yield chosen, part.frequencies[0][part.classes.of]

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records of a frequency below the bound in some set."""
        return float(np.mean(self._least(view) < bound))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the smallest frequency in a sentence."""
        return f"k = {figures['k']} on {', '.join(figures['worst'])}, the worst of {figures['sets']} sets"


def _usual_size(columns: int) -> int:
    """Return 3, or less where there would be more than 6000 sets."""
    return next((size for size in (3, 2) if comb(columns, size) <= 6_000), 1)
