"""Columns that are a function of another column, and the same columns computed from its masked values."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.equivalence import placed_values
from evosdc.table.record_rules import middle_of_class
from evosdc.table.schema import Scale
from evosdc.table.structural_zeros import bins_of
from evosdc.table.table import Codes, Numbers, Table

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
    other, published = _filled(table, by), _filled(masked, by)
    given, groups, _ = placed_values(other)
    values, places, _ = placed_values(_filled(table, name))
    keys, times = np.unique(groups.astype(np.int64) * len(values) + places, return_counts=True)
    keys = keys[np.argsort(times, kind="stable")]
    common = np.empty(len(given), dtype=np.intp)
    common[keys // len(values)] = keys % len(values)  # the commonest is written last
    at = np.clip(np.searchsorted(given, published), 1, max(len(given) - 1, 1))
    below, above = at - 1, np.minimum(at, len(given) - 1)
    nearest = np.where(published - given[below] <= given[above] - published, below, above)
    found: Codes | Numbers = values[common[nearest]]
    return np.where(found == _LOWEST, np.nan, found) if found.dtype.kind == "f" else found


def by_columns(table: Table, names: Sequence[str], of: Sequence[str]) -> dict[str, str]:
    """Return which columns follow from one of others, each with the first that it follows from."""
    found = ((name, next((by for by in of if by != name and follows(table, name, by)), "")) for name in names)
    return {name: by for name, by in found if by}


_LOWEST = -1e300  # what represents a missing number: a value of its own, below all others


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


LEAST_FREQUENT = 0.1  # share of all records whose value must be frequent enough
NEAR = 0.05  # part of an attribute's range, between its 1st and 99th percentile, that a near guess may be off at most
# share of near guesses from which an ordered attribute counts as given away; without the other at most half of it
LEAST_NEAR = 0.9
# records next to each other that a guess is made for, where values of the other attribute hardly occur twice
NEIGHBOURS = 10


class Determination(NamedTuple):
    """A masked attribute that follows from one that is published as it is."""

    masked: str
    by: str
    # of the records whose value of `by` occurs at least `FEWEST` times, those in which `masked` has the category that
    # goes with this value most often; 0..1. Of near guesses, those that are off by `within` at most.
    share: float
    # by how much a guess may be off: 0 where the category itself follows; in steps of ordinal categories
    within: float = 0.0


def determinations(table: Table, protect: Sequence[str]) -> tuple[Determination, ...]:
    """Return which masked attributes follow from an attribute that masking does not touch."""
    return _determinations(table, tuple(protect))


@lru_cache(maxsize=4)
def _determinations(table: Table, protect: tuple[str, ...]) -> tuple[Determination, ...]:
    # An intruder reads such an attribute off the published file. Exactly: for `LEAST_SHARE` of the records whose value
    # occurs `FEWEST` times, with at most `GUESSED` of the errors of guessing the commonest category. Nearly: by the
    # median of the records with the same value, or of `NEIGHBOURS` next to each other where values hardly occur twice.
    masked = {}
    for name in protect:
        coded = bins_of(table, name, 1.0)
        codes = coded.of(table.column(name)).astype(np.int64)
        if np.count_nonzero(np.bincount(codes)) > 1:
            masked[name] = (codes, coded.size)
    found = []
    for attribute in table.schema.attributes:
        if attribute.name in protect or not attribute.role.published:
            continue
        exact = {d.masked: d for d in _followers(table, attribute.name, masked)}
        near = (_nearly(table, name, attribute.name) for name in masked if name not in exact)
        found += [*exact.values(), *(d for d in near if d is not None)]
    return tuple(sorted(found, key=lambda d: list(protect).index(d.masked)))


def _followers(table: Table, by: str, codes_of: Mapping[str, tuple[NDArray[np.int64], int]]) -> list[Determination]:
    """Return which attributes, given as codes and their number, follow from another one."""
    _, values, counts = placed_values(table.column(by))
    covered = counts[values] >= FEWEST
    if covered.sum() < LEAST_FREQUENT * len(table):
        return []
    found = []
    for name, (codes, size) in codes_of.items():
        share, usual = _commonest(values[covered], codes[covered], size)
        if share >= LEAST_SHARE and 1.0 - share <= GUESSED * (1.0 - usual):
            found.append(Determination(name, by, share))
    return found


def _nearly(table: Table, masked: str, by: str) -> Determination | None:
    """Return how well an ordered attribute can be guessed from another one, if nearly always."""
    attribute, other = table.schema[masked], table.schema[by]
    if attribute.scale is Scale.NOMINAL:
        return None
    column = table.column(masked)
    values = np.where(column < 0, np.nan, column) if attribute.categorical else column
    known = ~np.isnan(values)
    values, groups = values[known].astype(np.float64), table.column(by)[known]
    if len(values) < NEIGHBOURS:
        return None
    _, places, counts = placed_values(groups)
    covered = counts[places] >= NEIGHBOURS
    if not covered.any() or covered.mean() < LEAST_FREQUENT:
        if other.scale is Scale.NOMINAL:
            return None
        order = np.argsort(groups, kind="stable")
        places = np.empty(len(order), dtype=np.intp)
        places[order] = np.arange(len(order)) // NEIGHBOURS
        covered = np.ones(len(order), dtype=np.bool_)
    values, places = values[covered], places[covered]
    low, high = np.quantile(values, [0.01, 0.99])
    within = NEAR * float(high - low)
    if within == 0.0 or float((np.abs(values - np.median(values)) <= within).mean()) >= LEAST_NEAR / 2.0:
        return None
    guesses = middle_of_class(values, places, np.zeros(len(values), dtype=np.bool_))
    share = float((np.abs(values - guesses) <= within).mean())
    return Determination(masked, by, share, within) if share >= LEAST_NEAR else None
