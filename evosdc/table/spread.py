"""How far the numbers of a file lie apart, attribute by attribute."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from evosdc.table.table import Numbers, Table


class Spread(NamedTuple):
    """How far an attribute's numbers lie apart; zero where none are known or all are equal."""

    farthest: float  # greatest distance from the mean
    # standard deviation (of the file, not of a sample) in units of `farthest`: squares of very large or small numbers
    # would leave the range of floats
    deviation: float
    width: float  # greatest value less the least


Spreads = Mapping[str, Spread]  # by the names of the numeric attributes


def spread_of(numbers: Numbers) -> Spread:
    """Return the spread of a column, shape (n,); missing values (NaN) are left out."""
    known = numbers[~np.isnan(numbers)]
    if known.size == 0 or known.min() == known.max():
        return Spread(0.0, 0.0, 0.0)
    centred = known - known.mean()
    farthest = float(np.abs(centred).max())
    return Spread(farthest, float((centred / farthest).std()), float(known.max() - known.min()))


def spreads_of(table: Table) -> Spreads:
    """Return the spread of each numeric attribute."""
    return {a.name: spread_of(table.numbers[:, j]) for j, a in enumerate(table.schema.numeric)}
