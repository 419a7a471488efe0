"""Masked attributes that the rest of a published file gives away: they follow from an attribute that stays."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.dependence import FEWEST, GUESSED, LEAST_SHARE
from evosdc.table.distinct_values import counted_values, placed_values
from evosdc.table.remembered import remembered
from evosdc.table.schema import Scale
from evosdc.table.structural_zeros import bins_of
from evosdc.table.table import Table

LEAST_COVERED = 0.1  # share of all records whose value must be frequent enough

NEAR = 0.05  # part of an attribute's range, between its 1st and 99th percentile, that a near guess may be off at most

# share of near guesses from which an ordered attribute counts as given away; without the other at most half of it
LEAST_NEAR = 0.9

# records next to each other that a guess is made for, where values of the other attribute hardly occur twice
NEIGHBOURS = 10

_DENSE = 2**22


class Determination(NamedTuple):
    """A masked attribute that follows from one that is published as it is."""

    masked: str
    by: str
    # of the records whose value of `by` occurs at least `FEWEST` times, those in which `masked` has the category that
    # goes with this value most often; 0..1. Of near guesses, those that are off by `within` at most.
    share: float
    # by how much a guess may be off: 0 where the category itself follows; in steps of ordinal categories
    within: float = 0.0


@remembered
def determinations(table: Table, protect: Sequence[str]) -> tuple[Determination, ...]:
    """Return which masked attributes follow from an attribute that masking does not touch."""
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
    if covered.sum() < LEAST_COVERED * len(table):
        return []
    found = []
    for name, (codes, size) in codes_of.items():
        share, usual = _share_that_follows(values[covered], codes[covered], len(counts), size)
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
    if not covered.any() or covered.mean() < LEAST_COVERED:
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
    share = float((np.abs(values - _medians(values, places)) <= within).mean())
    return Determination(masked, by, share, within) if share >= LEAST_NEAR else None


def _medians(values: NDArray[np.float64], places: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return for each record the lower median of the values of its group."""
    order = np.lexsort((values, places))
    _, starts, inverse, counts = np.unique(places[order], return_index=True, return_inverse=True, return_counts=True)
    middles = values[order][starts + (counts - 1) // 2]
    medians = np.empty(len(values))
    medians[order] = middles[inverse]
    return medians


def _share_that_follows(
    values: NDArray[np.intp], codes: NDArray[np.int64], height: int, width: int
) -> tuple[float, float]:
    """Return the share of records with the commonest code of their value, and with the commonest of all."""
    usual = float(np.bincount(codes).max() / len(codes))
    keys = values.astype(np.int64) * width + codes
    if height * width <= _DENSE:
        most = np.bincount(keys, minlength=height * width).reshape(height, width).max(axis=1)
    else:
        cells, counts = counted_values(keys)
        most = np.zeros(height, dtype=np.int64)
        np.maximum.at(most, cells // width, counts)
    return float(most.sum() / len(codes)), usual
