"""Records of numbers and categories as points, and the squared distance between two of them.

The squared distance is the sum over attributes of ``((x - y) / s)**2`` for numbers, with s the standard deviation of
the original, and of the squared distance of `evosdc.table.distance` for categories.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.schema import MissingRule, Scale, Schema
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import Integers

Flags = NDArray[np.bool_]

SAME = 1e-9
"""Squared distances are taken to be equal if they differ by less, relative to their size: that much is rounding."""
ZERO = 1e-18
"""Squared distances below it, a thousand millionth of a standard deviation, are taken to be 0."""


class Metric(NamedTuple):
    """How coordinates are compared.

    Parameters
    ----------
    equality : ndarray of bool, shape (V,)
        Whether only equality counts (nominal attributes): squared distance 0 or 1.
    lost : ndarray of float64, shape (V,)
        Squared distance of a missing value (NaN) to any other: 1 for categories and 2, the mean squared distance of two
        records drawn at random, for standardised numbers; 0 under the rule ``wildcard``.
    """

    equality: Flags
    lost: Numbers


def metric_of(schema: Schema) -> Metric:
    """Return the metric for a schema's categorical attributes followed by its numeric ones."""
    attributes = (*schema.categorical, *schema.numeric)
    equality = np.array([a.scale is Scale.NOMINAL for a in attributes], dtype=np.bool_)
    lost = np.array([1.0 if a.categorical else 2.0 for a in attributes])
    return Metric(equality, np.zeros_like(lost) if schema.na is MissingRule.WILDCARD else lost)


class Unit(NamedTuple):
    """Mean and inverse standard deviation of each numeric attribute, shape (Q,); inverse 0 where it is constant."""

    means: Numbers
    inverses: Numbers


def unit_of(numbers: Numbers) -> Unit:
    """Return the unit in which a file's numbers are standardised (population standard deviation)."""
    present = ~np.isnan(numbers)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, numbers, 0.0).sum(axis=0) / counts
    deviations = np.sqrt((np.where(present, numbers - means, 0.0) ** 2).sum(axis=0) / counts)
    low = np.where(present, numbers, np.inf).min(axis=0)
    varying = np.where(present, numbers, -np.inf).max(axis=0) > low
    inverses: Numbers = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=varying & (deviations > 0.0))
    return Unit(means, inverses)


def range_unit_of(numbers: Numbers) -> Unit:
    """Return the unit in which numbers run from 0 to 1 in a file (Gower 1971)."""
    present = ~np.isnan(numbers)
    low = np.where(present, numbers, np.inf).min(axis=0, initial=np.inf)
    high = np.where(present, numbers, -np.inf).max(axis=0, initial=-np.inf)
    some = present.any(axis=0)
    low, spread = np.where(some, low, 0.0), np.where(some, high - low, 0.0)
    inverses: Numbers = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0)
    return Unit(low, inverses)


def raw_unit_of(numbers: Numbers) -> Unit:
    """Return the unit in which numbers stay as they are, constant ones left out."""
    present = ~np.isnan(numbers)
    low = np.where(present, numbers, np.inf).min(axis=0, initial=np.inf)
    varying = np.where(present, numbers, -np.inf).max(axis=0, initial=-np.inf) > low
    return Unit(np.zeros(numbers.shape[1]), varying.astype(np.float64))


class Coordinates(NamedTuple):
    """Where the values of a file stand.

    Parameters
    ----------
    unit : Unit
        Of the numbers.
    offsets : ndarray of int64, shape (C,)
        Where the places of each categorical attribute begin, that of a missing value first.
    places : ndarray of float64
        One after the other, NaN for missing values.
    """

    unit: Unit
    offsets: Integers
    places: Numbers


def coordinates_of(schema: Schema, unit: Unit) -> Coordinates:
    """Return the coordinates of a schema's values.

    Ordinal categories lie at ``code / |D|``, nominal ones at the place of their label in alphabetical order.
    """
    listed, offsets, filled = [], [], 0
    for attribute in schema.categorical:
        size = len(attribute.categories)
        places = np.arange(size) / max(size, 1)
        if attribute.scale is Scale.NOMINAL:
            places[np.argsort(np.array(attribute.categories, dtype=str), kind="stable")] = np.arange(size)
        listed.append(np.append(np.nan, places))
        offsets.append(filled)
        filled += size + 1
    return Coordinates(unit, np.array(offsets, dtype=np.int64), np.concatenate([np.zeros(0), *listed]))


def points_of(table: Table, coordinates: Coordinates) -> Numbers:
    """Return the coordinates of a table's records, shape (n, V), NaN where a value is missing."""
    return points_of_rows(table.codes, table.numbers, np.arange(len(table)), coordinates)


@njit(cache=True)
def points_of_rows(codes: Codes, numbers: Numbers, rows: Rows, coordinates: Coordinates) -> Numbers:
    """Return the coordinates of some records, shape (m, V)."""
    (means, inverses), offsets, places = coordinates
    categorical = codes.shape[1]
    points = np.empty((len(rows), categorical + numbers.shape[1]))
    for number in range(len(rows)):
        row = rows[number]
        for v in range(categorical):
            points[number, v] = places[offsets[v] + codes[row, v] + 1]
        for v in range(numbers.shape[1]):
            points[number, categorical + v] = (numbers[row, v] - means[v]) * inverses[v]
    return points


def whitening_of(original: Numbers, masked: Numbers) -> Numbers:
    """Return the matrix W that makes ``|(a - b) W|`` Mahalanobis' distance, shape (Q, Q).

    The covariance is ``Var(original) + Var(masked)``: the term ``2 Cov`` is 0 for an intruder who does not know the
    links. Directions in which nothing varies are left out.
    """
    covariance = np.atleast_2d(np.cov(original, rowvar=False, bias=True) + np.cov(masked, rowvar=False, bias=True))
    scale = np.sqrt(np.diag(covariance))
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)
    values, vectors = np.linalg.eigh(covariance * np.outer(inverse, inverse))
    kept = values > 1e-10 * max(values.max(), 1e-300)
    roots = np.divide(1.0, np.sqrt(np.where(kept, values, 1.0)), out=np.zeros_like(values), where=kept)
    whitening: Numbers = inverse[:, None] * vectors * roots
    return whitening


@njit(cache=True)
def squared_numbers(a: Numbers, b: Numbers, most: float) -> float:
    """Return what `squared` does for points of numbers without missing ones, in less time."""
    total = 0.0
    for v in range(len(a)):
        total += (a[v] - b[v]) * (a[v] - b[v])
        if total > most:
            break
    return total


@njit(cache=True)
def squared(a: Numbers, b: Numbers, equality: Flags, lost: Numbers, most: float) -> float:
    """Return the squared distance of two points, or some number above `most` where it exceeds that."""
    total = 0.0
    for v in range(len(a)):
        x, y = a[v], b[v]
        if np.isnan(x) or np.isnan(y):
            if not (np.isnan(x) and np.isnan(y)):
                total += lost[v]
        elif equality[v]:
            if x != y:
                total += 1.0
        else:
            total += (x - y) * (x - y)
        if total > most:
            break
    return total


@njit(cache=True)
def all_squared(asked: Numbers, searched: Numbers, equality: Flags, lost: Numbers) -> Numbers:
    """Return the squared distances of all pairs, shape (len(asked), len(searched))."""
    result = np.empty((len(asked), len(searched)))
    for i in range(len(asked)):
        for j in range(len(searched)):
            result[i, j] = squared(asked[i], searched[j], equality, lost, np.inf)
    return result
