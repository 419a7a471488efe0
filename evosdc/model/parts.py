"""Parts of a file that are masked apart: strata, and what a method divides a file into."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evosdc.model.masking import MaskingMethod
from evosdc.table.joining import join_parts
from evosdc.table.spread import Spreads
from evosdc.table.table import Numbers, Rows, Table


@dataclass(frozen=True, eq=False)
class Material:
    """What a method is given to mask.

    Parameters
    ----------
    table : Table
        The attributes to mask, shape (n, V).
    weights : ndarray of float64, shape (n,), or None
        Sampling weights.
    auxiliary : Table or None
        What the method reads besides.
    """

    table: Table
    weights: Numbers | None = None
    auxiliary: Table | None = None

    def take(self, rows: Rows) -> "Material":
        """Return the records at some positions."""
        weights = None if self.weights is None else self.weights[rows]
        return Material(self.table.take(rows), weights, None if self.auxiliary is None else self.auxiliary.take(rows))

    def masked_by(self, method: MaskingMethod, rng: np.random.Generator) -> Table:
        """Return the table masked, by that of the method's ways which suits what there is."""
        if self.auxiliary is not None:
            return method.mask_given(self.table, self.auxiliary, rng)
        return (
            method.mask(self.table, rng)
            if self.weights is None
            else method.mask_weighted(self.table, self.weights, rng)
        )


@dataclass(frozen=True, eq=False)
class Part:
    """Some records of a file, and what masks them.

    Parameters
    ----------
    method : MaskingMethod
        One that does not divide them further.
    rows : ndarray of intp, shape (m,), or None
        Their positions in the file; None for all.
    rng : numpy.random.Generator
        A stream of its own.
    spreads : mapping of str to Spread, or None
        Of the numbers of what a method divided into this part and others; None where none did.
    """

    method: MaskingMethod
    rows: Rows | None
    rng: np.random.Generator
    spreads: Spreads | None = None

    def masked(self, whole: Material) -> Table:
        """Return the records masked.

        Parameters
        ----------
        whole : Material
            The file.
        """
        method = self.method if self.spreads is None else self.method.scaled_by(self.spreads)
        return (whole if self.rows is None else whole.take(self.rows)).masked_by(method, self.rng)


def joined(pieces: Sequence[Table], parts: Sequence[Part]) -> Table:
    """Return one table from the masked parts of a file."""
    if len(parts) == 1 and parts[0].rows is None:
        return pieces[0]
    return join_parts(pieces, [rows for part in parts for rows in [part.rows] if rows is not None])
