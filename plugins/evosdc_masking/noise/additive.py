"""Noise added to numbers: uncorrelated, correlated, and correlated with a linear transform."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from evosdc.model import Design, Range, Tunable
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.noise.moments import Moments, moments
from evosdc_masking.rounding import RoundingParameters, published


class _AdditiveNoise(Tunable):
    """What the three methods share: alpha = 0 is the identity, missing values and constant attributes stay."""

    class Params(RoundingParameters):
        """How much noise is added."""

        alpha: float = Field(
            default=0.1, ge=0, description="Variance of the noise over that of the attribute; 0 changes nothing."
        )

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return alpha from a thousandth to five: beyond that there is more noise than value."""
        return [Design(free=(Range("alpha", 0.001, 5.0, "log"),))]

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with noise; one standard normal number is drawn for each cell."""
        self.require_fit(table)
        if self.params.alpha == 0:
            return table
        found = moments(table.numbers)
        draws = rng.standard_normal(table.numbers.shape)
        with np.errstate(over="ignore"):  # refused by name where it happens
            numbers = self._masked(table.numbers, found, draws)
        return published(table, numbers, self.params.rounding)

    def _masked(self, numbers: Numbers, found: Moments, draws: Numbers) -> Numbers:
        noise: Numbers = np.sqrt(self.params.alpha) * found.deviation * draws
        return numbers + noise


class UncorrelatedNoise(_AdditiveNoise):
    """Add independent normal noise of variance alpha * Var(X_j) to each attribute.

    In expectation means and covariances are kept, variances grow by the factor 1 + alpha and correlations shrink by 1
    / (1 + alpha). Variances have the divisor n. Published values can leave the original range.

    Source: Handbook on Statistical Disclosure Control; Brand (2002).
    """

    promise = 2


class CorrelatedNoise(_AdditiveNoise):
    """Add multivariate normal noise with covariance alpha * Cov(X).

    In expectation means and correlations are kept; variances and covariances grow by the factor 1 + alpha. How
    covariances are estimated where values are missing is a reconstruction, see `Moments.correlation_root`.

    Source: Handbook on Statistical Disclosure Control; Brand (2002).
    """

    promise = 3

    def _masked(self, numbers: Numbers, found: Moments, draws: Numbers) -> Numbers:
        return super()._masked(numbers, found, draws @ found.correlation_root().T)


class LinearTransformNoise(CorrelatedNoise):
    """Add correlated noise, then shrink towards the means: c (X + noise) + (1 - c) E(X).

    With c = 1 / sqrt(1 + alpha) means, variances and covariances, and with them correlations, are all kept in
    expectation. The value of c follows from that aim; it is derived, not quoted.

    Source: Kim (1986), after the Handbook on Statistical Disclosure Control.
    """

    def _masked(self, numbers: Numbers, found: Moments, draws: Numbers) -> Numbers:
        c = 1.0 / np.sqrt(1.0 + self.params.alpha)
        noisy: Numbers = super()._masked(numbers, found, draws)
        shrunk: Numbers = found.mean + c * (noisy - found.mean)
        return shrunk
