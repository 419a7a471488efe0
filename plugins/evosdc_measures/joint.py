"""Joint counts of masked and original categories, attribute by attribute."""

from dataclasses import dataclass

import numpy as np

from evosdc.table.schema import Schema
from evosdc.table.table import Codes
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
