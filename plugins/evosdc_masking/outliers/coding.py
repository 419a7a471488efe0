"""Multivariate top coding."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from evosdc.table.schema import Scale
from evosdc.table.table import Table
from evosdc_masking.outliers.distances import filled, limit, robust_place
from evosdc_masking.rounding import RoundingParameters, published
from evosdc_masking.untuned import Untuned


class MultivariateTopCoding(Untuned):
    """Draw records far from the robust centre straight towards it, onto an ellipsoid.

    A record of robust Mahalanobis distance d (minimum covariance determinant) beyond c, the root of a chi-squared
    quantile with as many degrees of freedom as attributes vary, is published at ``centre + (x - centre) c / d``; all
    others stay as they are. Relations between the attributes of an outlier are kept, which top coding of single
    attributes breaks. A missing value counts as the median and stays missing. Nothing is random. Needs scikit-learn.

    Source: mvTopCoding of sdcMicro (Templ); missing values: reconstruction.
    """

    class Params(RoundingParameters):
        """Where the ellipsoid lies."""

        quantile: float = Field(0.975, gt=0, lt=1, description="Share of a normal population inside the ellipsoid.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the coded table."""
        self.require_fit(table)
        if not table.numbers.size:
            return table
        centre, squared, rank = robust_place(table.numbers)
        bound = limit(self.params.quantile, rank)
        outside = squared > bound
        if not outside.any():
            return table
        numbers = table.numbers.copy()
        values = filled(table.numbers)[outside]
        numbers[outside] = centre + (values - centre) * np.sqrt(bound / squared[outside])[:, None]
        coded = published(table, numbers, self.params.rounding).numbers
        return Table(table.schema, table.codes, np.where(outside[:, None], coded, table.numbers))
