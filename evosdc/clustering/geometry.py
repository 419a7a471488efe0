"""What kernels of clustering know of a file: distances by attribute, and the distinct records in sorted order."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distance import common_scale
from evosdc.table.equivalence import key_codes, ordered_classes
from evosdc.table.schema import MissingRule, Schema
from evosdc.table.table import Codes, Numbers, Table

Integers = NDArray[np.int64]


class Geometry(NamedTuple):
    """How far records are apart: the sum over attributes, in units of which a whole attribute has `unit`."""

    # Categories by Eq. 2.6 and 2.7 of the thesis (`evosdc.table.distance`), numbers by ``|a - b| / range``; a missing
    # number is a whole range from others, and at distance 0 from everything where missing values are wildcards. Sums of
    # categorical distances are whole numbers, so that ties are ties.

    widths: Integers  # categories plus one
    # Where each attribute's matrix begins in `distances`; the entry of codes (a, b) is at ``offsets[v] + (a + 1) *
    # widths[v] + b + 1``.
    offsets: Integers
    distances: Numbers
    factors: Numbers  # `unit` over the range of each numeric attribute; 0 for a constant one
    unit: float
    wildcard: bool


@dataclass(frozen=True, eq=False)
class Records:
    """The distinct records of a table in sorted order, so that the order of the file is of no account."""

    codes: Codes
    numbers: Numbers
    counts: Integers  # records of the file that are so
    of: Integers  # position of each record of the file


def geometry_of(table: Table) -> Geometry:
    """Return the distances of a table's records; ranges of numbers are those of the table."""
    matrices, unit = common_scale(table.schema)
    widths = np.array([len(a.categories) + 1 for a in table.schema.categorical], dtype=np.int64)
    offsets = np.cumsum(widths * widths) - widths * widths
    # By code plus one: the last row and column, of a missing value, come first.
    flat = [np.roll(matrix, 1, axis=(0, 1)).ravel() for matrix in matrices]
    distances = np.concatenate(flat).astype(np.float64) if flat else np.empty(0)
    factors = np.array([unit / width if width else 0.0 for width in _ranges(table)])
    return Geometry(widths, offsets, distances, factors, float(unit), table.schema.na is MissingRule.WILDCARD)


def _ranges(table: Table) -> list[float]:
    known = [column[~np.isnan(column)] for column in table.numbers.T]
    return [float(np.ptp(column)) if column.size else 0.0 for column in known]


def records_of(table: Table) -> Records:
    """Return the distinct records of a table, sorted by their categories, then by their numbers."""
    keys = key_codes(table, _names(table.schema))
    classes = ordered_classes(keys)
    return Records(
        np.ascontiguousarray(table.codes[classes.first]),
        np.ascontiguousarray(table.numbers[classes.first]),
        classes.counts,
        classes.of,
    )


def _names(schema: Schema) -> list[str]:
    return [attribute.name for attribute in (*schema.categorical, *schema.numeric)]
