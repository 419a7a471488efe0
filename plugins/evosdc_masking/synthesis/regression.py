"""Regression of numeric attributes on others: design matrix, orthonormal basis, fitted values and residuals."""

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import MISSING, Numbers, Table

_TOLERANCE = 1e-10
"""Singular values below this share of the greatest, with columns of length 1, count as 0."""


def design_matrix(table: Table, n: int) -> Numbers:
    """Return the regressors, shape (n, q): a constant, the numeric attributes, and dummies of the categorical ones.

    Parameters
    ----------
    table : Table
        The attributes that explain; may have none.
    n : int
        Number of records.

    Returns
    -------
    ndarray of float64, shape (n, q)
        Numeric attributes standardised, which leaves the space that they span as it is. A missing number counts as the
        mean, with a dummy of its own for being missing; a missing category has a dummy like any other.
    """
    columns = [np.ones(n)]
    for attribute in table.schema.attributes:
        column = table.column(attribute.name)
        if attribute.categorical:
            columns += [(column == code).astype(np.float64) for code in np.unique(column)]
            continue
        missing = np.isnan(column)
        if missing.all():
            continue
        centre = np.median(column[~missing])
        unit = np.abs(column[~missing] - centre).max()
        shares = np.where(missing, np.nan, (column - centre) / (unit if unit > 0 else 1.0))
        columns.append(np.where(missing, np.nanmean(shares), shares))
        if missing.any():
            columns.append(missing.astype(np.float64))
    return np.column_stack(columns)


def basis(design: Numbers) -> Numbers:
    """Return orthonormal columns that span those of a design matrix, shape (n, rank)."""
    lengths = np.sqrt((design**2).sum(axis=0))
    # the few singular values of the triangle are those of the design matrix
    orthogonal, triangle = np.linalg.qr(design / np.where(lengths > 0, lengths, 1.0))
    directions, values, _ = np.linalg.svd(triangle)
    rank = int((values > _TOLERANCE * values.max(initial=0.0)).sum())
    found: Numbers = orthogonal @ directions[:, :rank]
    return found


def fitted(space: Numbers, values: Numbers) -> Numbers:
    """Return the projection of `values`, shape (n, p), on the columns of a basis: x B of the regression."""
    projection: Numbers = space @ (space.T @ values)
    return projection


def residuals(space: Numbers, values: Numbers) -> Numbers:
    """Return what a regression on a basis leaves of `values`; projected twice, so that it is orthogonal to rounding."""
    once = values - fitted(space, values)
    return once - fitted(space, once)


def complete(table: Table) -> NDArray[np.bool_]:
    """Return which records have all their values, shape (n,)."""
    present: NDArray[np.bool_] = ~np.isnan(table.numbers).any(axis=1) & (table.codes != MISSING).all(axis=1)
    return present
