"""Distances between the categories of an attribute, as exact fractions of integers.

Ordinal: ``|{i : a <= i < b}| / |D|`` (Eq. 2.6 of the thesis); nominal: 0 if equal, else 1 (Eq. 2.7); with
`by_hierarchy`: the level of the lowest common ancestor over the height of the hierarchy. A missing value is at distance
1 from every category under the rule ``category`` and at distance 0 from everything under ``wildcard``.
"""

from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.table.schema import Attribute, MissingRule, Scale, Schema
from evosdc.table.table import MISSING

# At least 64 distances can be added up without leaving whole numbers of 64 bits.
_ADDED_UP, _GREATEST_SUM = 64, 2**62


@dataclass(frozen=True)
class CategoryDistance:
    """Distances between the categories of one attribute."""

    # shape (c + 1, c + 1); by code; the last row and column are those of a missing value, which its code -1 addresses
    numerators: NDArray[np.int64]
    denominator: int  # common to all; the distance is numerator / denominator

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The distances as floats, shape (c + 1, c + 1), in [0, 1]."""
        return self.numerators / float(self.denominator)


def category_distance(
    attribute: Attribute, na: MissingRule = MissingRule.CATEGORY, by_hierarchy: bool = False
) -> CategoryDistance:
    """Return the distances between the categories of a nominal or ordinal attribute."""
    size = len(attribute.categories)
    numerators = np.zeros((size + 1, size + 1), dtype=np.int64)
    codes = np.arange(size)
    if by_hierarchy and attribute.hierarchy is not None:
        denominator = max(attribute.hierarchy.height, 1)
        numerators[:size, :size] = attribute.hierarchy.common_levels(attribute.categories)
    elif attribute.scale is Scale.ORDINAL:
        denominator = max(size, 1)
        numerators[:size, :size] = np.abs(codes[:, None] - codes[None, :])
    else:
        denominator = 1
        numerators[:size, :size] = codes[:, None] != codes[None, :]
    apart = 0 if na is MissingRule.WILDCARD else denominator
    numerators[MISSING, :size] = numerators[:size, MISSING] = apart
    return CategoryDistance(numerators, denominator)


def common_scale(
    schema: Schema, by_hierarchy: bool = False, where: str = "attributes"
) -> tuple[list[NDArray[np.int64]], int]:
    """Return all categorical attributes' distances as integers over one denominator."""
    # Sums of such integers compare exactly, so ties between records are ties and not rounding.
    # returns matrices (c + 1, c + 1)
    distances = [category_distance(a, schema.na, by_hierarchy) for a in schema.categorical]
    denominator = lcm(*(d.denominator for d in distances))
    if denominator * max(len(distances), _ADDED_UP) > _GREATEST_SUM:
        given = f"ordinal attributes whose numbers of categories have the common multiple {denominator}"
        wanted = "one so small that distances in its parts add up exactly, at most 2**56"
        advice = "Protect fewer ordinal attributes, merge rare categories, or declare some attributes nominal."
        raise ParameterError(Fault(where, given, wanted, advice))
    return [d.numerators * (denominator // d.denominator) for d in distances], denominator
