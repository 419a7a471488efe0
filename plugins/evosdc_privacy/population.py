"""The population that a file was drawn from: how many of its members have a key, k-map and delta-presence.

Members are counted in a population file, or by sampling weights.
"""

from collections.abc import Mapping
from math import floor
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import IntruderView, MissingMatch, Parameters, PrivacyModel
from evosdc.table.equivalence import Classes, equivalence_classes, missing_apart, ranks
from evosdc.table.table import MISSING, Codes, Numbers

POPULATION_NEEDED = "a file of the population or sampling weights"
_MOST = 1e9
_ROUNDING = 1e-9


class KMap(PrivacyModel):
    """k-map (Sweeney 2002): every record shares its key with at least k members of the population.

    ``k`` is the greatest for which that holds. ``counted``: F, the members of a population file with the key, or the
    sum of the sampling weights without such a file. ``d3`` and ``d4`` (El Emam and Dankar 2008; D3 after Pannekoek
    1999) know the sampling fraction pi alone: a key of k people is sampled Poisson(k pi) times, for D4 given at least
    once, and it is taken to be of more than k people where f records are that improbable, ``P(X >= f) <=
    significance``. A key is at least as frequent in the population as in the file. ARX requires one record more than D3
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
    """Return the greatest k for which a key with this frequency is taken to have k people, at most 1e9."""
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


class DeltaPresence(PrivacyModel):
    """delta-presence (Nergiz, Atzori and Clifton 2007): bounds on the probability that a person is in the file.

    A member of the population whose key f records of the file and F members of the population have is in the file with
    probability f / F; ``delta_min`` and ``delta`` are the least and greatest of these over the population. Records
    whose key is rarer in the population than in the file, so that the file cannot be a part of it, count in
    ``records_unexplained``; f / F is then 1.
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
        """Return the probability that a person with each record's key is in the file, shape (n,)."""
        # Infinite for a record with a key that nobody of the population has.
        classes, found, everyone, _, _ = matched(view)
        chance = np.full(found.size, np.inf)
        np.divide(found, everyone, out=chance, where=everyone > 0)
        chance = np.where(everyone > 0, np.minimum(chance, 1.0), np.inf)
        by_record: Numbers = chance[classes.of[: len(view.table)]]
        return by_record

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the bounds in a sentence."""
        text = f"members of the population are in the file with probability {figures['delta_min']:.3f} to "
        text += f"{figures['delta']:.3f}"
        if figures["records_unexplained"]:
            text += f"; {figures['records_unexplained']} records are not in the population file"
        return text


def joint_codes(view: IntruderView) -> Codes:
    """Return the keys of the file's records and then of the population's, in one coding, shape (n + N, V)."""
    assert view.population is not None
    both = (view.table, view.population)
    columns = []
    for name in view.quasi_identifiers:
        column = np.concatenate([table.column(name) for table in both])
        columns.append(column if view.table.schema[name].categorical else ranks(column))
    codes = np.ascontiguousarray(np.column_stack(columns).astype(np.int32))
    return missing_apart(codes) if view.missing is MissingMatch.NEVER else codes


def matched(view: IntruderView) -> tuple[Classes, NDArray[np.int64], Numbers, NDArray[np.int64], NDArray[np.int64]]:
    """Return the keys of file and population together, and how many of both match each."""
    n, codes = len(view.table), joint_codes(view)
    classes = equivalence_classes(codes)
    inside = np.bincount(classes.of[:n], minlength=len(classes)).astype(np.int64)
    own = classes.counts - inside
    found, everyone = inside, own.astype(np.float64)
    keys = codes[classes.first]
    if view.missing is MissingMatch.WILDCARD and bool((keys == MISSING).any()):
        from evosdc.table.wildcard_tree import matching_sums, prefix_tree  # numba is loaded with it

        found, everyone = matching_sums(prefix_tree(keys), inside, everyone, keys)
    return classes, found, everyone, inside, own


def population_frequencies(view: IntruderView) -> Numbers:
    """Return how many members of the population share each record's key, shape (n,), at least its frequency."""
    # Counted in the population file where there is one; else the sum of the sampling weights, or, without weights, the
    # frequency in the file itself.
    own = view.frequencies[0].astype(np.float64)[view.classes.of]
    if view.population is None:
        estimated: Numbers = np.maximum(view.frequencies[1][view.classes.of], own)
        return estimated
    classes, _, everyone, _, _ = matched(view)
    counted: Numbers = everyone[classes.of[: len(view.table)]]
    return np.maximum(counted, own)


def population_size(view: IntruderView, params: Parameters | None = None) -> float | None:
    """Return the number of people in the population, at least that of records; None where nothing tells."""
    # By the parameter `population_size`, the population file or the sum of the sampling weights, whichever is there
    # first.
    given = getattr(params, "population_size", None)
    n = float(len(view.table))
    if given is not None:
        return max(float(given), n)
    if view.population is not None:
        return max(float(len(view.population)), n)
    return max(float(view.weights.sum()), n) if view.weights is not None else None
