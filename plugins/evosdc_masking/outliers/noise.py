"""Noise on outliers."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_masking.noise.moments import moments
from evosdc_masking.outliers.distances import limit, robust_place, univariate_outliers
from evosdc_masking.rounding import RoundingParameters, published
from evosdc_masking.untuned import Untuned


class OutlierNoise(Untuned):
    """Add independent normal noise of variance alpha * Var(X_j) to outliers alone; other records stay as they are.

    A record whose robust Mahalanobis distance is beyond a chi-squared quantile gets noise on all its values, any other
    one on the values that lie beyond that quantile of a normal distribution around the median, in median absolute
    deviations. Needs scikit-learn.

    Source: Templ and Meindl (2008), as method ``outdect`` of addNoise in sdcMicro; the limits are a reconstruction.
    """

    class Params(RoundingParameters):
        """How much noise, and what is an outlier."""

        alpha: float = Field(0.5, ge=0, description="Variance of the noise over the attribute's; 0 changes nothing.")
        quantile: float = Field(0.975, gt=0, lt=1, description="Share of a normal population that is no outlier.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with noise; one standard normal number is drawn for each cell."""
        self.require_fit(table)
        draws = rng.standard_normal(table.numbers.shape)
        if self.params.alpha == 0 or not table.numbers.size:
            return table
        _, squared, rank = robust_place(table.numbers)
        chosen = univariate_outliers(table.numbers, self.params.quantile)
        chosen |= (squared > limit(self.params.quantile, rank))[:, None]
        with np.errstate(over="ignore"):  # refused by name where it happens
            noise = np.sqrt(self.params.alpha) * moments(table.numbers).deviation * draws
            noisy = published(table, np.where(chosen, table.numbers + noise, table.numbers), self.params.rounding)
        return Table(table.schema, table.codes, np.where(chosen, noisy.numbers, table.numbers))
