"""Joint counts of masked and original categories, attribute by attribute."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from evosdc.table.schema import Schema
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers, domains_of

WIDE = 256
"""An attribute with more categories than this, missing included, is not followed by counts but computed anew."""


@dataclass(frozen=True)
class JointLayout:
    """Which attributes are counted in a state, and where.

    A square table of a wide attribute would weigh more in each state than the attribute's column itself.

    Parameters
    ----------
    widths, offsets : ndarray of int64
        As in `Domains`, with width 0 for wide attributes; the first axis is the masked category, the second the
        original one.
    wide : tuple of int
        Positions of the wide attributes.
    """

    widths: Integers
    offsets: Integers
    wide: tuple[int, ...]

    def zeros(self) -> Counts:
        """Return the counts of no record."""
        return np.zeros(int(self.offsets[-1]), dtype=np.int32)

    def of_itself(self, original: Codes) -> Counts:
        """Return the counts of a file that is its own masked version."""
        counts = self.zeros()
        for v, width in enumerate(self.widths.tolist()):
            if width:
                diagonal = slice(int(self.offsets[v]), int(self.offsets[v + 1]), width + 1)
                counts[diagonal] = np.bincount(original[:, v] + 1, minlength=width)
        return counts


def joint_layout_of(schema: Schema) -> JointLayout:
    """Return the layout for a schema's categorical attributes."""
    widths = domains_of(schema).widths
    wide = tuple(int(v) for v in np.flatnonzero(widths > WIDE))
    narrow = np.where(widths > WIDE, 0, widths)
    return JointLayout(narrow, np.concatenate(([0], np.cumsum(narrow * narrow))), wide)


@njit(cache=True)
def shift_counts(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    fresh: bool,
    widths: Integers,
    offsets: Integers,
    counts: Counts,
) -> None:
    """Move changed rows from their old cells to their new ones, in place.

    Parameters
    ----------
    original, before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp, shape (m,)
    fresh : bool
        Rows are counted for the first time: `before` is not read.
    widths, offsets : ndarray of int64
        See `JointLayout`.
    counts : ndarray of int32
        Changed.
    """
    for row in rows:
        for v in range(original.shape[1]):
            if widths[v] > 0 and (fresh or before[row, v] != after[row, v]):
                base = offsets[v] + original[row, v] + 1
                if not fresh:
                    counts[base + (before[row, v] + 1) * widths[v]] -= 1
                counts[base + (after[row, v] + 1) * widths[v]] += 1


@njit(cache=True)
def differs(before: Codes, after: Codes, rows: Rows, attribute: int) -> bool:
    """Return whether any of the changed rows has another value of an attribute."""
    found = False
    for row in rows:
        found |= before[row, attribute] != after[row, attribute]
    return found


@njit(cache=True)
def shift_child(
    original: Codes,
    before: Codes,
    after: Codes,
    rows: Rows,
    begin: int,
    end: int,
    by: int,
    widths: Integers,
    offsets: Integers,
    counts: Counts,
) -> None:
    """Move the changed records of one child of many to their new cells, or back again.

    Parameters
    ----------
    original : ndarray of int32, shape (n, V)
    before, after : ndarray of int32, shape (m, V)
        The changed records alone.
    rows : ndarray of intp, shape (m,)
    begin, end : int
        Which of them are the child's.
    by : int
        1, or -1 to move them back.
    widths, offsets : ndarray of int64
        See `JointLayout`.
    counts : ndarray of int32
        Changed.
    """
    for i in range(begin, end):
        for v in range(len(widths)):
            if widths[v] > 0 and before[i, v] != after[i, v]:
                base = offsets[v] + original[rows[i], v] + 1
                counts[base + (before[i, v] + 1) * widths[v]] -= by
                counts[base + (after[i, v] + 1) * widths[v]] += by
