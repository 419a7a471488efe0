"""Differential privacy: of a k-anonymous random sample (SafePub), and of post-randomisation by its matrices alone."""

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, exp, floor, isfinite, log
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import ByClass, ClassContents, IntruderView, Parameters, PrivacyModel
from evosdc.randomisation.certificate import epsilon as epsilon_of
from evosdc.table.table import Numbers

_MOST = 10_000_000


class SafePub(ByClass):
    """(epsilon, delta)-differential privacy by sampling and k-anonymity (Li, Qardaji and Su 2012; Bild et al. 2018).

    A file that each respondent entered with probability beta, generalised by a scheme chosen without the data, with
    every class of fewer than k records suppressed, is (epsilon, delta)-differentially private for
    ``epsilon >= -ln(1 - beta)`` and ::

        delta = max over n >= ceil(k / gamma - 1) of P(B(n, beta) > gamma n),   gamma = (e^epsilon - 1 + beta) /
        e^epsilon

    B binomial. The headline is this delta for the smallest class of the file, or 1 where even k = 1 tells nothing. The
    sampling, and that the scheme does not follow from the data, are conditions which no file can show: a search that
    looks at the data spends privacy that is not counted here (SafePub's own search draws by an exponential mechanism).
    """

    class Params(Parameters):
        """The budget, and how respondents were sampled."""

        epsilon: float = Field(1.0, gt=0.0, le=20.0, description="epsilon")
        sampling_fraction: float | None = Field(
            None, gt=0.0, lt=1.0, description="beta; default: the greatest allowed, 1 - exp(-epsilon)"
        )
        delta: float | None = Field(None, gt=0.0, lt=1.0, description="for which the required k is reported")

    headline: ClassVar[str] = "delta"
    larger_is_safer: ClassVar[bool] = False
    of_sensitive: ClassVar[bool] = False
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __init__(self, params: Any) -> None:
        super().__init__(params)
        greatest = -np.expm1(-params.epsilon)
        self.beta = float(greatest if params.sampling_fraction is None else params.sampling_fraction)
        if self.beta > greatest + 1e-12:
            where, given = (
                "privacy-model safepub: sampling_fraction",
                f"{self.beta:g} with epsilon = {params.epsilon:g}",
            )
            wanted = f"at most 1 - exp(-epsilon) = {greatest:.6g}"
            raise ParameterError(Fault(where, given, wanted, "Sample fewer respondents, or allow a greater epsilon."))

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return delta for the smallest class, and the k that a wanted delta needs."""
        k = int(view.frequencies[0].min())
        wanted = self.params.delta
        return {
            "delta": delta_of(k, self.params.epsilon, self.beta),
            "epsilon": self.params.epsilon,
            "sampling_fraction": self.beta,
            "k": k,
            "k_needed": None if wanted is None else k_needed(wanted, self.params.epsilon, self.beta),
        }

    def class_figures(self, contents: ClassContents) -> Numbers:
        """Return delta for the size of each class."""
        sizes, place = np.unique(contents.sizes, return_inverse=True)
        found = np.array([delta_of(int(size), self.params.epsilon, self.beta) for size in sizes])
        figures: Numbers = found[place.reshape(-1)]
        return figures

    def shortfall(self, view: IntruderView, bound: float) -> float:
        """Return the share of records in classes too small for the bound."""
        return self.share_beyond(view, bound)

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the guarantee and its conditions in a sentence."""
        return (
            f"({figures['epsilon']:g}, {figures['delta']:.3g})-differential privacy, if the file is a random sample of "
            f"{100.0 * figures['sampling_fraction']:.1f} % and its recoding was chosen without the data"
        )


class LocalDifferentialPrivacy(PrivacyModel):
    """Local differential privacy of the matrices that a file was post-randomised by (Kasiviswanathan et al. 2011).

    ``epsilon = max_l ln (max_k p_kl / min_k p_kl)`` over the values that occurred; attributes are randomised
    independently, so their epsilons add up. None is infinity: some published value gives an original one away. With
    epsilon 0 the published values tell nothing.
    """

    headline: ClassVar[str] = "epsilon"
    larger_is_safer: ClassVar[bool] = False

    def lacking(self, view: IntruderView) -> str:
        """Return that matrices are needed where there are none."""
        return "" if view.transitions else "transition matrices of a post-randomisation"

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return epsilon in all and by attribute."""
        assert view.transitions is not None
        found = {name: epsilon_of(rows) for name, rows in view.transitions.items()}
        return {
            "epsilon": _finite(sum(found.values())),
            "attributes": {name: _finite(value) for name, value in found.items()},
        }

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return epsilon in a sentence."""
        if figures["epsilon"] is None:
            names = ", ".join(name for name, value in figures["attributes"].items() if value is None)
            return f"no guarantee: some published values of {names} rule original ones out"
        return f"epsilon = {figures['epsilon']:.3f} for the randomised attributes together"


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


@lru_cache(maxsize=100_000)
def delta_of(k: int, epsilon: float, beta: float) -> float:
    """Return delta of a k-anonymised random sample."""
    # The maximum over n is taken until Chernoff's bound of all further terms, which falls in n, lies below it.
    from scipy.special import bdtrc  # late: it takes a while, and most searches need no such sample

    gamma = (exp(epsilon) - 1.0 + beta) / exp(epsilon)
    rate = gamma * log(gamma / beta) - (gamma - beta)
    greatest, n = 0.0, max(ceil(k / gamma - 1.0 - 1e-12), 1)
    while exp(-n * rate) > greatest and n < _MOST:
        # P(B > gamma n) = P(B >= floor(gamma n) + 1)
        greatest = max(greatest, float(bdtrc(floor(gamma * n + 1e-12), n, beta)) if gamma * n < n else 0.0)
        n += 1
    return min(greatest, 1.0)


def k_needed(delta: float, epsilon: float, beta: float) -> int:
    """Return the least k of which `delta_of` is at most `delta`."""
    high = 2
    while delta_of(high, epsilon, beta) > delta:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if delta_of(middle, epsilon, beta) <= delta else (middle, high)
    return low if delta_of(low, epsilon, beta) <= delta else high
