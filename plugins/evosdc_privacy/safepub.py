"""SafePub: what k-anonymity of a random sample promises as (epsilon, delta)-differential privacy."""

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, exp, floor, log
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import ByClass, ClassContents, IntruderView, Parameters
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
        delta: float | None = Field(None, gt=0.0, lt=1.0, description="for which the k needed is told")

    headline: ClassVar[str] = "delta"
    larger_is_safer: ClassVar[bool] = False
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
        frequencies, counts = view.frequencies[0], view.classes.counts
        sizes, place = np.unique(frequencies, return_inverse=True)
        found = np.array([delta_of(int(size), self.params.epsilon, self.beta) for size in sizes])
        return float(counts[found[place.reshape(-1)] > bound].sum() / counts.sum())

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return the guarantee and its conditions in a sentence."""
        return (
            f"({figures['epsilon']:g}, {figures['delta']:.3g})-differential privacy, if the file is a random sample of "
            f"{100.0 * figures['sampling_fraction']:.1f} % and its recoding was chosen without the data"
        )


@lru_cache(maxsize=100_000)
def delta_of(k: int, epsilon: float, beta: float) -> float:
    """Return delta of a k-anonymised random sample.

    The maximum over n is taken until Chernoff's bound of all further terms, which falls in n, lies below it.

    Parameters
    ----------
    k : int
        Size of the smallest class, at least 1.
    epsilon : float
        At least ``-ln(1 - beta)``.
    beta : float
        Probability of being sampled.
    """
    from scipy.special import bdtrc  # late: it takes a while, and most searches ask for no such sample

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
