"""Units of numbers: standard deviations, ranges, or none."""

from typing import NamedTuple

import numpy as np

from evosdc.table.table import Numbers


class Unit(NamedTuple):
    """What is subtracted from numbers, and by what they are multiplied then, shape (Q,); by 0 where all are equal."""

    means: Numbers
    inverses: Numbers


def standard_unit(numbers: Numbers, lost: int = 0) -> Unit:
    """Return the unit of a file's standard deviations: squares are divided by the number of values less `lost`."""
    present = ~np.isnan(numbers)
    counts = np.maximum(present.sum(axis=0), 1)
    means = np.where(present, numbers, 0.0).sum(axis=0) / counts
    squares = (np.where(present, numbers - means, 0.0) ** 2).sum(axis=0)
    deviations = np.sqrt(squares / np.maximum(counts - lost, 1))
    low, high = _ends(numbers)
    inverses: Numbers = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=(high > low) & (deviations > 0))
    return Unit(means, inverses)


def standardised(numbers: Numbers, unit: Unit) -> Numbers:
    """Return numbers in a unit, missing ones at the mean."""
    points = (numbers - unit.means) * unit.inverses
    return np.where(np.isnan(points), 0.0, points)


def range_unit(numbers: Numbers) -> Unit:
    """Return the unit in which numbers run from 0 to 1 in a file (Gower 1971)."""
    low, high = _ends(numbers)
    some = high >= low
    spread = np.where(some, high - low, 0.0)
    return Unit(np.where(some, low, 0.0), np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0))


def raw_unit(numbers: Numbers) -> Unit:
    """Return the unit in which numbers stay as they are, constant ones left out."""
    low, high = _ends(numbers)
    return Unit(np.zeros(numbers.shape[1]), (high > low).astype(np.float64))


def _ends(numbers: Numbers) -> tuple[Numbers, Numbers]:
    present = ~np.isnan(numbers)
    low: Numbers = np.where(present, numbers, np.inf).min(axis=0, initial=np.inf)
    high: Numbers = np.where(present, numbers, -np.inf).max(axis=0, initial=-np.inf)
    return low, high
