"""Counts and tables of the original, estimated from a file that was published by post-randomisation (PRAM).

With T the original counts of the states and P their transition matrix, published counts have the mean ``T P``; so
``T_hat = T_published P^-1`` is unbiased (Kooiman, Willenborg and Gouweleeuw 1997), and in tables of several attributes
each axis is carried back by the inverse of its own matrix. With g the columns of the inverse, the randomisation gives
``T_hat`` the covariances ``sum_l (T P)_l g_lc g_ld - [c = d] T_c``. Put the published counts in place of ``T P`` and
``T_hat`` in place of T, and they are estimated without bias. Sampling is not part of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.randomisation.matrix_file import LabelledMatrix, Stratum, records_of, strata_of_matrices
from evosdc.randomisation.transition import Matrix
from evosdc.table.schema import Schema
from evosdc.table.table import Numbers, Table

Counts = NDArray[np.float64]

SINGULAR = 1e12  # condition number from which on a matrix is taken for one that has no inverse


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated counts of a table."""

    counts: Counts  # unbiased; some can be negative
    # Of the counts, due to the randomisation, same shape; unbiased, so of rare cells some can be negative.
    variances: Counts

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(self.counts + other.counts, self.variances + other.variances)


def inverted(matrix: Matrix, where: str) -> Matrix:
    """Return the inverse of a transition matrix."""
    condition = float(np.linalg.cond(matrix)) if matrix.size else 1.0
    if not condition < SINGULAR:
        given = "a transition matrix that has no inverse"
        wanted = "one that has"
        advice = "It publishes different originals alike, so their counts can no longer be distinguished."
        raise ParameterError(Fault(where, given, wanted, advice))
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64) if matrix.size else matrix


def estimated(published: Counts, squares: Counts, inverses: Sequence[Matrix], sums: Sequence[Matrix]) -> Estimate:
    """Return the estimated counts of a table with one axis for each block of attributes."""
    carried = [inverse @ total for inverse, total in zip(inverses, sums, strict=True)]
    counts = _carried(published, carried)
    spread = _carried(squares, [matrix**2 for matrix in carried]) - _carried(squares, carried)
    return Estimate(counts, spread)


def covariances(published: Counts, inverse: Matrix) -> Counts:
    """Return the estimated covariances of one attribute's estimated counts, shape (c, c); unweighted."""
    return inverse.T @ (published[:, None] * inverse) - np.diag(published @ inverse)


def _carried(table: Counts, matrices: Sequence[Matrix]) -> Counts:
    for matrix in matrices:
        # the axis carried goes last, so after all of them the axes are in their order again
        table = np.tensordot(table, matrix, axes=(0, 0))
    return table


if TYPE_CHECKING:
    import pandas as pd


def estimate_after_pram(
    published: "pd.DataFrame | Table", matrices: Any, attributes: Sequence[str] | str, *, weight: str | None = None
) -> "pd.DataFrame":
    """Estimate the original counts of one attribute's categories, or of the cells of a table of several.

    ``T_hat = (P^-1)' T_published``, for several attributes by the inverse of each one's matrix (of the block's, where
    attributes were crossed); unbiased. Attributes without a matrix were not randomised. Records that lack a value of
    one of the attributes are left out.

    Parameters
    ----------
    published : DataFrame or Table
        The masked file.
    matrices : Path, str, mapping or DataFrame
        A file: ``MASKED.matrices.json`` of ``evosdc mask``, ``transitions.json`` or ``analyst.json`` of a run, or
        another that the design `matrix` of PRAM reads; a table as in such a file; a mapping of attributes to square
        DataFrames; or, for one attribute, such a DataFrame.
    attributes : str or sequence of str
    weight : str, optional
        Attribute of sampling weights: totals of the population are estimated.

    Returns
    -------
    DataFrame
        One row a cell, indexed by the categories, with the columns ``published``, ``estimated`` and
        ``standard_error`` (due to the randomisation alone; 0 where its unbiased variance is negative). Estimates may be
        negative.

    Raises
    ------
    InputError
        Matrices that cannot be read, do not fit the file or have no inverse; unknown attributes.

    Examples
    --------
    >>> evosdc.estimate_after_pram(masked, "masked.matrices.json", ["sex", "education"])  # doctest: +SKIP
    """
    from evosdc.files.frame import table_from_frame

    table = published if isinstance(published, Table) else table_from_frame(published)
    names = [attributes] if isinstance(attributes, str) else list(attributes)
    _require(table.schema, names, weight)
    strata = strata_of_matrices(matrices, names)
    table = _widened(table, strata)
    weights = np.ones(len(table)) if weight is None else np.asarray(table.column(weight), dtype=np.float64)
    sizes = [len(table.schema[name].categories) for name in names]
    total = Estimate(np.zeros(sizes), np.zeros(sizes))
    counted = np.zeros(sizes)
    covered = np.zeros(len(table), dtype=np.bool_)
    for stratum in strata:
        rows = records_of(table, stratum)
        covered |= rows
        total += _estimated(table.take(np.flatnonzero(rows)), weights[rows], stratum.matrices, names)
    if not covered.all():
        given = f"matrices for strata that {int((~covered).sum())} records belong to none of"
        raise ParameterError(Fault("matrices", given, "the matrices that this file was masked with"))
    codes = [np.asarray(table.column(name), dtype=np.int64) for name in names]
    complete = np.all([column >= 0 for column in codes], axis=0)
    np.add.at(counted, tuple(column[complete] for column in codes), weights[complete])
    return _frame(table.schema, names, counted, total)


