"""What analysts get: tables, means and correlations of the original beside those of the published file.

A figure *holds* where it differs by no more than it would in another sample of the same size. That is judged by the
standard error of the difference of two such samples; it is a yardstick, not a test. A table with few records a cell
would differ much between samples, so at most `AT_MOST` per cent of its records may be elsewhere, too.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import pi, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.release.classes import Classed, classed
from evosdc.release.rank_correlation import Ranking, rank_correlation
from evosdc.table.distinct_values import placed_values
from evosdc.table.schema import Role, Scale
from evosdc.table.table import MISSING, Numbers, Table

MOST_PAIRS = 400
"""Pairs of attributes that are compared, at most."""

AT_MOST = 10.0
"""Per cent of the records of a table that may be in another cell, however few records it has."""

FEWEST = 10
"""Records of a group in either file from which its mean is told."""

_ANALYSED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER, Role.STRATUM)


def analyses(original: Table, published: Table, protect: Sequence[str]) -> dict[str, Any]:
    """Return tables, means and correlations before and after, of pairs with at least one masked attribute.

    Parameters
    ----------
    original, published : Table
        All attributes; the same records in the same order. Attributes that were generalised are left out.
    protect : sequence of str
        The masked attributes.

    Returns
    -------
    dict
        ``tables`` (``attributes moved sampling holds grouping``: records in another cell and what another sample would
        move, in per cent; how values were put together, by attribute; of single attributes with grouped values
        ``by_value``, the same figures for each value by itself), ``means`` (``of by before after error holds``; with
        ``by`` the group that differs most, and its label) and ``correlations`` of ranks
        (``attributes before after error holds``).
    """
    names = [
        attribute.name
        for attribute in original.schema.attributes
        if (attribute.role in _ANALYSED or attribute.name in protect) and _alike(original, published, attribute.name)
    ]
    masked = [name for name in names if name in protect]
    single = list(_single(original, published, masked))
    columns = {name: classed(original, published, name) for name in names}
    return {
        "tables": [*single, *_pairs(columns, masked)],
        "means": list(_means(original, published, columns, masked)),
        "correlations": list(_correlations(original, published, names, masked)),
    }


def _alike(original: Table, published: Table, name: str) -> bool:
    before = original.schema[name]
    if name not in published.schema:
        return False
    after = published.schema[name]
    return before.categorical == after.categorical and before.categories == after.categories


def _paired(names: Sequence[str], masked: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs with a masked attribute, those of two masked ones first."""
    pairs = [pair for pair in combinations(names, 2) if set(pair) & set(masked)]
    return sorted(pairs, key=lambda pair: -len(set(pair) & set(masked)))[:MOST_PAIRS]


def _single(original: Table, published: Table, masked: Sequence[str]) -> Iterator[dict[str, Any]]:
    for name in masked:
        column = classed(original, published, name)
        told = _table([column], column.original, column.published)
        if column.grouping and (values := _by_value(original, published, name)) is not None:
            told["by_value"] = values
        yield told


def _by_value(original: Table, published: Table, name: str) -> dict[str, Any] | None:
    """Return the table of an attribute's single values; None for numbers that hardly repeat, which have no such one."""
    both = np.concatenate([original.column(name), published.column(name)])
    values, codes, _ = placed_values(both)
    if not original.schema[name].categorical and len(values) > len(original) / 2:
        return None
    before, after = np.split(codes.reshape(-1).astype(np.int64), 2)
    return _compared(before, after, len(values))


def _pairs(columns: dict[str, Classed], masked: Sequence[str]) -> Iterator[dict[str, Any]]:
    for first, second in _paired(list(columns), masked):
        one, other = columns[first], columns[second]
        width = len(other.labels)
        before, after = one.original * width + other.original, one.published * width + other.published
        yield _table([one, other], before, after)


def _table(columns: Sequence[Classed], before: NDArray[np.int64], after: NDArray[np.int64]) -> dict[str, Any]:
    grouping = {column.attribute.name: column.grouping for column in columns if column.grouping}
    names = [column.attribute.name for column in columns]
    return (
        {"attributes": names} | _compared(before, after, prod(len(c.labels) for c in columns)) | {"grouping": grouping}
    )


def _compared(before: NDArray[np.int64], after: NDArray[np.int64], size: int) -> dict[str, Any]:
    shares = np.bincount(before, minlength=size) / len(before), np.bincount(after, minlength=size) / len(after)
    moved = 50.0 * float(np.abs(shares[0] - shares[1]).sum())
    sampling = sampling_distance(shares[0], len(before))
    return {"moved": moved, "sampling": sampling, "holds": moved <= min(sampling, AT_MOST)}


