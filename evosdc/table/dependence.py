"""Columns that are a function of another column, and the same columns computed anew from its masked values."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distinct_values import placed_values
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Codes, Numbers, Table

FEWEST = 3  # records that a value must have for what goes with it to say anything

LEAST_COVERED = 0.5  # share of all records whose value must be that frequent

# share of those records that have the commonest value of the other column, from which this is a function
LEAST_SHARE = 0.99

GUESSED = 0.2  # share of the errors of always guessing the commonest value that the other column may leave at most

# how many times as often a column would change by chance, along another one in its order, as one that follows it
FEWER = 5.0

RUNS = 2  # stretches without a change, for each value, of a column that follows another one in its order, at most

GRADED = 10  # different numbers from which on a column of numbers follows another one by rising or falling with it


def follows(table: Table, name: str, by: str) -> bool:
    """Whether a column is a function of another one, in all but a few records."""
    # Each frequent value of the other goes with one value; or along the other's order this one changes a few times, as
    # age groups do, or rises or falls throughout, as a logarithm does.
    values, places, _ = placed_values(_filled(table, name))
    if len(values) < 2 or name == by:
        return False
    given, groups, counts = placed_values(_filled(table, by))
    covered = counts[groups] >= FEWEST
    if len(given) > 1 and covered.mean() >= LEAST_COVERED:
        share, usual = _commonest(groups[covered], places[covered], len(values))
        return share >= LEAST_SHARE and 1.0 - share <= GUESSED * (1.0 - usual)
    if table.schema[by].scale is Scale.NOMINAL or (table.schema[name].scale is Scale.NUMERIC and len(values) < GRADED):
        return False
    if _commonest(groups, places, len(values))[0] < LEAST_SHARE:
        return False
    along = places[np.lexsort((places, groups))]
    if table.schema[name].scale is Scale.NUMERIC:
        rises = np.diff(along)
        return bool((rises >= 0).all() or (np.diff(places[np.lexsort((-places, groups))]) <= 0).all())
    runs = 1 + int(np.count_nonzero(np.diff(along)))
    shares = np.bincount(places) / len(places)
    return runs <= RUNS * len(values) and FEWER * runs <= 1.0 + len(places) * (1.0 - float((shares**2).sum()))


def computed(table: Table, name: str, by: str, masked: Table) -> Codes | Numbers:
    """Return a column that follows from another one, from the masked values of that one."""
    # The commonest companion of the published value in the original, or of the nearest value that it has.
    own, other, asked = table.column(name), _filled(table, by), _filled(masked, by)
    given, groups, _ = placed_values(other)
    values, places, _ = placed_values(_filled(table, name))
    common = np.empty(len(given), dtype=np.intp)
    keys, times = np.unique(groups.astype(np.int64) * len(values) + places, return_counts=True)
    for key in np.argsort(times, kind="stable").tolist():  # the commonest comes last, and stays
        common[keys[key] // len(values)] = keys[key] % len(values)
    at = np.clip(np.searchsorted(given, asked), 1, max(len(given) - 1, 1))
    below, above = at - 1, np.minimum(at, len(given) - 1)
    nearest = np.where(asked - given[below] <= given[above] - asked, below, above)
    found = values[common[nearest]]
    absent = np.nan if own.dtype.kind == "f" else MISSING
    result = own.take(np.zeros(len(asked), dtype=np.intp))
    result[:] = np.where(found == _LOWEST, absent, found)
    return result


def by_columns(table: Table, names: Sequence[str], of: Sequence[str]) -> dict[str, str]:
    """Return which columns follow from one of others, each with the first that it follows from."""
    found = ((name, next((by for by in of if by != name and follows(table, name, by)), "")) for name in names)
    return {name: by for name, by in found if by}


_LOWEST = -1e300  # what stands for a missing number: a value of its own, below all others


def _filled(table: Table, name: str) -> Codes | Numbers:
    """Return a column in which missing values are equal to each other."""
    column = table.column(name)
    return np.where(np.isnan(column), _LOWEST, column) if column.dtype.kind == "f" else column


def _commonest(groups: NDArray[np.intp], places: NDArray[np.intp], width: int) -> tuple[float, float]:
    """Return the share of records with the commonest value of their group, and with the commonest of all."""
    keys, times = np.unique(groups.astype(np.int64) * width + places, return_counts=True)
    most = np.zeros(int(groups.max()) + 1, dtype=np.int64)
    np.maximum.at(most, keys // width, times)
    return float(most.sum() / len(groups)), float(np.bincount(places).max() / len(places))
