"""k-map: how many people of the population a record may be, counted or estimated."""

from collections.abc import Mapping
from math import floor
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.model import IntruderView, Parameters, PrivacyModel
from evosdc.table.table import Numbers
from evosdc_privacy.population import POPULATION_NEEDED, population_frequencies, population_size

_MOST = 1e9
_ROUNDING = 1e-9


class KMap(PrivacyModel):
    """k-map (Sweeney 2002): every record shares its key with at least k members of the population.

    ``k`` is the greatest for which that holds. ``counted``: F, the members of a population file with the key, or the
    sum of the sampling weights without such a file. ``d3`` and ``d4`` (El Emam and Dankar 2008; D3 after Pannekoek
    1999) know the sampling fraction pi alone: a key of k people is sampled Poisson(k pi) times, for D4 given at least
    once, and it is taken to be of more than k people where so many records as f are that improbable, ``P(X >= f) <=
    significance``. A key is at least as frequent in the population as in the file. ARX asks for one record more than D3
    as it reads here.
    """

    class Params(Parameters):
        """The estimate."""

        estimator: Literal["counted", "d3", "d4"] = Field("counted", description="counted or estimated frequencies")
        sampling_fraction: float | None = Field(
            None, gt=0.0, le=1.0, description="of d3, d4; default: records over the population's size"
        )
        significance: float = Field(0.05, gt=0.0, lt=1.0, description="of d3, d4: probability of a wrong conclusion")

    headline: ClassVar[str] = "k"
    range: ClassVar[tuple[float, float]] = (0.0, _MOST)

    def lacking(self, view: IntruderView) -> str:
        """Return that a population is needed where there is none."""
        if self.params.estimator == "counted" or self.params.sampling_fraction is None:
            return "" if population_size(view) is not None else POPULATION_NEEDED
        return ""

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the greatest k, and the records below 2, 3, 5, 10 and 20."""
        sizes = self.sizes(view)
        below = {str(size): int(np.count_nonzero(sizes < size - _ROUNDING)) for size in (2, 3, 5, 10, 20)}
        return {
            "k": float(floor(sizes.min() + _ROUNDING)),
            "median": float(np.median(sizes)),
            "records_below": below,
            "estimator": self.params.estimator,
            "counted_in": self._counted_in(view),
        }

    def _counted_in(self, view: IntruderView) -> str:
        """Return where people are counted, or what they are estimated from."""
        counted = "the population file" if view.population is not None else "sampling weights"
        if self.params.estimator == "counted":
            return counted
        size = "the sampling fraction given" if self.params.sampling_fraction is not None else f"the size by {counted}"
        return f"the sample, with {size}"

    def record_figures(self, view: IntruderView) -> Numbers:
        """Return the people whom each record may be, shape (n,)."""
        return self.sizes(view)

    def sizes(self, view: IntruderView) -> Numbers:
        """Return the people whom each record may be, shape (n,)."""
        if self.params.estimator == "counted":
            return np.minimum(population_frequencies(view), _MOST)
        fraction = self.params.sampling_fraction
        if fraction is None:
            size = population_size(view)
            assert size is not None
            fraction = len(view.table) / size
        frequencies = view.frequencies[0]
        distinct, place = np.unique(frequencies, return_inverse=True)
        truncated = self.params.estimator == "d4"
        estimate = np.array([estimated_size(int(f), fraction, self.params.significance, truncated) for f in distinct])
        by_record: Numbers = estimate[place.reshape(-1)][view.classes.of]
        return by_record

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records that may be fewer people than the bound."""
        return float(np.mean(self.sizes(view) < bound - _ROUNDING))

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return k in a sentence."""
        how = "" if figures["estimator"] == "counted" else f" as {figures['estimator'].upper()} estimates"
        return f"every record may be one of at least {figures['k']:.0f} people{how}"


def estimated_size(frequency: int, fraction: float, significance: float, truncated: bool) -> float:
    """Return the greatest k for which a key that so many records have is taken to be of k people at least, cut to 1e9.

    Parameters
    ----------
    frequency : int
        Records with the key.
    fraction : float
        Sampling fraction, in (0, 1].
    significance : float
    truncated : bool
        Whether the number of records is given to be positive (D4).
    """
    if fraction >= 1.0:
        return float(frequency)
    from scipy.special import gammainc, gammaincinv  # late: it takes a while, and k is mostly counted

    if not truncated:
        mean = float(gammaincinv(frequency, significance))
    elif frequency == 1:
        mean = 0.0
    else:
        from scipy.optimize import brentq  # late: it takes a while

        def beyond(rate: float) -> float:
            return float(gammainc(frequency, rate) / -np.expm1(-rate)) - significance

        mean = float(brentq(beyond, 1e-12, float(frequency) + 60.0)) if beyond(1e-12) < 0.0 else 0.0
    return float(min(max(floor(mean / fraction + _ROUNDING), frequency), _MOST))
