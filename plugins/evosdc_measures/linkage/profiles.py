"""Profiles of records, computed by the cheapest of three exact roads."""

from math import prod
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.equivalence import ordered_classes
from evosdc.table.schema import MissingRule
from evosdc.table.table import Codes, Table
from evosdc_measures.domains import Counts, Integers, domains_of
from evosdc_measures.linkage.agreement import add_profile
from evosdc_measures.linkage.agreement_cube import Cube, cube_of, look_up
from evosdc_measures.linkage.agreement_groups import count_groups, invert, time_by_groups

AT_ONCE = 1 << 25
"""Greatest number of counts that are made by groups at a time."""
BY_RECORD = 0.1
"""Estimated time of comparing a record with an original where all originals are passed, in nanoseconds by attribute."""


class Originals(NamedTuple):
    """The distinct originals.

    Parameters
    ----------
    records, columns : ndarray of int32, shapes (D, V) and (V, D)
        Those without missing values come first where these agree with everything.
    numbers : ndarray of int32, shape (D,)
        How many of each there are.
    complete : int
        Number of those that agree with a value by being equal alone.
    wildcard : bool
        Whether a missing value agrees with everything.
    order : ndarray of int64, shape (V,)
        Attributes, those on which fewest pairs agree first.
    shares : ndarray of float64, shape (V,)
        Share of pairs of originals that agree, by attribute.
    widest : int
        Greatest number of categories plus one.
    possible : int
        Number of different records that the domains allow.
    strides : ndarray of int64, shape (V,)
        Factors of a record's digits in its number among these, where that has no more than 63 bits.
    cube : Cube
        By which profiles are looked up, where it is not empty.
    """

    records: Codes
    columns: Codes
    numbers: Counts
    complete: int
    wildcard: bool
    order: Integers
    shares: NDArray[np.float64]
    widest: int
    possible: int
    strides: Integers
    cube: Cube


def originals_of(original: Table) -> Originals:
    """Return the distinct records of a table and what the choice of a road depends on."""
    wildcard = original.schema.na is MissingRule.WILDCARD
    classes = ordered_classes(original.codes)
    distinct, counted = original.codes[classes.first], classes.counts
    partial = (distinct < 0).any(axis=1) & wildcard
    first = np.argsort(partial, kind="stable")
    distinct, numbers = np.ascontiguousarray(distinct[first]), counted[first].astype(np.int32)
    domains = domains_of(original.schema).widths
    widths = domains.tolist()
    frequencies = [np.bincount(column + 1) / len(original) for column in original.codes.T]
    shares = np.array([(frequency**2).sum() for frequency in frequencies])
    order = np.argsort(shares, kind="stable").astype(np.int64)
    complete = int((~partial).sum())
    columns = np.ascontiguousarray(distinct.T)
    strides = [prod(widths[v + 1 :]) % (1 << 63) for v in range(len(widths))]
    return Originals(
        distinct,
        columns,
        numbers,
        complete,
        wildcard,
        order,
        shares,
        max(widths),
        prod(widths),
        np.array(strides, dtype=np.int64),
        cube_of(distinct, numbers, domains, wildcard),
    )


def worth_grouping(records: int, complete: int, attributes: int, shares: NDArray[np.float64]) -> bool:
    """Return whether profiles are estimated to be cheaper by groups than by comparing each with each original."""
    # Splitting passes all originals for each attribute, so for very few records there is nothing to estimate.
    direct = BY_RECORD * attributes * records * complete
    return records * BY_RECORD > 1.0 and bool(time_by_groups(records, complete, shares) < direct)


@njit(cache=True)
def add_by_pairs(records: Codes, columns: Codes, numbers: Counts, wildcard: bool, profiles: Counts) -> None:
    """Add originals to the profiles, comparing each record with each of them."""
    scratch = np.empty(len(numbers), np.uint16)
    for i in range(len(records)):
        add_profile(records[i], columns, numbers, wildcard, scratch, profiles[i])


def _fill_by_groups(records: Codes, mask: int, order: Integers, originals: Originals, profiles: Counts) -> None:
    """Write profiles over the complete originals, for records whose wildcards are the attributes of `mask`."""
    attributes, complete = records.shape[1], originals.complete
    most = max(AT_ONCE >> attributes, 1)
    for begin in range(0, len(records), most):
        part = np.ascontiguousarray(records[begin : begin + most])
        counts = np.zeros((1 << attributes, len(part)), dtype=np.int32)
        count_groups(
            part,
            np.ascontiguousarray(part.T),
            originals.records[:complete],
            originals.columns,
            originals.numbers[:complete],
            order,
            originals.widest,
            counts,
        )
        if mask:
            # All agree on the attributes of the mask: a subset counts what it counts without them.
            counts = counts[np.arange(1 << attributes) & ~mask]
        invert(counts, profiles[begin : begin + most])


def _fill_alike(records: Codes, mask: int, originals: Originals, profiles: Counts) -> None:
    """Write profiles of records whose wildcards are the attributes of `mask`, by the cheaper road."""
    order = np.array([v for v in originals.order if not mask >> int(v) & 1], dtype=np.int64)
    by_groups = worth_grouping(len(records), originals.complete, records.shape[1], originals.shares[order])
    if by_groups:
        _fill_by_groups(records, mask, order, originals, profiles)
    else:
        profiles[:] = 0
    first = originals.complete if by_groups else 0
    if first < len(originals.numbers):
        # Contiguous columns are compared many categories at a time.
        columns = np.ascontiguousarray(originals.columns[:, first:])
        add_by_pairs(records, columns, originals.numbers[first:], originals.wildcard, profiles)


def fill(records: Codes, originals: Originals, profiles: Counts) -> None:
    """Compute profiles: by the cube where there is one, else by groups or pair by pair, as is estimated to cost less.

    Parameters
    ----------
    records : ndarray of int32, shape (k, V)
    originals : Originals
    profiles : ndarray of int32, shape (k, 2**V)
        Written.
    """
    if len(originals.cube.counts) > 0:
        look_up(records, *originals.cube, profiles)
        return
    masks = ((records < 0) & originals.wildcard) @ (1 << np.arange(records.shape[1]))
    distinct = np.unique(masks)
    if len(distinct) == 1:
        _fill_alike(records, int(distinct[0]), originals, profiles)
        return
    for mask in distinct:
        alike = np.flatnonzero(masks == mask)
        part = np.empty((len(alike), profiles.shape[1]), dtype=np.int32)
        _fill_alike(records[alike], int(mask), originals, part)
        profiles[alike] = part
