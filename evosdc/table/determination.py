"""Masked attributes that the rest of a published file gives away: they follow from an attribute that stays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.structural_zeros import bins_of
from evosdc.table.table import Table

FEWEST = 3
"""Records that a value must have for what goes with it to say anything."""

LEAST_SHARE = 0.99
"""Share of those records in which the masked attribute follows from the other, from which it counts as given away."""

GUESSED = 0.2
"""Share of the errors of always guessing the commonest category that the other attribute may leave at most."""

LEAST_COVERED = 0.1
"""Share of all records whose value must be frequent enough."""

_DENSE = 2**22


class Determination(NamedTuple):
    """A masked attribute that follows from one that is published as it is.

    Parameters
    ----------
    masked, by : str
    share : float
        Of the records whose value of `by` occurs at least `FEWEST` times, those in which `masked` has the category that
        goes with this value most often; 0..1.
    """

    masked: str
    by: str
    share: float


def determinations(table: Table, protect: Sequence[str]) -> tuple[Determination, ...]:
    """Return which masked attributes follow from an attribute that masking does not touch.

    An intruder reads such an attribute off the published file, however it is masked. Said are those that follow for
    `LEAST_SHARE` of the records whose value occurs `FEWEST` times, if these are at least `LEAST_COVERED` of the file,
    and with at most `GUESSED` of the errors that guessing the commonest category makes: an attribute that hardly varies
    follows from anything. Masked numbers are taken in the quantile bins of `evosdc.table.structural_zeros`, and values
    of the other attribute as they are.

    Parameters
    ----------
    table : Table
        The original.
    protect : sequence of str
        The masked attributes.
    """
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
        _, values, counts = np.unique(table.column(attribute.name), return_inverse=True, return_counts=True)
        covered = counts[values] >= FEWEST
        if covered.sum() < LEAST_COVERED * len(table):
            continue
        for name, (codes, size) in masked.items():
            share, usual = _share_that_follows(values[covered], codes[covered], len(counts), size)
            if share >= LEAST_SHARE and 1.0 - share <= GUESSED * (1.0 - usual):
                found.append(Determination(name, attribute.name, share))
    return tuple(sorted(found, key=lambda d: list(protect).index(d.masked)))


def _share_that_follows(
    values: NDArray[np.intp], codes: NDArray[np.int64], height: int, width: int
) -> tuple[float, float]:
    """Return the share of records with the commonest code of their value, and with the commonest of all."""
    usual = float(np.bincount(codes).max() / len(codes))
    keys = values.astype(np.int64) * width + codes
    if height * width <= _DENSE:
        most = np.bincount(keys, minlength=height * width).reshape(height, width).max(axis=1)
    else:
        cells, counts = np.unique(keys, return_counts=True)
        most = np.zeros(height, dtype=np.int64)
        np.maximum.at(most, cells // width, counts)
    return float(most.sum() / len(codes)), usual
