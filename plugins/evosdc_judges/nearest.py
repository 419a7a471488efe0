"""Exact search for the nearest records, by costs that are whole numbers so that ties are ties."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Numbers
from evosdc_judges.classes import Codes, Keys
from evosdc_judges.sorted_records import SortedRecords, nearest, sorted_records

_UNIT = 1 << 32
"""What a cost of 1 is as a whole number."""


@dataclass(frozen=True)
class Costs:
    """Costs of pairs of classes, attribute by attribute, summed over the attributes of a pair of records.

    Parameters
    ----------
    flat : ndarray of int64
        The matrices one after the other, by row of the asked record's class.
    offsets, widths : ndarray of int64, shape (V,)
        Where each matrix begins, and the length of its rows.
    """

    flat: Keys
    offsets: Keys
    widths: Keys


def costs_of(matrices: Sequence[Numbers]) -> Costs:
    """Return costs by the asked record's class (rows) and the searched record's class (columns), not negative."""
    parts = [np.rint(matrix * _UNIT).astype(np.int64) for matrix in matrices]
    widths = np.array([part.shape[1] for part in parts], dtype=np.int64)
    ends = np.cumsum([part.size for part in parts])
    return Costs(
        np.concatenate([part.ravel() for part in parts]), np.concatenate(([0], ends[:-1])).astype(np.int64), widths
    )


def linked(asked: Codes, own: Keys, searched: SortedRecords, costs: Costs) -> Numbers:
    """Return for each asked record the chance that linking it at least cost finds its own one, shape (m,).

    Where t of the searched records tie at the least cost and the own one is among them it is 1/t, else 0.

    Parameters
    ----------
    asked : ndarray of int32, shape (m, V)
    own : ndarray of int64, shape (m,)
        Position of each one's own record among the distinct ones.
    searched : SortedRecords
    costs : Costs
    """
    least, tied, _ = nearest(asked, _nobody(asked), searched.tree, costs.flat, costs.offsets, costs.widths)
    of_own = costs.flat[costs.offsets + asked * costs.widths + searched.records[own]].sum(axis=1)
    chances: Numbers = np.where(of_own == least, 1.0 / tied, 0.0)
    return chances


def guessed(asked: Codes, truth: Codes, searched: SortedRecords, costs: Costs) -> Numbers:
    """Return for each asked record the share of right answers among the records nearest to it, shape (m,).

    Parameters
    ----------
    asked : ndarray of int32, shape (m, V)
    truth : ndarray of int32, shape (m,)
    searched : SortedRecords
        Of these attributes, and the answers as the last one.
    costs : Costs
    """
    _, tied, right = nearest(asked, truth, searched.tree, costs.flat, costs.offsets, costs.widths)
    return right / tied


@dataclass(frozen=True)
class Parted:
    """Records as those see them who know one part of the attributes, the other part, or all.

    Parameters
    ----------
    parts : tuple of ndarray of int64
        Positions of the attributes of each part, and of all.
    searched : tuple of SortedRecords
        Likewise.
    """

    parts: tuple[Keys, ...]
    searched: tuple[SortedRecords, ...]


def parted(records: Codes, first: NDArray[np.bool_]) -> Parted:
    """Return records, shape (r, V), by two parts of their attributes, of which one is marked."""
    parts = (np.flatnonzero(first), np.flatnonzero(~first), np.arange(len(first)))
    return Parted(parts, tuple(sorted_records(records[:, part]) for part in parts))


def met(asked: Codes, records: Parted, costs: Costs) -> Numbers:
    """Return for each asked record the chance that both of its parts find the same record, shape (m,).

    Each part looks for a nearest record on its own, one of those that tie, drawn at random.

    Parameters
    ----------
    asked : ndarray of int32, shape (m, V)
    records : Parted
    costs : Costs
    """
    found = [
        nearest(
            np.ascontiguousarray(asked[:, part]),
            _nobody(asked),
            searched.tree,
            costs.flat,
            costs.offsets[part],
            costs.widths[part],
        )
        for part, searched in zip(records.parts, records.searched, strict=True)
    ]
    (one, in_one, _), (two, in_two, _), (whole, in_both, _) = found
    # Nothing costs less than what both parts cost at least, and whoever costs just that is nearest to both.
    chance: Numbers = np.where(whole == one + two, in_both, 0) / (in_one.astype(float) * in_two)
    return chance


def _nobody(asked: Codes) -> Codes:
    """Return answers that no record gives."""
    return np.full(len(asked), -1, dtype=np.int32)
