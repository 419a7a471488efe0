"""The analyst's side of a judge: the whole file, masked attributes and unmasked ones, by classes."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evosdc.model import Microdata
from evosdc.table.schema import WITHHELD, Role
from evosdc.table.table import Table
from evosdc_judges.classes import Classes, Codes, Keys, classes_of, keys_of

NOT_ANALYSED = (*WITHHELD, Role.WEIGHT, Role.HOUSEHOLD)
"""Roles of attributes that nobody tabulates."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """A whole file as an analyst sees it.

    Parameters
    ----------
    whole : Table
        The protected attributes first, then the others that are analysed.
    classes : Classes
    codes : ndarray of int32, shape (n, A)
        Of the original.
    protected : int
        How many of the attributes are protected.
    """

    whole: Table
    classes: Classes
    codes: Codes
    protected: int

    def published(self, masked: Table) -> Codes:
        """Return the classes of the file with its masked attributes, shape (n, A)."""
        return self.classes.of(self.whole.with_columns(masked))

    def tables(self, ways: int) -> list[tuple[int, ...]]:
        """Return all tables of so many attributes, or of all where there are fewer, that a masked attribute is in."""
        attributes = self.codes.shape[1]
        found = combinations(range(attributes), min(ways, attributes))
        return [table for table in found if table[0] < self.protected]


def analysis_of(microdata: Microdata, bins: int, widest: int = 250) -> Analysis:
    """Return a whole file by classes: `bins` of a numeric attribute, at most `widest` of any."""
    schema = microdata.table.schema
    others = [a.name for a in schema.attributes if a.name not in microdata.protect and a.role not in NOT_ANALYSED]
    whole = microdata.table.select([*microdata.protect, *others])
    classes = classes_of(whole, bins, widest)
    return Analysis(whole, classes, np.ascontiguousarray(classes.of(whole)), len(microdata.protect))


def variation(original: Codes, published: Codes, sizes: Keys) -> float:
    """Return the total variation between the tables of two files with the same attributes, 0..1."""
    n = len(original)
    keys = keys_of(np.vstack((original, published)), sizes)
    _, cells = np.unique(keys, return_inverse=True)
    cells = cells.reshape(-1)
    ours, theirs = (np.bincount(part, minlength=int(cells.max()) + 1) for part in (cells[:n], cells[n:]))
    return float(np.abs(ours - theirs).sum()) / (2.0 * n)
