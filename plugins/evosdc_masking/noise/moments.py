"""Means, standard deviations and a root of the correlation matrix of numbers that may be missing."""

from dataclasses import dataclass

import numpy as np

from evosdc.table.table import Numbers


@dataclass(frozen=True)
class Moments:
    """First and second moments of numeric attributes.

    Parameters
    ----------
    mean, deviation : ndarray of float64, shape (Q,)
        Of the values that are present; the divisor is their number. 0 for an attribute without values.
    standard : ndarray of float64, shape (n, Q)
        Standardised values; 0 where a value is missing or its attribute constant.
    present : ndarray of bool, shape (n, Q)
    """

    mean: Numbers
    deviation: Numbers
    standard: Numbers
    present: np.ndarray[tuple[int, int], np.dtype[np.bool_]]

    def correlation_root(self) -> Numbers:
        """Return R, shape (Q, Q), symmetric up to a scaling of rows, with R R' the correlation matrix.

        Products are averaged over the records in which both values are present. Missing values can make such a matrix
        indefinite: negative eigenvalues are then taken as 0 and rows are scaled so that the diagonal is 1 again, a
        reconstruction. Nearly singular matrices need no special care, since nothing is inverted. The root is that of
        the eigenvalues, so it does not depend on signs or order of eigenvectors. Rows of constant attributes are 0.
        """
        present = self.present.astype(np.float64)
        pairs = np.maximum(present.T @ present, 1.0)
        values, vectors = np.linalg.eigh(self.standard.T @ self.standard / pairs)
        root: Numbers = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        lengths = np.sqrt((root**2).sum(axis=1))
        varied = (self.deviation > 0) & (lengths > 0)
        root[varied] /= lengths[varied, None]
        root[~varied] = 0.0
        return root


def moments(numbers: Numbers) -> Moments:
    """Return the moments of `numbers`, shape (n, Q), NaN where a value is missing."""
    present = ~np.isnan(numbers)
    counts = np.maximum(present.sum(axis=0), 1)
    # the mean is taken of differences to a value of the column: a constant column then deviates by exactly 0
    origin = np.where(present.any(axis=0), np.nanmax(numbers, axis=0, initial=-np.inf), 0.0)
    shifted = np.where(present, numbers - origin, 0.0)
    shift = shifted.sum(axis=0) / counts
    centred = np.where(present, shifted - shift, 0.0)
    # in units of the greatest deviation, since squares of large numbers would overflow
    unit = np.abs(centred).max(axis=0, initial=0.0)
    scaled = centred / np.where(unit > 0, unit, 1.0)
    spread = np.sqrt((scaled**2).sum(axis=0) / counts)
    return Moments(origin + shift, unit * spread, scaled / np.where(spread > 0, spread, 1.0), present)
