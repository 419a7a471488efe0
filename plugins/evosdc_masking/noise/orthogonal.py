"""Random orthogonal matrix masking (ROMM)."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.rounding import RoundingParameters, published
from evosdc_masking.untuned import Untuned


class OrthogonalMasking(Untuned):
    """Turn the records' deviations from the means by a random orthogonal matrix: means and covariances are kept.

    With ``X = 1 m' + Q R``, Q an orthonormal basis of the centred columns, the file ``1 m' + Q* R`` is published: Q* is
    the orthonormal basis nearest to ``Q + amount * E``, E centred standard normal numbers over the root of n. Any two
    such bases are turned into each other by an orthogonal matrix that leaves 1 in its place, as the method of the
    source asks for; that only the basis is drawn and not the matrix of n**2 numbers, and so its distribution, is a
    reconstruction. 0 publishes the file itself, great amounts forget the records. Records with a missing value are
    turned with the means in its place, and moments are then kept nearly. Rounding to the file's decimals keeps moments
    nearly.

    Source: Ting, Fienberg and Trottini (2008).
    """

    class Params(RoundingParameters):
        """How far records are turned."""

        amount: float = Field(0.3, ge=0, description="Noise added to the basis before it is made orthonormal again.")

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the turned table; one standard normal number is drawn for each cell."""
        self.require_fit(table)
        draws = rng.standard_normal(table.numbers.shape)
        if self.params.amount == 0 or not table.numbers.size:
            return table
        return published(table, turned(table.numbers, draws, self.params.amount), self.params.rounding)


def turned(numbers: Numbers, draws: Numbers, amount: float) -> Numbers:
    """Return numbers turned by a random orthogonal matrix, shape (n, Q); draws are standard normal, shape (n, Q)."""
    present = ~np.isnan(numbers)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, numbers, 0.0).sum(axis=0) / counts
    centred = np.where(present, numbers - means, 0.0)
    unit = np.abs(centred).max(axis=0)
    unit = np.where(unit > 0.0, unit, 1.0)
    scaled = centred / unit
    left, values, right = np.linalg.svd(scaled, full_matrices=False)
    kept = values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
    rank = int(kept.sum())
    if rank == 0 or len(numbers) <= rank + 1:
        return np.where(present, means + centred, np.nan)
    noise = draws[:, :rank] - draws[:, :rank].mean(axis=0)
    basis = left[:, kept] + amount * noise / np.sqrt(len(numbers))
    first, _, second = np.linalg.svd(basis - basis.mean(axis=0), full_matrices=False)
    turned_basis = first @ second
    result: Numbers = means + (turned_basis * values[kept]) @ right[kept] * unit
    return result