def sampling_distance(shares: NDArray[np.float64], records: int) -> float:
    """Return the expected total variation of two samples from a table's shares, in per cent, by the normal limit.

    Half the sum over cells of ``E|d|`` for ``d ~ N(0, 2 p (1 - p) / n)``, which is ``2 sqrt(p (1 - p) / (pi n))``.
    """
    return 100.0 * float(np.sqrt(shares * (1.0 - shares) / (pi * max(records, 1))).sum())


def _numbers(table: Table, name: str) -> Numbers:
    """Return what ranks and means are taken of: numbers, or codes of ordered or binary categories; NaN if missing."""
    column = np.asarray(table.column(name), dtype=np.float64)
    return np.where(column == MISSING, np.nan, column) if table.schema[name].categorical else column


def _means(
    original: Table, published: Table, columns: dict[str, Classed], masked: Sequence[str]
) -> Iterator[dict[str, Any]]:
    numeric = [name for name in columns if not original.schema[name].categorical]
    for name in numeric:
        before, after = _numbers(original, name), _numbers(published, name)
        if name in masked:
            told = _mean_of(before, after)
            yield {"of": name, "by": None, "group": ""} | told
    for name, by in ((n, b) for n in numeric for b in columns if b != n and {n, b} & set(masked)):
        found = _group_means(_numbers(original, name), _numbers(published, name), columns[by])
        if found is not None:
            yield {"of": name, "by": by} | found


def _mean_of(before: Numbers, after: Numbers) -> dict[str, Any]:
    sides = before[~np.isnan(before)], after[~np.isnan(after)]
    means = [float(side.mean()) if len(side) else 0.0 for side in sides]
    deviations = [float(side.std(ddof=1)) if len(side) > 1 else 0.0 for side in sides]
    error = sqrt(2.0) * deviations[0] / sqrt(max(len(sides[0]), 1))
    return {
        "before": means[0], "after": means[1], "error": error, "holds": abs(means[0] - means[1]) <= error,
        "deviation_before": deviations[0], "deviation_after": deviations[1],
    }  # fmt: skip


def _group_means(before: Numbers, after: Numbers, by: Classed) -> dict[str, Any] | None:
    """Return the group whose mean differs most, in standard errors, and whether groups differ by one on average."""
    size = len(by.labels)
    known = ~np.isnan(before), ~np.isnan(after)
    counts = np.bincount(by.original[known[0]], minlength=size), np.bincount(by.published[known[1]], minlength=size)
    told = (counts[0] >= FEWEST) & (counts[1] >= FEWEST)
    if told.sum() < 2:
        return None
    sums = (
        np.bincount(by.original[known[0]], before[known[0]], minlength=size),
        np.bincount(by.published[known[1]], after[known[1]], minlength=size),
    )
    squares = np.bincount(by.original[known[0]], before[known[0]] ** 2, minlength=size)
    means = sums[0][told] / counts[0][told], sums[1][told] / counts[1][told]
    variances = np.maximum(squares[told] / counts[0][told] - means[0] ** 2, 0.0)
    errors = np.sqrt(2.0 * variances / counts[0][told])
    apart = np.abs(means[0] - means[1]) / np.where(errors > 0.0, errors, 1.0)
    worst = int(apart.argmax())
    average = float(np.average(apart, weights=counts[0][told]))
    return {
        "group": by.labels[int(np.flatnonzero(told)[worst])],
        "before": float(means[0][worst]),
        "after": float(means[1][worst]),
        "error": float(errors[worst]),
        "groups": int(told.sum()),
        "average": average,
        "holds": average <= 1.0,
    }


def _correlations(
    original: Table, published: Table, names: Sequence[str], masked: Sequence[str]
) -> Iterator[dict[str, Any]]:
    def ordered(name: str) -> bool:
        attribute = original.schema[name]
        return attribute.scale is not Scale.NOMINAL or len(attribute.categories) == 2

    sides = [
        {name: Ranking(_numbers(table, name)) for name in names if ordered(name)} for table in (original, published)
    ]
    for first, second in _paired(list(sides[0]), masked):
        before, after = (rank_correlation(side[first], side[second], FEWEST) for side in sides)
        if before is None or after is None:
            continue
        error = sqrt(2.0) * (1.0 - before**2) / sqrt(max(len(original) - 1, 1))
        yield {
            "attributes": [first, second], "before": before, "after": after, "error": error,
            "holds": abs(before - after) <= error,
        }  # fmt: skip