def _require(schema: Schema, names: Sequence[str], weight: str | None) -> None:
    schema.require(names)
    schema.require([] if weight is None else [weight], "weight")
    advice = "Read the file with the schema that it was masked with."
    faults = [
        Fault(name, "a numeric attribute", "categories", advice) for name in names if not schema[name].categorical
    ]
    if weight is not None and schema[weight].categorical:
        faults.append(Fault(weight, "categories", "a numeric attribute of weights"))
    if not names or len(set(names)) < len(names):
        faults.append(Fault("attributes", ", ".join(names) or "none", "attributes, each once"))
    if faults:
        raise ParameterError(faults)


def _widened(table: Table, strata: Sequence[Stratum]) -> Table:
    """Return the table with the matrices' categories besides its own: a file need not show all that could be in it."""
    further: dict[str, dict[str, None]] = {}
    for one in (one for stratum in strata for one in stratum.matrices):
        for state in one.states:
            for name, label in zip(one.attributes, state, strict=True):
                if label is not None:
                    further.setdefault(name, {})[label] = None
    attributes = tuple(
        replace(a, categories=tuple(dict.fromkeys((*a.categories, *further.get(a.name, ())))) if a.categorical else ())
        for a in table.schema.attributes
    )
    return Table(replace(table.schema, attributes=attributes), table.codes, table.numbers)


def _estimated(table: Table, weights: Numbers, matrices: Sequence[LabelledMatrix], names: Sequence[str]) -> Estimate:
    """Return the estimate for one stratum, one axis an attribute in the order of `names`."""
    blocks = [one for one in matrices if set(one.attributes) & set(names)]
    given = {name for one in blocks for name in one.attributes}
    indices, inverses, sums, order = [], [], [], list[str]()
    for one in blocks:
        table.schema.require(one.attributes, "matrices")
        wanted = [name for name in one.attributes if name in names]
        indices.append(_states_of(table, one))
        inverses.append(inverted(one.matrix, ", ".join(one.attributes)))
        sums.append(_sums(table.schema, one, wanted))
        order += wanted
    for name in names:
        if name not in given:
            size = len(table.schema[name].categories)
            indices.append(np.asarray(table.column(name), dtype=np.int64))
            inverses.append(np.identity(size))
            sums.append(np.identity(size))
            order.append(name)
    present = np.all([index >= 0 for index in indices], axis=0)
    shape = [len(inverse) for inverse in inverses]
    flat = np.ravel_multi_index([index[present] for index in indices], shape) if prod(shape) else np.empty(0, np.int64)
    counts, squares = (
        np.bincount(flat, weights=weights[present] ** power, minlength=prod(shape)).astype(float).reshape(shape)
        for power in (1, 2)
    )
    found = estimated(counts, squares, inverses, sums)
    sizes = [len(table.schema[name].categories) for name in order]
    turned = [order.index(name) for name in names]
    return Estimate(*(part.reshape(sizes).transpose(turned) for part in (found.counts, found.variances)))


def _states_of(table: Table, one: LabelledMatrix) -> NDArray[np.int64]:
    """Return the state of each record; -1 where a value is missing and the matrix has no such state."""
    attributes = [table.schema[name] for name in one.attributes]
    position = {
        tuple(-1 if label is None else a.code[label] for a, label in zip(attributes, state, strict=True)): at
        for at, state in enumerate(one.states)
    }
    columns = np.stack([table.column(name) for name in one.attributes], axis=1)
    distinct, record = np.unique(columns, axis=0, return_inverse=True)
    found = np.array([position.get(tuple(row), -1) for row in distinct.tolist()], dtype=np.int64)
    lacking = int(((found < 0) & (distinct >= 0).all(axis=1)).sum())
    if lacking:
        given = f"no row for {lacking} published {'combinations' if len(attributes) > 1 else 'categories'}"
        where = f"{one.where}: {', '.join(one.attributes)}"
        raise ParameterError(Fault(where, given, "the matrix that the file was masked with"))
    return found[record.ravel()] if len(found) else np.empty(0, dtype=np.int64)


def _sums(schema: Schema, one: LabelledMatrix, wanted: Sequence[str]) -> Matrix:
    """Return which states make up which cell of some of the block's attributes, shape (m, cells)."""
    sizes = [len(schema[name].categories) for name in wanted]
    sums = np.zeros((len(one.states), prod(sizes)))
    for at, state in enumerate(one.states):
        labels = dict(zip(one.attributes, state, strict=True))
        codes = [schema[name].code.get(labels[name] or "", -1) for name in wanted]
        if all(labels[name] is not None for name in wanted):
            sums[at, int(np.ravel_multi_index(codes, sizes))] = 1.0
    return sums


def _frame(schema: Schema, names: Sequence[str], published: Numbers, total: Estimate) -> "pd.DataFrame":
    import pandas as pd

    labels = [pd.CategoricalIndex(c := schema[name].categories, categories=c, name=name) for name in names]
    index = labels[0] if len(names) == 1 else pd.MultiIndex.from_product(labels, names=list(names))
    errors = np.sqrt(np.maximum(total.variances, 0.0))
    columns = {"published": published.ravel(), "estimated": total.counts.ravel(), "standard_error": errors.ravel()}
    return pd.DataFrame(columns, index=index)
