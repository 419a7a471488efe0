"""Microaggregation by MDAV-generic."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from evosdc.data.table import Numbers, Table
from evosdc.errors import Fault, ParameterError
from evosdc.model import MaskingMethod, Parameters
from evosdc_masking.aggregation import aggregated
from evosdc_masking.microaggregation.mdav_partition import mdav_partition
from evosdc_masking.space import space_of


class Mdav(MaskingMethod):
    """Publish in place of each record the average record of a class of at least k similar ones.

    The published file is k-anonymous on the masked attributes. Nothing is random. Distances are those of
    `evosdc_masking.space`, averages the lower median (ordinal), the mode (nominal) and the mean (numeric).

    Source: MDAV-generic, Domingo-Ferrer and Torra (2005), see `evosdc_masking.microaggregation.mdav_partition`.
    """

    class Params(Parameters):
        """Size of the classes, and what happens to numbers."""

        k: int = Field(default=3, ge=1, description="Least number of records of a class; 1 changes nothing.")
        destandardise: bool = Field(
            default=True,
            description="Stretch each masked numeric attribute so that its mean and variance are the original's "
            "(published values can then leave the original range).",
        )

    params: Params

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` when k exceeds the number of records."""
        super().require_fit(table)
        n, k = len(table), self.params.k
        if k > n:
            raise ParameterError(
                Fault("method mdav: k", str(k), f"1..{n}", f"A class of {k} records cannot be made of {n}.")
                if n
                else Fault("method mdav: data", "no record", "at least one record")
            )

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the microaggregated table.

        Raises
        ------
        ParameterError
            k exceeds the number of records.
        """
        self.require_fit(table)
        masked = aggregated(table, mdav_partition(space_of(table), self.params.k))
        if not self.params.destandardise:
            return masked
        numbers = np.empty_like(masked.numbers)
        for j in range(numbers.shape[1]):
            numbers[:, j] = destandardised(masked.numbers[:, j], table.numbers[:, j])
        return Table(masked.schema, masked.codes, numbers)


def destandardised(masked: Numbers, original: Numbers) -> Numbers:
    """Return masked numbers shifted and stretched to the mean and the variance of the original ones.

    Parameters
    ----------
    masked, original : ndarray of float64, shape (n,)
        Missing values (NaN) stay missing and are left out of means and variances.

    Returns
    -------
    ndarray of float64, shape (n,)
        Equal values stay equal. A constant column, or one whose mean and variance are right already, is returned as it
        is. The formula's line is lost in the source and restored from its symbols: a reconstruction.
    """
    known, true = masked[~np.isnan(masked)], original[~np.isnan(original)]
    if known.size == 0:
        return masked
    mean, wanted_mean = known.mean(), true.mean()
    # spreads are taken in units of the greatest deviation: squares of large numbers would overflow
    unit = np.abs(true - wanted_mean).max()
    if unit == 0:
        return masked
    spread, wanted_spread = ((known - mean) / unit).std(), ((true - wanted_mean) / unit).std()
    if spread <= 1e-12 or (mean == wanted_mean and spread == wanted_spread):
        return masked
    stretched: Numbers = (masked - mean) * (wanted_spread / spread) + wanted_mean
    return stretched
